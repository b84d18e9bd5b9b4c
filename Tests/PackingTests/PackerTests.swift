import Digests
import Files
import Foundation
import Model
import TestSupport
import Testing

@testable import Packing

@Suite("Packing")
struct PackerTests {
    @Test(
        .enabled(if: Program.isInstalled("bsdtar") && Program.isInstalled("sha256sum")),
        arguments: BundleFormat.allCases)
    func aBundleIsWhatWasPutIn(format: BundleFormat) async throws {
        let depot = try Depot()
        let items = try [
            depot.item("\u{1F426} empty", ""), depot.item("a.txt", "same"), depot.item("b/deep/b.txt", "same"),
            depot.item("noise.jpg", SeededBytes.bytes(700_000, seed: 1)),
            depot.item("\u{BCF4}\u{ACE0}\u{C11C}.pdf", "%PDF"),
        ].sorted { precedes($0.name, $1.name) }
        let bundle = try await depot.pack(items, format, batch: 2)
        #expect(bundle.items == 5)
        #expect(bundle.record.entries == 7)
        #expect(bundle.record.path == "bundles/job/b.\(format.rawValue)")
        let bytes = try depot.bundle("b.\(format.rawValue)")
        #expect(bundle.record.bytes == Int64(bytes.count))
        #expect(bundle.record.sha256 == hex(try SHA256.digest(of: bytes)))
        #expect(Set(try depot.bundles.names()) == ["b.\(format.rawValue)", "b.\(format.rawValue).sha256"])

        let folder = depot.bundles.path
        let listing = try await Program.output("bsdtar", ["-tf", "b.\(format.rawValue)"], in: folder)
        var expected = items.map(\.name) + lists
        // 7z lists what is empty after all others.
        if format == .sevenZip { expected = expected.filter { !$0.contains("empty") } + ["\u{1F426} empty"] }
        #expect(listing?.split(separator: "\n").map(String.init) == expected)
        #expect(
            try await Program.output("sha256sum", ["--strict", "-c", "b.\(format.rawValue).sha256"], in: folder) != nil)
        #expect(try await Program.output("bsdtar", ["-xf", "b.\(format.rawValue)"], in: folder) != nil)
        #expect(try await Program.output("sha256sum", ["--strict", "-c", "SHA256SUMS"], in: folder) != nil)
    }

    @Test(.enabled(if: Program.isInstalled("bsdtar")), arguments: BundleFormat.allCases)
    func duplicatesAreStoredOnceInTar(format: BundleFormat) async throws {
        let depot = try Depot()
        let content = SeededBytes.bytes(100_000, seed: 2)
        let items = try ["a", "b", "c"].map { try depot.item($0, content) }
        let bundle = try await depot.pack(items, format)
        #expect(bundle.record.bytes > (format == .zip ? 300_000 : 100_000))
        // 7z has no links, and finds the repetition in its window.
        #expect(bundle.record.bytes < (format == .zip ? 310_000 : 120_000))
        let listing = try await Program.output("bsdtar", ["-tvf", "b.\(format.rawValue)"], in: depot.bundles.path)
        #expect(
            listing?.split(separator: "\n").count { $0.contains(" link to a") }
                == ([.zip, .sevenZip].contains(format) ? 0 : 2))
    }

    @Test(arguments: BundleFormat.allCases)
    func theSameContentGivesTheSameBytes(format: BundleFormat) async throws {
        let depot = try Depot()
        let items = try (0..<30).map {
            try depot.item("n\($0 + 10)", SeededBytes.bytes($0 * 5000, seed: $0 % 20))
        }
        let first = try await depot.pack(items, format, batch: 7)
        try await Task.sleep(for: .seconds(2.1))
        let second = try await depot.pack(items, format, batch: 100, threads: 3)
        #expect(second.record.path.contains("b-2."))
        #expect(first.record.sha256 == second.record.sha256)
    }

    @Test func nothingGivesNoBundle() async throws {
        let depot = try Depot()
        let rules = PackRules(id: "1", format: .tar)
        let outcome = try await depot.packer.pack(
            "b.tar", job: "job", rules: rules, from: Items([]), ledger: NoLedger())
        #expect(outcome == .nothingToPack)
        #expect(try depot.bundles.names().isEmpty)
    }

    @Test func aNameThatIsTakenIsNotOverwritten() async throws {
        let depot = try Depot()
        let items = [try depot.item("a", "one")]
        symlink("/nonexistent", "\(depot.bundles.path)/b-2.zip")
        var paths: [String] = []
        for _ in 0..<3 { paths.append(try await depot.pack(items, .zip).record.path) }
        #expect(paths == ["bundles/job/b.zip", "bundles/job/b-3.zip", "bundles/job/b-4.zip"])
        let beside = try depot.bundle("b-4.zip.sha256")
        #expect(String(decoding: beside, as: UTF8.self).hasSuffix("  b-4.zip\n"))
    }

    @Test func aListOfDigestsAmongTheContentKeepsItsName() async throws {
        let depot = try Depot()
        let bundle = try await depot.pack([depot.item("SHA256SUMS", "theirs"), depot.item("a", "x")], .tar)
        #expect(bundle.warnings.map(\.code) == ["sums-renamed"])
        #expect(bundle.record.entries == 4)
    }

    @Test(.enabled(if: Program.isInstalled("bsdtar")), arguments: BundleFormat.allCases)
    func timesThatAFormatCannotHoldAreNotWrapped(format: BundleFormat) async throws {
        let depot = try Depot()
        let times: [Int64] = [.min, -1 << 40, -1, 0, 315_532_799, 4_354_819_200, 1 << 33, 1 << 40, .max]
        let items = try times.enumerated().map { try depot.item("n\($0)", "\($0)", modified: $1) }
        let bundle = try await depot.pack(items, format)
        #expect(bundle.record.entries == times.count + 2)
        let clamps = format == .zip || format == .sevenZip
        #expect(bundle.warnings.count == (clamps ? 1 : 0), "\(bundle.warnings)")
        let script = "import zipfile; print(*[i.date_time[0] for i in zipfile.ZipFile('b.zip').infolist()][:9])"
        guard format == .zip, Program.isInstalled("python3") else { return }
        #expect(
            try await Program.output("python3", ["-c", script], in: depot.bundles.path)
                == "1980 1980 1980 1980 1980 2106 2106 2106 2106\n")
    }

    @Test(.enabled(if: Program.isInstalled("python3")))
    func namesOfAZipAreMarkedAsUTF8() async throws {
        let depot = try Depot()
        let names = ["ascii", "\u{D55C}.pdf", String(repeating: "\u{D55C}", count: 100)]
        _ = try await depot.pack(try names.map { try depot.item($0, $0) }, .zip)
        let script = """
            import zipfile
            for i in zipfile.ZipFile('b.zip').infolist()[:3]: print(i.filename, i.flag_bits >> 11 & 1 | i.filename.isascii())
            """
        #expect(
            try await Program.output("python3", ["-X", "utf8", "-c", script], in: depot.bundles.path)
                == names.map { "\($0) 1\n" }.joined())
    }

    @Test(.enabled(if: Program.isInstalled("unzip")))
    func moreEntriesThanAnOldZipHolds() async throws {
        let depot = try Depot()
        let contents = try (0..<50).map { try depot.item("", "content \($0)") }
        let items = (0..<65_600).map { number in
            var item = contents[number % 50]
            item.name = "n\(100_000 + number)"
            return item
        }
        let bundle = try await depot.pack(items, .zip, batch: 5000)
        #expect(bundle.record.entries == 65_602)
        #expect(try await Program.output("unzip", ["-tqq", "b.zip"], in: depot.bundles.path) != nil)
        guard Program.isInstalled("python3") else { return }
        let count = "import zipfile; print(len(zipfile.ZipFile('b.zip').namelist()))"
        #expect(try await Program.output("python3", ["-c", count], in: depot.bundles.path) == "65602\n")
    }

    @Test func leftoversOfAKilledRunGo() throws {
        let depot = try Depot()
        for name in [
            ".b.tar.part", ".b.tar.sha256.7.tmp", "a.tar", "a.tar.sha256", "b.tar.sha256", "b.tar.sig", "c.index.json",
            "d.index.json", "d.vol002.tar", "notes.txt",
        ] {
            _ = try depot.bundles.create(name)
        }
        let removed = try Packer.removeLeftovers(in: depot.bundles)
        #expect(removed == [".b.tar.part", ".b.tar.sha256.7.tmp", "b.tar.sha256", "b.tar.sig", "c.index.json"])
        #expect(
            try depot.bundles.names().sorted() == [
                "a.tar", "a.tar.sha256", "d.index.json", "d.vol002.tar", "notes.txt",
            ])
    }
}
