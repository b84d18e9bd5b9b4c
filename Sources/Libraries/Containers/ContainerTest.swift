import Archives

/// What a container's test found.
package enum ContainerVerdict: Sendable, Hashable {
    /// Begins, holds together and ends as its kind must.
    case whole
    /// Cut or damaged; the reason is for people and completes "the file is damaged: ".
    case damaged(String)
    /// Of no kind that can be tested, and not expected to be.
    case untested
    /// Right as far as the bounds of the test let it go; the reason is for people.
    case cut(String)
}

/// Opens files of the kinds that archives and documents come in and tells whether they are whole.
///
/// | kind | what is tested |
/// | --- | --- |
/// | zip, office, epub, jar | the central directory, each entry's place, and its content's CRC where it is stored or deflated and not encrypted; the parts that an office file must have |
/// | gzip | every member to its CRC and length (RFC 1952), nothing behind the last but zeros |
/// | xz, zstd, bzip2 | decoding to the stream's end, with its own checksums |
/// | tar | every header's checksum and place, the zeros at the end |
/// | PDF | `%PDF-` at the start, `startxref` and `%%EOF` at the end, the length that a linearised one names |
/// | PNG | every chunk's CRC up to IEND |
/// | JPEG | the segments, and the data up to EOI |
/// | 7z | the CRC and place of its index |
///
/// Time, memory and what is decoded are bounded: a file that takes more is right as far as it was read.
package struct ContainerTest: Sendable {
    private let isCancelled: @Sendable () -> Bool

    /// - Parameter isCancelled: asked every few hundred kilobytes.
    package init(isCancelled: @escaping @Sendable () -> Bool = { false }) { self.isCancelled = isCancelled }

    /// Tests a file; blocks, and reads it up to twice.
    /// - Parameters:
    ///   - descriptor: of the file, at its start; stays open and belongs to the caller.
    ///   - expected: the extension that its name or type promises, in lower case, without the dot.
    /// - Throws: ``ContainerError`` when the file could not be read, or the test was cancelled.
    package func test(descriptor: Int32, expecting expected: String?) throws -> ContainerVerdict {
        let file = try FileBytes(descriptor)
        var budget = Budget(fileBytes: file.size, isCancelled: isCancelled)
        do {
            return try test(file, Expectation(expected), &budget)
        } catch let stop as Stop {
            switch stop {
            case .damaged(let reason): return .damaged(reason)
            case .bound(let reason): return .cut(reason)
            case .unknowable: return .untested
            }
        }
    }

    private func test(_ file: FileBytes, _ expected: Expectation, _ budget: inout Budget) throws -> ContainerVerdict {
        guard let kind = try ContainerKind(file) ?? expected.headless(file) else {
            guard let promised = expected.kind else { return .untested }
            let reason = file.size == 0 ? "it is empty" : "it does not begin as \(promised.name) does"
            throw Stop.damaged(reason)
        }
        switch kind {
        case .zip: try ZipTest(file, parts: expected.parts).run(&budget)
        case .gzip: try testGzip(file, &budget)
        case .xz, .zstd, .bzip2: try testCompressed(file, kind, &budget)
        case .tar: try testTar(file, &budget)
        case .pdf: try testPDF(file)
        case .png: try testPNG(file, &budget)
        case .jpeg: try testJPEG(file, &budget)
        case .sevenZip: try testSevenZip(file)
        case .compoundFile, .otherPicture: return .untested
        }
        return .whole
    }

    /// xz, zstd and bzip2: libarchive decodes to the end and checks what the format lets it check.
    private func testCompressed(_ file: FileBytes, _ kind: ContainerKind, _ budget: inout Budget) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 4096)
        defer { buffer.deallocate() }
        do {
            let reader = try CompressedReader(descriptor: file.number)
            while true {
                let count = try reader.read(into: buffer)
                if count == 0 { return }
                try budget.spend(count)
            }
        } catch let error as ArchiveError {
            // A window that needs too much memory is no damage.
            if error.reason.lowercased().contains("memory") { throw Stop.bound("decoding it needs too much memory") }
            throw Stop.damaged("its \(kind.name) data is broken or cut (\(error.reason))")
        }
    }
}

/// A file could not be read, or its test was cancelled.
package struct ContainerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// errno; 0 when the test was cancelled.
    package let code: Int32
    package let description: String
}
