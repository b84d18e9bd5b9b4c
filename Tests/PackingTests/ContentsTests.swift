import Digests
import Files
import Foundation
import Model
import TestSupport
import Testing

@testable import Packing

@Suite("What a bundle tells of its content")
struct ContentsTests {
    @Test(.enabled(if: Program.isInstalled("bsdtar")))
    func theManifestTellsOfEachFile() async throws {
        let depot = try Depot()
        var item = try depot.item("\u{D55C}\"\n.pdf", "%PDF")
        item.url = "https://example.org/a?b=\"c\""
        item.contentType = "application/pdf"
        let items = [try depot.item("a", "x", modified: -1), item]
        _ = try await depot.pack(items, .tarGzip)
        _ = try await Program.output("bsdtar", ["-xf", "b.tar.gz"], in: depot.bundles.path)
        let json = try JSONSerialization.jsonObject(with: Data(depot.bundle("MANIFEST.json")))
        let root = try #require(json as? [String: Any])
        #expect(root["schema"] as? String == "nightjar.bundle/1")
        #expect(root["job"] as? String == "job" && root["pack"] as? String == "1")
        let files = try #require(root["files"] as? [[String: Any]])
        #expect(files.map { $0["name"] as? String } == items.map(\.name))
        #expect(files[1]["url"] as? String == item.url)
        #expect(files[1]["type"] as? String == "application/pdf")
        #expect(files[1]["sha256"] as? String == hex(item.sha256))
        #expect(files[1]["bytes"] as? Int == 4)
        #expect(files[1]["modified"] as? String == "2023-11-14T22:13:20Z")
        #expect(files[0]["modified"] as? String == "1969-12-31T23:59:59Z")
        #expect(files[0]["type"] is NSNull)
    }

    @Test func globsDecideWhatGoesIn() async throws {
        let depot = try Depot()
        let items = try ["a.pdf", "b.txt", "x/c.pdf", "x/draft.pdf"].map { try depot.item($0, $0) }
        let bundle = try await depot.pack(items, .tar) { rules in
            rules.include = ["*.pdf"]
            rules.exclude = ["draft*"]
        }
        #expect(bundle.items == 2)
        var rules = PackRules(id: "1", format: .tar)
        rules.include = ["*.doc"]
        let outcome = try await depot.packer.pack(
            "c.tar", job: "job", rules: rules, from: Items(items), ledger: NoLedger())
        #expect(outcome == .nothingToPack)
    }
}

/// Python with what `scripts/deps` put beside the build.
enum Python {
    static let path =
        #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/.build/python/bin/python3"
    static let isThere = FileManager.default.isExecutableFile(atPath: path)

    /// What is wrong with a bag, in the words of Python's bagit; nil when it is valid.
    static func complaint(of bag: String) async throws -> String? {
        let outcome = try await Program(path: path, ["-m", "bagit", "--validate", bag]).run()
        return outcome.ending == .exited(0) ? nil : outcome.errorText
    }
}

@Suite("Bags", .enabled(if: Python.isThere))
struct BagTests {
    private func items(_ depot: Depot) throws -> [PackItem] {
        try [
            depot.item("100%.txt", "percent"), depot.item("a\nb", "line"), depot.item("back", "same"),
            depot.item("deep/er/c", SeededBytes.bytes(300_000, seed: 1)), depot.item("empty", ""),
            depot.item("same", "same"), depot.item("\u{BCF4}\u{ACE0}.pdf", "%PDF", modified: 1_700_100_000),
        ]
    }

    @Test(arguments: [BundleFormat.tarZstd, .zip, .sevenZip])
    func areValid(format: BundleFormat) async throws {
        let depot = try Depot()
        let bundle = try await depot.pack(items(depot), format) { rules in
            rules.bag = BagRules()
            rules.bag?.info = [("Source-Organization", "\u{D55C} Library"), ("Bag-Software-Agent", "mine")]
        }
        #expect(bundle.record.entries == 7 + 8)
        let folder = depot.bundles.path
        let unpack = format == .sevenZip ? ("7z", ["x", "-bd", "b.7z"]) : ("bsdtar", ["-xf", "b.\(format.rawValue)"])
        #expect(try await Program.output(unpack.0, unpack.1, in: folder) != nil)
        #expect(try await Python.complaint(of: "\(folder)/job-1") == nil)
        let info = try String(
            decoding: depot.bundles.directory("job-1").open("bag-info.txt").readAll(limit: 9999), as: UTF8.self)
        #expect(
            info == """
                Source-Organization: \u{D55C} Library
                Bag-Software-Agent: mine
                Bagging-Date: 2023-11-16
                Payload-Oxum: 300023.7

                """)
        #expect(try await Program.output("sha256sum", ["--strict", "-c", "SHA256SUMS"], in: "\(folder)/job-1") != nil)
        // A bag that lost a byte is none, or the check above could not fail.
        try Data("X".utf8).write(to: URL(fileURLWithPath: "\(folder)/job-1/data/back"))
        #expect(try await Python.complaint(of: "\(folder)/job-1") != nil)
    }

    @Test func volumesAreBagsOfAGroup() async throws {
        let depot = try Depot()
        let items = try (0..<12).map { try depot.item("n\(10 + $0)", SeededBytes.bytes(100_000, seed: $0)) }
        let packed = try await depot.packAll(items, .tar) { rules in
            rules.bag = BagRules()
            rules.split = 500_000
        }
        #expect(packed.bundles.count == 3)
        #expect(packed.bundles.allSatisfy { $0.record.bytes <= 500_000 })
        for (number, bundle) in packed.bundles.enumerated() {
            _ = try await Program.output("bsdtar", ["-xf", bundle.name], in: depot.bundles.path)
            let folder = "job-1-00\(number + 1)"
            #expect(try await Python.complaint(of: "\(depot.bundles.path)/\(folder)") == nil)
            let info = try depot.bundles.directory(folder).open("bag-info.txt").readAll(limit: 9999)
            let text = String(decoding: info, as: UTF8.self)
            #expect(text.contains("Bag-Group-Identifier: job-1\nBag-Count: \(number + 1) of 3\n"))
        }
    }

    @Test func namesThatAManifestCannotSayAreRefused() async throws {
        let depot = try Depot()
        let item = try depot.item("a%0Ab", "x")
        let failure = try await #require(throws: Failure.self) {
            try await depot.pack([item], .tar) { $0.bag = BagRules() }
        }
        #expect(failure.message.contains("a%0Ab"))
    }
}
