import Database
import Digests
import Files
import Lanes
package import Model

/// An item as a report tells it, with what a catalog needs beside.
package struct ToldItem: Sendable {
    package let record: ItemRecord
    /// The URL's normal form.
    package let key: String
    package let finalKey: String?
    package let referrerKey: String?
    /// The name as file systems without case would confuse it.
    package let folded: String?

    package init(record: ItemRecord, key: String, finalKey: String?, referrerKey: String?, folded: String?) {
        self.record = record
        self.key = key
        self.finalKey = finalKey
        self.referrerKey = referrerKey
        self.folded = folded
    }

    /// Content that the item had, when the run had any of it.
    var content: StoredContent? {
        guard [.downloaded, .unchanged, .duplicate].contains(record.status), let bytes = record.bytes,
            let sha256 = record.sha256.flatMap({ Digests.bytes(hex: $0) }), sha256.count == 32
        else { return nil }
        return StoredContent(sha256: sha256, bytes: bytes)
    }
}

extension Store {
    /// What there is of a catalog below a root.
    package enum CatalogState: Sendable {
        case none
        /// SQLite, or whoever knows its tables, finds fault with it.
        case damaged
        case sound(Store)
    }

    /// - Throws: what says nothing about the catalog itself: it is a later program's, or cannot be read.
    package static func catalogState(_ path: String) async throws -> CatalogState {
        do {
            let store = try await openExisting(path)
            return try await store.catalog.faults(isDeep: true).isEmpty ? .sound(store) : .damaged
        } catch let error as StoreError {
            switch error {
            case .noStore, .lostCatalog: return .none
            case .damagedCatalog: return .damaged
            case .newerCatalog, .olderCatalog, .replacedCatalog, .unsettledCatalog: throw error
            }
        }
    }

    /// Records every object that lies below `objects/`.
    /// - Returns: how many, and what keeps some from being looked at.
    package func recordObjects() async throws -> (count: Int, problems: [String]) {
        var count = 0
        var problems: [String] = []
        for shelf in UInt8.min...UInt8.max {
            let objects = objects
            do {
                let found = try await disk.run { try Self.objects(on: shelf, of: objects) }
                try await catalog.record(objects: found)
                count += found.count
            } catch let error as SystemError {
                problems.append("\(error); what lies there is not known")
            }
        }
        return (count, problems)
    }

    private static func objects(on shelf: UInt8, of objects: Directory) throws -> [(StoredContent, Double)] {
        let name = hex([shelf])
        guard try objects.status(name) != nil else { return [] }
        let folder = try objects.directory(name)
        return try folder.names().compactMap { file in
            guard file.utf8.count == 64, file.hasPrefix(name), let sha256 = bytes(hex: file),
                let status = try folder.status(file), status.isRegular
            else { return nil }
            return (StoredContent(sha256: sha256, bytes: status.bytes), Double(status.modified))
        }
    }

    /// Records items of a told run: what is there of them. Content that has no object any more comes back from a file
    /// that has it.
    /// - Returns: how many objects came back.
    package func record(_ items: [ToldItem], of run: RunNumber, job: String) async throws -> Int {
        let (files, objects) = (files, objects)
        let unknown = try await catalog.unrecorded(items.compactMap(\.content))
        let (present, back) = try await disk.run {
            var back: [StoredContent: Double] = [:]
            let present = items.map { item -> Double? in
                guard let name = item.record.name, let content = item.content else { return nil }
                let (path, file) = Placer.split(name)
                guard let folder = try? files.directory(path.isEmpty ? job : "\(job)/\(path)"),
                    let status = (try? folder.status(file)) ?? nil, status.isRegular, status.bytes == content.bytes
                else { return nil }
                if unknown.contains(content), back[content] == nil,
                    (try? Self.bringBack(content, from: file, of: folder, to: objects)) == true
                {
                    back[content] = Double(status.modified)
                }
                return Double(status.modified)
            }
            if !back.isEmpty { try objects.synchronizeFileSystem() }
            return (present, back)
        }
        try await catalog.record(objects: back.map { ($0.key, $0.value) })
        try await catalog.record(Array(zip(items, present)), of: run)
        return back.count
    }

    /// - Returns: false when the file has other content.
    private static func bringBack(
        _ content: StoredContent, from file: String, of folder: Directory, to objects: Directory
    ) throws -> Bool {
        guard try digest(of: folder.open(file)) == content.sha256 else { return false }
        let object = ObjectName(content.sha256)
        let shelf = try objects.directory(object.folder, create: true)
        try folder.link(file, to: shelf, object.file)
        try shelf.open(object.file).setMode(0o444)
        return true
    }

    /// Records a bundle of a told run, or what became of one that an earlier run told of. What the job's files were by
    /// then counts as packed.
    package func record(
        _ bundle: BundleRecord, of run: RunNumber, created: Double, at now: Double, time: (HandoffRecord) -> Double
    ) async throws {
        let root = root
        let companions = try await disk.run { try Self.companions(of: bundle, in: root) }
        let told = ToldBundle(
            record: bundle, companions: companions ?? [], created: created, removed: companions == nil ? now : nil,
            handoffs: bundle.handoffs.map { ($0, time($0)) })
        try await catalog.record(told, of: run)
    }

    /// - Returns: names of what lies beside the bundle; nil when it is not there itself.
    private static func companions(of bundle: BundleRecord, in root: Directory) throws -> [String]? {
        let (path, file) = Placer.split(bundle.path)
        guard let folder = try? root.directory(path), let status = try? folder.status(file), status.isRegular,
            status.bytes == bundle.bytes
        else { return nil }
        var names = KnownBundle.endings.map { file + $0 }
        if let volume = file.ranges(of: ".vol").last { names.append("\(file[..<volume.lowerBound]).index.json") }
        return try names.filter { try folder.status($0)?.isRegular == true }
    }

    /// Bundles that lie there and that nobody told of.
    package func unknownBundles(of job: String) async throws -> [String] {
        let root = root
        let names = try await disk.run { () -> [String] in
            guard let folder = try? root.directory("bundles/\(job)") else { return [] }
            return try folder.names().filter { name in
                !name.hasPrefix(".") && !name.hasSuffix(".index.json")
                    && !KnownBundle.endings.contains { name.hasSuffix($0) }
            }
        }
        let known = Set(try await catalog.writtenBundles().map(\.path))
        return names.map { "bundles/\(job)/\($0)" }.filter { !known.contains($0) }.sorted()
    }
}

/// A bundle as a report tells it, with what the disk and the clock add.
struct ToldBundle {
    let record: BundleRecord
    let companions: [String]
    /// Seconds since 1970.
    let created: Double
    /// When it was found to be gone; nil while it is there.
    let removed: Double?
    /// With their times.
    let handoffs: [(record: HandoffRecord, time: Double)]
}

extension Catalog {
    func record(objects: [(content: StoredContent, modified: Double)]) throws {
        try database.transaction {
            for (content, modified) in objects {
                try database.run(
                    "INSERT INTO objects(sha256, bytes, stored) VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
                    [.blob(content.sha256), .integer(content.bytes), .real(modified)])
            }
        }
    }

    /// - Parameter items: each with the time of its file, nil when the file is not there.
    func record(_ items: [(ToldItem, Double?)], of run: RunNumber) throws {
        try database.transaction {
            for (position, (item, modified)) in items.enumerated() {
                let url = try url(item.key)
                try recordVisit(item, url, position, run)
                guard let content = item.content, try isRecorded(content) else { continue }
                if let modified { try recordName(item, content, url, modified, run) }
                try recordResource(item, content, url, isNamed: modified != nil, run)
            }
        }
    }

    func unrecorded(_ contents: [StoredContent]) throws -> Set<StoredContent> {
        Set(try contents.filter { try !isRecorded($0) })
    }

    func isRecorded(_ content: StoredContent) throws -> Bool {
        try database.first("SELECT 1 FROM objects WHERE sha256 = ?", [.blob(content.sha256)], { _ in true }) ?? false
    }

    private func recordVisit(_ item: ToldItem, _ url: Int64, _ position: Int, _ run: RunNumber) throws {
        let record = item.record
        try database.run(
            """
            INSERT INTO visits(run, url, purpose, depth, parent_order, position, referrer, status, reason, http_status,
                final_url, content_type, sha256, bytes, attempts, resumed_from, error_code, error_message, name)
            VALUES(?, ?, 1, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """,
            [
                .integer(run.value), .integer(url), .integer(position),
                .optional(try item.referrerKey.map { try self.url($0) }), .text(record.status.rawValue),
                .optional(record.reason), .optional(record.httpStatus), .optional(item.finalKey),
                .optional(record.contentType), .optional(item.content?.sha256), .optional(record.bytes),
                .integer(record.attempts), .optional(record.resumedFrom), .optional(record.error?.code.rawValue),
                .optional(record.error?.message), .optional(record.name),
            ])
    }

    private func recordName(
        _ item: ToldItem, _ content: StoredContent, _ url: Int64, _ modified: Double, _ run: RunNumber
    ) throws {
        guard let name = item.record.name, let folded = item.folded else { return }
        // An unchanged file has had its name since an earlier run.
        let isNew = item.record.status != .unchanged
        try database.run(
            """
            INSERT INTO names(job, folded, name, url, sha256, bytes, modified, content_type, run)
            SELECT job, ?2, ?3, ?4, ?5, ?6, ?7, ?8, number FROM runs WHERE number = ?1
            ON CONFLICT DO UPDATE SET name = excluded.name, url = excluded.url, sha256 = excluded.sha256,
                bytes = excluded.bytes, modified = excluded.modified, content_type = excluded.content_type,
                run = excluded.run WHERE ?9 AND excluded.run > run
            """,
            [
                .integer(run.value), .text(folded), .text(name), .integer(url), .blob(content.sha256),
                .integer(content.bytes), .real(modified), .optional(item.record.contentType),
                .integer(isNew ? 1 : 0),
            ])
    }

    private func recordResource(
        _ item: ToldItem, _ content: StoredContent, _ url: Int64, isNamed: Bool, _ run: RunNumber
    ) throws {
        let record = item.record
        try database.run(
            """
            INSERT INTO resources(job, url, sha256, bytes, final_url, content_type, name, extension, extension_source,
                duplicate_of, first_run, last_run)
            SELECT job, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, number, number FROM runs WHERE number = ?1
            ON CONFLICT DO UPDATE SET etag = iif(sha256 = excluded.sha256, etag, NULL),
                last_modified = iif(sha256 = excluded.sha256, last_modified, NULL),
                sha256 = excluded.sha256, bytes = excluded.bytes,
                final_url = coalesce(excluded.final_url, final_url), content_type = excluded.content_type,
                name = excluded.name, extension = excluded.extension, extension_source = excluded.extension_source,
                duplicate_of = excluded.duplicate_of, last_run = excluded.last_run
            WHERE excluded.last_run >= last_run
            """,
            [
                .integer(run.value), .integer(url), .blob(content.sha256), .integer(content.bytes),
                .optional(item.finalKey), .optional(record.contentType), .optional(isNamed ? record.name : nil),
                .optional(record.extension), .optional(record.extensionSource?.rawValue),
                .optional(record.duplicateOf),
            ])
    }
}
