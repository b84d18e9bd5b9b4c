import Archives
import Digests
import Files
import Glibc
import Model

/// Reads a finished archive back as a stranger would, and holds every entry against the list of what was put in.
struct BundleCheck {
    let sums: ChecksumList
    let sumsName: String
    let sumsDigest: [UInt8]
    let chunk: Chunk

    /// - Throws: when an entry is missing, too many, elsewhere or other than it was, or the archive cannot be read.
    func run(on file: borrowing Descriptor) throws {
        guard lseek(file.number, 0, SEEK_SET) == 0 else { throw SystemError.last("rewind", file.path) }
        let archive = try ArchiveReader(descriptor: file.number)
        var lines = ChecksumLines(sums)
        var count = 0
        while let line = try lines.next() {
            try compare(line, try archive.next(), in: archive)
            count += 1
        }
        guard count == sums.count else { throw unlike("the list of digests has \(count) lines, not \(sums.count)") }
        try compare(ChecksumLine(sha256: sumsDigest, name: sumsName), try archive.next(), in: archive)
        if let more = try archive.next() { throw unlike("it has an entry \"\(more.name)\" that was not put in") }
    }

    private func compare(_ line: ChecksumLine, _ entry: ArchiveEntry?, in archive: ArchiveReader) throws {
        try checkCancellation()
        guard let entry else { throw unlike("\"\(line.name)\" and what comes after it are missing") }
        // By String's own canonical equality, since libarchive composes the names that it reads.
        guard entry.name == line.name else { throw unlike("\"\(entry.name)\" stands where \"\(line.name)\" was put") }
        switch entry.kind {
        case .hardLink(let target):
            guard let first = try sums.firstName(of: line.sha256), first == target else {
                throw unlike("\"\(line.name)\" is a second name of \"\(target)\", which is other content")
            }
        case .file:
            guard try digest(of: archive) == line.sha256 else { throw unlike("\"\(line.name)\" has other content") }
        case .directory, .other:
            throw unlike("\"\(line.name)\" is no file")
        }
    }

    private func digest(of archive: ArchiveReader) throws -> [UInt8] {
        var hash = try SHA256()
        while true {
            let count = try archive.read(into: chunk.memory)
            if count == 0 { return try hash.finish() }
            try checkCancellation()
            try hash.update(chunk.prefix(count))
        }
    }

    private func unlike(_ what: String) -> Failure {
        Failure(.damaged, "the bundle was read back and is not what was packed: \(what); it was thrown away")
    }
}
