import Files
import Model
import Packing

/// Packs the files of a folder as `nightjar pack` does, without the catalog and without what makes sure of a bundle:
/// what is left is what other packers do too.
enum PackBench {
    static func run(_ folder: String, below target: String, _ format: BundleFormat, level: Int, threads: Int)
        async throws
    {
        let source = try Directory(folder)
        var rules = PackRules(id: "1", format: format)
        rules.level = level
        rules.threads = threads
        let packer = try Packer(source: source, target: try Directory(target, create: true), folder: "")
        _ = try await packer.pack(
            "bundle.\(format.rawValue)", job: "bench", rules: rules, isProven: false,
            from: FolderItems(try items(in: source, below: "")), ledger: NoLedger())
    }

    /// Names of one file are taken for duplicates, as other packers do.
    private static func items(in folder: Directory, below path: String) throws -> [PackItem] {
        try folder.names().flatMap { name -> [PackItem] in
            guard let status = try folder.status(name) else { return [] }
            if status.isDirectory { return try items(in: folder.directory(name), below: "\(path)\(name)/") }
            let inode = withUnsafeBytes(of: status.inode.bigEndian) { Array($0) }
            return [
                PackItem(
                    name: path + name, object: path + name, bytes: status.bytes,
                    sha256: inode + [UInt8](repeating: 0, count: 24), modified: status.modified)
            ]
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}

private actor FolderItems: PackSource {
    private let items: [PackItem]
    private var position = 0

    init(_ items: [PackItem]) { self.items = items }

    func next() -> [PackItem] {
        defer { position = min(position + 500, items.count) }
        return Array(items[position..<min(position + 500, items.count)])
    }

    func restart() { position = 0 }
}

private struct NoLedger: PackLedger {
    func announce(_ bundles: [WrittenBundle]) {}
    func add(_ files: [(name: String, sha256: [UInt8])], to bundle: Int) {}
    func commit() {}
}
