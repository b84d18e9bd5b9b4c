import Files
import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Packing

/// Remembers what it is told.
final class Notebook: PackLedger {
    struct Page: Sendable {
        var bundles: [WrittenBundle] = []
        var files: [[String]] = []
        var commits = 0
    }
    private let state = Mutex(Page())
    var page: Page { state.withLock { $0 } }

    func announce(_ bundles: [WrittenBundle]) {
        state.withLock { $0 = Page(bundles: bundles, files: bundles.map { _ in [] }) }
    }

    func add(_ files: [(name: String, sha256: [UInt8])], to bundle: Int) {
        state.withLock { $0.files[bundle] += files.map(\.name) }
    }

    func commit() { state.withLock { $0.commits += 1 } }
}

@Suite("Volumes")
struct SplitTests {
    @Test(.enabled(if: Program.isInstalled("bsdtar")), arguments: BundleFormat.allCases)
    func eachIsAWholeArchiveWithinTheBound(format: BundleFormat) async throws {
        let depot = try Depot()
        let notebook = Notebook()
        let items = try (0..<20).map { try depot.item("n\(10 + $0)", SeededBytes.bytes(90_000, seed: $0)) }
        let packed = try await depot.packAll(items, format, ledger: notebook) { $0.split = 400_000 }
        #expect(packed.items == 20 && packed.warnings.isEmpty)
        #expect(packed.bundles.count == 5)
        var names: [String] = []
        for (index, bundle) in packed.bundles.enumerated() {
            #expect(bundle.name == "b.vol00\(index + 1).\(format.rawValue)")
            #expect(bundle.record.bytes <= 400_000)
            #expect(depot.size(bundle.name) == bundle.record.bytes)
            let listing = try await Program.output("bsdtar", ["-tf", bundle.name], in: depot.bundles.path)
            let entries = try #require(listing).split(separator: "\n").map(String.init)
            #expect(Array(entries.suffix(2)) == lists)
            #expect(entries.count == bundle.record.entries)
            #expect(notebook.page.files[index] == Array(entries.dropLast(2)))
            names += entries.dropLast(2)
        }
        #expect(names == items.map(\.name))
        #expect(packed.bundles.map(\.companions.count) == [1, 1, 1, 1, 2])
        let index = try JSONSerialization.jsonObject(with: Data(depot.bundle("b.index.json"))) as? [String: Any]
        let volumes = try #require(index?["volumes"] as? [[String: Any]])
        #expect(volumes.map { $0["name"] as? String } == packed.bundles.map(\.name))
        #expect(volumes.map { $0["sha256"] as? String } == packed.bundles.map(\.record.sha256))
        #expect(volumes.map { $0["files"] as? Int } == [4, 4, 4, 4, 4])
        #expect(
            try await Program.output(
                "sha256sum", ["-c"] + packed.bundles.map { "\($0.name).sha256" }, in: depot.bundles.path) != nil)
    }

    @Test func whatFitsIsOneBundle() async throws {
        let depot = try Depot()
        let packed = try await depot.packAll([depot.item("a", "x")], .zip) { $0.split = 400_000 }
        #expect(packed.bundles.map(\.name) == ["b.zip"])
        #expect(try depot.bundles.names().sorted() == ["b.zip", "b.zip.sha256"])
    }

    @Test func alargerFileGoesAloneWithAWarning() async throws {
        let depot = try Depot()
        let items = try [("a", 1000), ("b", 500_000), ("c", 1000)].map {
            try depot.item($0, SeededBytes.bytes($1, seed: $1))
        }
        let packed = try await depot.packAll(items, .tarGzip) { $0.split = 100_000 }
        #expect(packed.bundles.map(\.record.entries) == [3, 3, 3])
        #expect(packed.bundles.map { $0.record.bytes > 100_000 } == [false, true, false])
        #expect(packed.warnings.map(\.code) == ["split-oversized-2"])
        #expect(packed.warnings[0].message.contains("one file alone is larger"))
    }

    @Test func aLinkAndItsTargetAreInOneVolume() async throws {
        let depot = try Depot()
        let content = SeededBytes.bytes(90_000, seed: 1)
        let items = try (0..<40).map {
            try depot.item("n\(10 + $0)", $0 % 20 == 0 ? SeededBytes.bytes(80_000, seed: $0) : content)
        }
        let packed = try await depot.packAll(items, .tar) { $0.split = 200_000 }
        #expect(packed.bundles.count > 1)
        for (number, bundle) in packed.bundles.enumerated() {
            let out = "out\(number)"
            mkdir("\(depot.bundles.path)/\(out)", 0o755)
            #expect(try await Program.output("tar", ["-xf", bundle.name, "-C", out], in: depot.bundles.path) != nil)
        }
    }

    @Test func aTakenVolumeNumbersTheWholeSet() async throws {
        let depot = try Depot()
        let items = try (0..<6).map { try depot.item("n\($0)", SeededBytes.bytes(90_000, seed: $0)) }
        _ = try depot.bundles.create("b.vol002.tar")
        let packed = try await depot.packAll(items, .tar) { $0.split = 300_000 }
        #expect(packed.bundles.map(\.name) == ["b-2.vol001.tar", "b-2.vol002.tar"])
        #expect(
            try depot.bundles.names().sorted() == [
                "b-2.index.json", "b-2.vol001.tar", "b-2.vol001.tar.sha256", "b-2.vol002.tar", "b-2.vol002.tar.sha256",
                "b.vol002.tar",
            ])
    }

    @Test func whatCompressesWellFillsItsVolume() async throws {
        let depot = try Depot()
        let zeros = [UInt8](repeating: 7, count: 3_000_000)
        let items = try (0..<10).map { try depot.item("n\($0)", zeros + [UInt8($0)]) }
        let packed = try await depot.packAll(items, .zip) { $0.split = 6_000_000 }
        #expect(packed.bundles.count <= 2)
    }
}
