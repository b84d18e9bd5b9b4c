import Archives
import Digests
import Files
import Model
import Testing

@testable import Packing

@Suite("Reading a bundle back")
struct BundleCheckTests {
    struct Entry {
        var name: String
        var content = "content"
        var linkTo: String?
    }

    static let promised = ["a", "b", "c"]

    /// Writes entries as they are given and checks them against a list that promises three files of "content".
    private func check(_ entries: [Entry], cut: Bool = false) throws {
        let depot = try Depot()
        let content = Array("content".utf8)
        let digest = try SHA256.digest(of: content)
        let log = try EntryLog(in: depot.bundles, for: "b")
        for name in Self.promised { try log.append(ChecksumLine(digest: digest, name: name)) }
        log.append(tag: ChecksumLine(digest: digest + digest + digest, name: "SHA256SUMS"))
        log.close()
        let file = try DraftFile("b", in: depot.bundles)
        let archive = try ArchiveWriter(descriptor: file.descriptor.number, options: ArchiveOptions(format: .tar))
        for entry in entries + [Entry(name: "SHA256SUMS")] {
            if let target = entry.linkTo {
                try archive.addHardLink(entry.name, to: target, modified: 0)
                continue
            }
            let bytes = Array(entry.content.utf8)
            try archive.beginFile(entry.name, bytes: Int64(bytes.count), modified: 0)
            try bytes.withUnsafeBytes { try archive.write($0) }
            try archive.endFile()
        }
        if !cut { try archive.finish() }
        try file.descriptor.seek(to: 0)
        try BundleCheck(log: log, prefix: "").run(ArchiveReader(descriptor: file.descriptor.number))
    }

    @Test func whatWasPromisedIsAccepted() throws {
        try check([Entry(name: "a"), Entry(name: "b"), Entry(name: "c")])
        try check([Entry(name: "a"), Entry(name: "b", linkTo: "a"), Entry(name: "c", linkTo: "a")])
    }

    @Test func otherwiseTheBundleIsDamaged() {
        let wrong: [[Entry]] = [
            [Entry(name: "a"), Entry(name: "b")],
            [Entry(name: "a"), Entry(name: "b"), Entry(name: "c"), Entry(name: "d")],
            [Entry(name: "a"), Entry(name: "c"), Entry(name: "b")],
            [Entry(name: "a"), Entry(name: "b"), Entry(name: "c", linkTo: "b")],
            [],
        ]
        for entries in wrong {
            let failure = #expect(throws: Failure.self) { try check(entries) }
            #expect(failure?.code == .damaged, "\(entries.map(\.name))")
        }
    }

    @Test func contentThatTheCatalogHasOtherwiseIsTold() {
        for content in ["contenT", ""] {
            let failure = #expect(throws: Failure.self) {
                try check([Entry(name: "a"), Entry(name: "b", content: content), Entry(name: "c")])
            }
            #expect(failure?.code == .checksum)
            #expect(failure?.message.contains("\"b\"") == true)
        }
    }

    @Test func anArchiveCutShortIsRefused() {
        #expect(throws: (any Error).self) {
            try check([Entry(name: "a"), Entry(name: "b"), Entry(name: "c")], cut: true)
        }
    }
}
