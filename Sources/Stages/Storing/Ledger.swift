import Files
import Lanes
import Database
package import Model

/// A file of a job as a bundle takes it.
package struct NamedFile: Sendable, Hashable {
    package let name: String
    package let content: StoredContent
    /// Seconds since 1970, from the resource.
    package let modified: Double
    package let url: String
    package let contentType: String?
}

/// What went out in which bundle, so that it goes out once.
extension Catalog {
    /// The job's files after a name, in the byte order of names.
    /// - Parameters:
    ///   - pack: leaves out what an earlier bundle of that pack holds, or of any (`*`) where a catalog that was made
    ///     again does not know which; nil takes all.
    ///   - isNewest: leaves out what came before the job's newest run. What has lost its content is left out always.
    package func files(
        of job: String, notIn pack: String?, isNewest: Bool = false, after name: String, limit: Int
    ) throws -> [NamedFile] {
        try database.rows(
            """
            SELECT names.name, names.sha256, names.bytes, names.modified, urls.url, names.content_type
            FROM names JOIN urls ON urls.id = names.url
            WHERE names.name > ?2 AND \(Self.chosen) ORDER BY names.name LIMIT ?5
            """,
            [
                .integer(try self.job(job)), .text(name), .optional(pack), .integer(isNewest ? 1 : 0), .integer(limit),
            ]
        ) { row in
            NamedFile(
                name: row.text(0), content: StoredContent(sha256: row.blob(1), bytes: row.integer(2)),
                modified: row.real(3), url: row.text(4), contentType: row.optionalText(5))
        }
    }

    /// Bytes of all that ``files(of:notIn:isNewest:after:limit:)`` gives.
    package func bytes(of job: String, notIn pack: String?, isNewest: Bool) throws -> Int64 {
        try database.first(
            "SELECT coalesce(sum(names.bytes), 0) FROM names WHERE ?2 IS NULL AND \(Self.chosen)",
            [.integer(try self.job(job)), .null, .optional(pack), .integer(isNewest ? 1 : 0)]
        ) { $0.integer(0) } ?? 0
    }

    private static let chosen: StaticString = """
        names.job = ?1 AND (?3 IS NULL OR NOT EXISTS (
            SELECT 1 FROM packed WHERE packed.job = names.job AND packed.pack IN (?3, '*')
                AND packed.name = names.name AND packed.sha256 = names.sha256))
        AND (?4 = 0 OR names.run = (SELECT max(number) FROM runs WHERE job = ?1))
        AND typeof(names.name) = 'text' AND EXISTS (SELECT 1 FROM objects WHERE objects.sha256 = names.sha256)
        """

    /// Files of a job whose content is lost, which no pack can hold: how many, and the first of them.
    package func lostFiles(of job: String) throws -> (count: Int, first: String)? {
        let lost = try database.first(
            """
            SELECT count(*), min(name) FROM names WHERE job = ? AND NOT EXISTS (
                SELECT 1 FROM objects WHERE objects.sha256 = names.sha256)
            """, [.integer(try self.job(job))]
        ) { (count: $0.int(0), first: $0.text(1)) }
        return lost.flatMap { $0.count > 0 ? $0 : nil }
    }

    /// Says that bundles are about to get their names. What the same pack announced before is forgotten. A kill between
    /// this and ``publishAnnounced(of:targets:at:)`` is settled by whoever next has the job's lock: it looks
    /// whether the files are there.
    /// - Parameter run: nil when no run packs.
    package func announce(
        _ bundles: [WrittenBundle], pack: String, of job: String, run: RunNumber?, at seconds: Double
    ) throws -> [BundleNumber] {
        let job = try self.job(job)
        return try database.transaction {
            try withdraw("job = ?1 AND pack = ?2", [.integer(job), .text(pack)])
            return try bundles.map { bundle in
                let record = bundle.record
                try database.run(
                    """
                    INSERT INTO bundles(
                        job, pack, run, path, format, entries, bytes, sha256, companions, created, published)
                    VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0)
                    """,
                    [
                        .integer(job), .text(pack), .optional(run?.value), .text(record.path),
                        .text(record.format.rawValue), .integer(record.entries), .integer(record.bytes),
                        .text(record.sha256), .text(bundle.companions.joined(separator: "\n")), .real(seconds),
                    ])
                return BundleNumber(value: database.lastInsertedRow)
            }
        }
    }

    /// Records some of what an announced bundle holds.
    package func add(_ files: [(name: String, sha256: [UInt8])], to bundle: BundleNumber) throws {
        try database.transaction {
            for file in files {
                try database.run(
                    """
                    INSERT INTO packed(job, pack, name, sha256, bundle)
                    SELECT job, pack, ?2, ?3, id FROM bundles WHERE id = ?1 ON CONFLICT DO NOTHING
                    """, [.integer(bundle.value), .text(file.name), .blob(file.sha256)])
            }
        }
    }

    /// The announced bundles of a job have their names; from now on each is owed to every target. Where there is no
    /// target, to be written is all there is to do.
    package func publishAnnounced(of job: String, targets: [String] = [], at seconds: Double = 0) throws {
        let job = try self.job(job)
        try durably {
            for target in targets {
                try database.run(
                    """
                    INSERT INTO handoffs(bundle, target, status, changed)
                    SELECT id, ?2, 'pending', ?3 FROM bundles WHERE job = ?1 AND published = 0 ON CONFLICT DO NOTHING
                    """, [.integer(job), .text(target), .real(seconds)])
            }
            try database.run(
                """
                UPDATE bundles SET published = 1, handed_off = iif(?2, created, NULL) WHERE job = ?1 AND published = 0
                """, [.integer(job), .integer(targets.isEmpty ? 1 : 0)])
        }
    }

    /// What ``announce(_:pack:of:run:at:)`` and ``add(_:to:)`` said is durable when this returns.
    package func commitAnnounced(of job: String) throws {
        let job = try self.job(job)
        try durably {
            try database.run("UPDATE bundles SET published = 0 WHERE job = ? AND published = 0", [.integer(job)])
        }
    }

    /// The announced bundles of a job did not get their names: what they were to hold is new again.
    package func withdrawAnnounced(of job: String) throws {
        let job = try self.job(job)
        try database.transaction { try withdraw("job = ?1", [.integer(job)]) }
    }

    private func withdraw(_ condition: StaticString, _ values: [Value]) throws {
        try database.run(
            "DELETE FROM packed WHERE bundle IN (SELECT id FROM bundles WHERE published = 0 AND \(condition))", values)
        try database.run("DELETE FROM bundles WHERE published = 0 AND \(condition)", values)
    }

    /// Where a job's announced bundles are to lie, below the root, with their lengths and what lies beside them.
    func announced(of job: String) throws -> [(path: String, bytes: Int64, companions: [String])] {
        try database.rows(
            "SELECT path, bytes, companions FROM bundles WHERE job = ? AND published = 0",
            [.integer(try self.job(job))]
        ) { row in (row.text(0), row.integer(1), row.text(2).split(separator: "\n").map(String.init)) }
    }
}

/// A bundle's row in the catalog.
package struct BundleNumber: Sendable, Hashable {
    let value: Int64
}

extension Store {
    /// Settles bundles that a killed run announced: they count as written when all of them lie there whole; else those
    /// that do are removed, since nobody was told of them.
    package func settleAnnouncedBundles(
        of job: String, targets: [String] = [], at seconds: Double = 0
    ) async throws {
        let root = root
        let announced = try await catalog.announced(of: job)
        guard !announced.isEmpty else { return }
        let isWhole = try await disk.run {
            try announced.allSatisfy { try root.status($0.path)?.bytes == $0.bytes }
        }
        if isWhole {
            return try await catalog.publishAnnounced(of: job, targets: targets, at: seconds)
        }
        try await disk.run {
            for bundle in announced where try root.status(bundle.path)?.bytes == bundle.bytes {
                let (folder, _) = Placer.split(bundle.path)
                for name in bundle.companions { try root.removeBelow("\(folder)/\(name)") }
                try root.removeBelow(bundle.path)
            }
        }
        try await catalog.withdrawAnnounced(of: job)
    }
}

extension Directory {
    fileprivate func removeBelow(_ path: String) throws(SystemError) {
        let (folder, name) = Placer.split(path)
        try directory(folder).remove(name)
    }
}
