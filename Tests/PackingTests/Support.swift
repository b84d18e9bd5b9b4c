import Digests
import Files
import Foundation
import Model

@testable import Packing

/// A root with objects and a folder for bundles; goes when the test does.
final class Depot: Sendable {
    let path: String
    let objects: Directory
    let bundles: Directory
    let packer: Packer

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("nightjar-\(UUID().uuidString)").path
        objects = try Directory("\(path)/objects", create: true)
        bundles = try Directory("\(path)/bundles/job", create: true)
        packer = try Packer(source: objects, target: bundles, folder: "bundles/job")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Stores content and gives the item that packs it.
    func item(_ name: String, _ content: [UInt8], modified: Int64 = 1_700_000_000) throws -> PackItem {
        let sha256 = try SHA256.digest(of: content)
        let object = hex(sha256)
        if try objects.status(object) == nil { try objects.create(object).write(content) }
        return PackItem(name: name, object: object, bytes: Int64(content.count), sha256: sha256, modified: modified)
    }

    func item(_ name: String, _ text: String, modified: Int64 = 1_700_000_000) throws -> PackItem {
        try item(name, Array(text.utf8), modified: modified)
    }

    func pack(
        _ items: [PackItem], _ format: BundleFormat, name: String? = nil, batch: Int = 100, threads: Int = 1,
        _ change: (inout PackRules) -> Void = { _ in }
    ) async throws -> (record: BundleRecord, items: Int, warnings: [RunWarning]) {
        let packed = try await packAll(items, format, name: name, batch: batch, threads: threads, change)
        guard packed.bundles.count == 1 else { throw Failure(.io, "there are \(packed.bundles.count) volumes") }
        return (packed.bundles[0].record, packed.items, packed.warnings)
    }

    /// Packs into as many volumes as the rules make of it.
    func packAll(
        _ items: [PackItem], _ format: BundleFormat, name: String? = nil, batch: Int = 100, threads: Int = 1,
        secrets: PackSecrets = PackSecrets(), ledger: any PackLedger = NoLedger(),
        _ change: (inout PackRules) -> Void = { _ in }
    ) async throws -> PackedBundles {
        var rules = PackRules(id: "1", format: format)
        rules.threads = threads
        if format == .tarXz || format == .sevenZip { rules.level = 1 }
        change(&rules)
        let outcome = try await packer.pack(
            name ?? "b.\(format.rawValue)", job: "job", rules: rules, secrets: secrets,
            from: Items(items, batch: batch), ledger: ledger)
        guard case .packed(let packed) = outcome else { throw Failure(.io, "nothing was packed") }
        return packed
    }

    func size(_ name: String) -> Int64? { try? bundles.status(name)?.bytes }

    func bundle(_ name: String) throws -> [UInt8] { try bundles.open(name).readAll(limit: 1 << 30) }
}

/// Items in pieces, as a catalog gives them.
actor Items: PackSource {
    private let items: [PackItem]
    private let batch: Int
    private var position = 0

    init(_ items: [PackItem], batch: Int = 100) {
        self.items = items
        self.batch = batch
    }

    func next() -> [PackItem] {
        let start = min(position, items.count)
        position = start + batch
        return Array(items[start..<min(position, items.count)])
    }

    func restart() { position = 0 }
}

/// Forgets what it is told.
struct NoLedger: PackLedger {
    func announce(_ bundles: [WrittenBundle]) {}
    func add(_ files: [(name: String, sha256: [UInt8])], to bundle: Int) {}
    func commit() {}
}

/// `list` without the two lists that every bundle holds.
let lists = ["MANIFEST.json", "SHA256SUMS"]
