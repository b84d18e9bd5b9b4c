import Archives
import TestSupport
import Testing

@Suite("What is written is read back")
struct RoundTripTests {
    @Test(arguments: everyOptions)
    func names(options: ArchiveOptions) throws {
        let scratch = try Scratch()
        let names = difficultNames.filter { options.format == .tar || !$0.contains("\\") }
        let samples = names.map { Sample(name: $0, content: Array("content of \($0)".utf8)) }
        try Archive.write(samples, to: scratch.file("a"), options)
        let back = try Archive.read(scratch.file("a"), options)
        // libarchive composes what it reads; the tools' tests look at the bytes.
        for (name, entry) in zip(names, back.map(\.entry)) { #expect(entry.name == name) }
        #expect(back.count == names.count)
        #expect(back.map(\.content) == samples.map(\.content))
        #expect(back.allSatisfy { $0.entry.kind == .file && $0.entry.modified == 1_700_000_000 })
    }

    @Test(arguments: everyOptions)
    func sizes(options: ArchiveOptions) throws {
        let scratch = try Scratch()
        let samples = [1, 511, 512, 513, 10_240, 300_000, 1_000_000, 0].map { size in
            Sample(name: "f\(size)", content: SeededBytes.bytes(size, seed: 1))
        }
        try Archive.write(samples, to: scratch.file("a"), options, chunk: 70_000)
        let back = try Archive.read(scratch.file("a"), options)
        #expect(back.map(\.content.count) == samples.map(\.content.count))
        #expect(zip(back, samples).allSatisfy { $0.content == $1.content })
        #expect(back.map(\.entry.bytes) == samples.map { Int64($0.content.count) })
    }

    @Test(arguments: everyOptions.filter { $0.format == .tar })
    func hardLinks(options: ArchiveOptions) throws {
        let scratch = try Scratch()
        let long = String(repeating: "\u{D55C}", count: 85)
        let samples = [
            Sample(name: long, content: [1, 2, 3]), Sample(name: "second", content: [], linkTo: long),
            Sample(name: "third", content: [4]),
        ]
        try Archive.write(samples, to: scratch.file("a"), options)
        let back = try Archive.read(scratch.file("a"), options)
        #expect(back.map(\.entry.kind) == [.file, .hardLink(to: long), .file])
        #expect(back.map(\.content) == [[1, 2, 3], [], [4]])
    }

    @Test(arguments: [-5_000_000_000, -1, 0, 1 << 31, 1 << 33, 1 << 35] as [Int64])
    func timesInTar(seconds: Int64) throws {
        let scratch = try Scratch()
        let sample = Sample(name: "a", content: [], modified: seconds)
        try Archive.write([sample], to: scratch.file("a"), ArchiveOptions(format: .tar))
        #expect(try Archive.read(scratch.file("a")).map(\.entry.modified) == [seconds])
    }

    @Test(
        arguments: [
            (-1, ZipTime.first), (0, ZipTime.first), (1_700_000_001, 1_700_000_001), (1 << 32, ZipTime.last),
            (.max, ZipTime.last),
        ] as [(Int64, Int64)])
    func timesInZip(seconds: Int64, expected: Int64) throws {
        let scratch = try Scratch()
        let sample = Sample(name: "a", content: [], modified: ZipTime.clamped(seconds))
        try Archive.write([sample], to: scratch.file("a"), ArchiveOptions(format: .zip))
        #expect(try Archive.read(scratch.file("a")).map(\.entry.modified) == [expected])
    }

    @Test func storedEntriesAreNotCompressed() throws {
        let scratch = try Scratch()
        let content = [UInt8](repeating: 65, count: 100_000)
        let options = ArchiveOptions(format: .zip)
        let stored = try Archive.write(
            [Sample(name: "a", content: content, stored: true)], to: scratch.file("a"), options)
        let deflated = try Archive.write([Sample(name: "a", content: content)], to: scratch.file("b"), options)
        #expect(stored.count > 100_000)
        #expect(deflated.count < 2000)
        #expect(try Archive.read(scratch.file("a"), options).map(\.content) == [content])
    }

    @Test func encryptedContentNeedsThePassphrase() throws {
        let scratch = try Scratch()
        let content = Array("nobody may read this".utf8)
        var options = ArchiveOptions(format: .zip, passphrase: "p\u{E4}ss")
        let bytes = try Archive.write([Sample(name: "a", content: content)], to: scratch.file("a"), options)
        #expect(!bytes.contains(content))
        #expect(try Archive.read(scratch.file("a"), options).map(\.content) == [content])
        for wrong in ["other", nil] {
            options.passphrase = wrong
            #expect(throws: ArchiveError.self) { try Archive.read(scratch.file("a"), options) }
        }
    }

    @Test func onlyAZipIsEncrypted() throws {
        let scratch = try Scratch()
        #expect(throws: ArchiveError.self) {
            try Archive.write([], to: scratch.file("a"), ArchiveOptions(format: .sevenZip, passphrase: "x"))
        }
    }
}
