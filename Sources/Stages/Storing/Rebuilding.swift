import Database
import Digests
package import Files
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
    /// Sets a damaged catalog aside, as `catalog.sqlite.damaged-<stamp>`; nothing happens where there is none.
    package static func setAsideCatalog(in root: Directory, stamp: String) throws(SystemError) {
        for suffix in ["", "-wal", "-shm"] where try root.status("catalog.sqlite\(suffix)") != nil {
            try root.rename("catalog.sqlite\(suffix)", to: root, "catalog.sqlite.damaged-\(stamp)\(suffix)")
        }
        try root.synchronize()
    }

    /// True when there is a catalog in which SQLite finds nothing wrong.
    package static func hasSoundCatalog(_ path: String) async -> Bool {
        guard let store = try? await openExisting(path) else { return false }
        return (try? await store.catalog.faults(isDeep: true))?.isEmpty ?? false
    }

    /// Records every object that lies below `objects/`.
    /// - Returns: how many.
    package func recordObjects() async throws -> Int {
        var count = 0
        for shelf in UInt8.min...UInt8.max {
            let objects = objects
            let found = try await disk.run { () -> [(content: StoredContent, modified: Double)] in
                let name = hex([shelf])
                guard try objects.status(name) != nil else { return [] }
                let folder = try objects.directory(name)
                return try folder.names().compactMap { file in
                    guard file.utf8.count == 64, let sha256 = bytes(hex: file), let status = try folder.status(file),
                        status.isRegular
                    else { return nil }
                    return (StoredContent(sha256: sha256, bytes: status.bytes), Double(status.modified))
                }
            }
            try await catalog.record(objects: found)
            count += found.count
        }
        return count
    }

    /// Records items of a told run: what is there of them.
    package func record(_ items: [ToldItem], of run: RunNumber, job: String) async throws {
        let files = files
        let present = try await disk.run {
            items.map { item -> Double? in
                guard let name = item.record.name, let content = item.content else { return nil }
                let (path, file) = Placer.split(name)
                let folder = try? files.directory(path.isEmpty ? job : "\(job)/\(path)")
                guard let status = (try? folder?.status(file)) ?? nil, status.isRegular,
                    status.bytes == content.bytes
                else { return nil }
                return Double(status.modified)
            }
        }
        try await catalog.record(Array(zip(items, present)), of: run)
    }

    /// Records a bundle of a told run. What the job's files were by then counts as packed.
    package func record(_ bundle: BundleRecord, of run: RunNumber, created: Double, at now: Double) async throws {
        let root = root
        let isThere = try await disk.run { try root.status(bundle.path) != nil }
        try await catalog.record(bundle, of: run, created: created, removed: isThere ? nil : now)
    }
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

    private func isRecorded(_ content: StoredContent) throws -> Bool {
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
        let verb = item.record.status == .unchanged ? "IGNORE" : "REPLACE"
        try database.run(
            """
            INSERT OR \(verb) INTO names(job, folded, name, url, sha256, bytes, modified, content_type, run)
            SELECT job, ?2, ?3, ?4, ?5, ?6, ?7, ?8, number FROM runs WHERE number = ?1
            """,
            [
                .integer(run.value), .text(folded), .text(name), .integer(url), .blob(content.sha256),
                .integer(content.bytes), .real(modified), .optional(item.record.contentType),
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
            ON CONFLICT DO UPDATE SET sha256 = excluded.sha256, bytes = excluded.bytes,
                final_url = coalesce(excluded.final_url, final_url), content_type = excluded.content_type,
                name = excluded.name, extension = excluded.extension, extension_source = excluded.extension_source,
                duplicate_of = excluded.duplicate_of, last_run = excluded.last_run
            """,
            [
                .integer(run.value), .integer(url), .blob(content.sha256), .integer(content.bytes),
                .optional(item.finalKey), .optional(record.contentType), .optional(isNamed ? record.name : nil),
                .optional(record.extension), .optional(record.extensionSource?.rawValue),
                .optional(record.duplicateOf),
            ])
    }

    func record(_ bundle: BundleRecord, of run: RunNumber, created: Double, removed: Double?) throws {
        let isHandedOff = bundle.handoffs.allSatisfy { $0.status == .delivered }
        try database.transaction {
            try database.run(
                """
                INSERT INTO bundles(job, pack, run, path, format, entries, bytes, sha256, created, published,
                    handed_off, removed)
                SELECT job, '*', number, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8, ?9 FROM runs WHERE number = ?1
                """,
                [
                    .integer(run.value), .text(bundle.path), .text(bundle.format.rawValue), .integer(bundle.entries),
                    .integer(bundle.bytes), .text(bundle.sha256), .real(created),
                    .optional(isHandedOff ? created : nil), .optional(removed),
                ])
            try database.run(
                """
                INSERT INTO packed(job, pack, name, sha256, bundle)
                SELECT names.job, '*', names.name, names.sha256, ?2
                FROM runs JOIN names ON names.job = runs.job WHERE runs.number = ?1 ON CONFLICT DO NOTHING
                """, [.integer(run.value), .integer(database.lastInsertedRow)])
        }
    }
}
