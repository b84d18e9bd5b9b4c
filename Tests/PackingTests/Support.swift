import Digests
import Files
import Foundation
import Lanes
import Model
import Synchronization

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
        packer = Packer(source: objects, target: bundles, folder: "bundles/job", lane: try Lane("test-pack"))
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
        _ items: [PackItem], _ format: BundleFormat, name: String? = nil, batch: Int = 100, threads: Int = 1
    ) async throws -> PackedBundle {
        var rules = PackRules(id: "1", format: format)
        rules.threads = threads
        if format == .tarXz { rules.level = 1 }
        let outcome = try await packer.pack(
            name ?? "b.\(format.rawValue)", rules: rules, next: batches(items, of: batch))
        guard case .packed(let bundle) = outcome else { throw Failure(.io, "nothing was packed") }
        return bundle
    }

    func bundle(_ name: String) throws -> [UInt8] { try bundles.open(name).readAll(limit: 1 << 30) }
}

/// Items in pieces, as a catalog gives them.
func batches(_ items: [PackItem], of size: Int) -> Packer.Batches {
    let position = Atomic(0)
    let next: @Sendable () -> [PackItem] = {
        let start = min(position.add(size, ordering: .relaxed).oldValue, items.count)
        return Array(items[start..<min(start + size, items.count)])
    }
    return { next() }
}

/// A program of the machine; looked for in PATH.
enum Tool {
    static func path(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    static func has(_ name: String) -> Bool { path(name) != nil }

    /// What the program printed; nil when it failed.
    static func output(_ name: String, _ arguments: [String], in folder: String) throws -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path(name) ?? name)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "LC_ALL": "C.UTF-8", "TZ": "UTC",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}
