import Archives
import Foundation
import TestSupport
import Testing

@Suite("Failures of archives")
struct FailureTests {
    private func writer(_ path: String, _ options: ArchiveOptions = ArchiveOptions(format: .tar)) throws
        -> (ArchiveWriter, Int32)
    {
        let descriptor = open(path, O_RDWR | O_CREAT, 0o644)
        return (try ArchiveWriter(descriptor: descriptor, options: options), descriptor)
    }

    @Test(arguments: everyOptions)
    func aFullDiskIsTold(options: ArchiveOptions) throws {
        let (writer, descriptor) = try writer("/dev/full", options)
        defer { close(descriptor) }
        let content = SeededBytes.bytes(1_000_000, seed: 9)
        let error = try #require(throws: ArchiveError.self) {
            try writer.beginFile("a", bytes: 1_000_000, modified: 0)
            try content.withUnsafeBytes { try writer.write($0) }
            try writer.endFile()
            try writer.finish()
        }
        #expect(error.code == ENOSPC)
        #expect(error.description.hasSuffix("No space left on device"))
    }

    @Test(arguments: everyOptions)
    func contentOfAnotherSizeIsRefused(options: ArchiveOptions) throws {
        let scratch = try Scratch()
        let (writer, descriptor) = try writer(scratch.file("a"), options)
        defer { close(descriptor) }
        try writer.beginFile("short", bytes: 3, modified: 0)
        try [1, 2].withUnsafeBytes { try writer.write(UnsafeRawBufferPointer(rebasing: $0[..<2])) }
        #expect(throws: ArchiveError.self) { try writer.endFile() }
        #expect(throws: ArchiveError.self) { try writer.finish() }
        #expect(throws: ArchiveError.self) {
            try [1, 2].withUnsafeBytes { try writer.write(UnsafeRawBufferPointer(rebasing: $0[..<2])) }
        }
    }

    @Test(arguments: everyOptions)
    func anUnfinishedArchiveDoesNotLookWhole(options: ArchiveOptions) throws {
        let scratch = try Scratch()
        do {
            let (writer, descriptor) = try writer(scratch.file("a"), options)
            defer { close(descriptor) }
            try writer.beginFile("a", bytes: 4, modified: 0)
            try [UInt8](repeating: 7, count: 4).withUnsafeBytes { try writer.write($0) }
            try writer.endFile()
        }
        // What libarchive had buffered is dropped: not one block reached the file.
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.file("a"))).isEmpty)
    }

    @Test func aWrongLevelIsAnError() throws {
        let scratch = try Scratch()
        #expect(throws: ArchiveError.self) {
            _ = try writer(scratch.file("a"), ArchiveOptions(format: .tar, filter: .gzip, level: 77))
        }
    }

    @Test func aZipHasNoHardLinks() throws {
        let scratch = try Scratch()
        let (writer, descriptor) = try writer(scratch.file("a"), ArchiveOptions(format: .zip))
        defer { close(descriptor) }
        #expect(throws: ArchiveError.self) { try writer.addHardLink("b", to: "a", modified: 0) }
    }

    @Test(arguments: everyOptions)
    func aDamagedArchiveIsNotReadToItsEnd(options: ArchiveOptions) throws {
        let scratch = try Scratch()
        let samples = (0..<20).map { Sample(name: "n\($0)", content: Array(repeating: UInt8($0), count: 9000)) }
        let bytes = try Archive.write(samples, to: scratch.file("a"), options)
        for cut in [bytes.count / 3, bytes.count / 2] {
            try Data(bytes[..<cut]).write(to: URL(fileURLWithPath: scratch.file("b")))
            let names = try? Archive.read(scratch.file("b"), options).map(\.entry.name)
            #expect(names?.count != samples.count)
        }
    }

    @Test func whatIsNoArchiveIsAnError() throws {
        let scratch = try Scratch()
        try Data("<html>not found</html>".utf8).write(to: URL(fileURLWithPath: scratch.file("a")))
        #expect(throws: ArchiveError.self) { try Archive.read(scratch.file("a")) }
    }
}
