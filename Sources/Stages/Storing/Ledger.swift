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
    /// - Parameter pack: leaves out what an earlier bundle of that pack holds, or of any (`*`) where a catalog that was
    ///   made again does not know which; nil takes all.
    package func files(
        of job: String, notIn pack: String?, after name: String, limit: Int
    ) throws -> [NamedFile] {
        try database.rows(
            """
            SELECT names.name, names.sha256, names.bytes, names.modified, urls.url, names.content_type
            FROM names JOIN urls ON urls.id = names.url
            WHERE names.job = ?1 AND names.name > ?2 AND (?3 IS NULL OR NOT EXISTS (
                SELECT 1 FROM packed WHERE packed.job = names.job AND packed.pack IN (?3, '*')
                    AND packed.name = names.name AND packed.sha256 = names.sha256))
            ORDER BY names.name LIMIT ?4
            """, [.integer(try self.job(job)), .text(name), .optional(pack), .integer(limit)]
        ) { row in
            NamedFile(
                name: row.text(0), content: StoredContent(sha256: row.blob(1), bytes: row.integer(2)),
                modified: row.real(3), url: row.text(4), contentType: row.optionalText(5))
        }
    }

    /// Says that a bundle is about to get its name, and that it holds all that ``files(of:notIn:after:limit:)`` gave: no
    /// name is given while a job packs. What the same pack announced before under another name is forgotten. A kill
    /// between this and ``publishAnnounced(of:)`` is settled by the next run, which looks whether the file is there.
    package func announce(_ bundle: BundleRecord, pack: String, of run: RunNumber, at seconds: Double) throws {
        try durably {
            try withdraw(
                "job = (SELECT job FROM runs WHERE number = ?1) AND pack = ?2", [.integer(run.value), .text(pack)])
            try database.run(
                """
                INSERT INTO bundles(job, pack, run, path, format, entries, bytes, sha256, created, published)
                SELECT job, ?2, number, ?3, ?4, ?5, ?6, ?7, ?8, 0 FROM runs WHERE number = ?1
                """,
                [
                    .integer(run.value), .text(pack), .text(bundle.path), .text(bundle.format.rawValue),
                    .integer(bundle.entries), .integer(bundle.bytes), .text(bundle.sha256), .real(seconds),
                ])
            try database.run(
                """
                INSERT INTO packed(job, pack, name, sha256, bundle)
                SELECT names.job, ?2, names.name, names.sha256, ?3
                FROM runs JOIN names ON names.job = runs.job WHERE runs.number = ?1 ON CONFLICT DO NOTHING
                """, [.integer(run.value), .text(pack), .integer(database.lastInsertedRow)])
        }
    }

    /// The announced bundles of a job have their names.
    /// - Parameter isHandedOff: true where the job hands nothing off, so that to be written is all there is to do.
    package func publishAnnounced(of job: String, isHandedOff: Bool = true) throws {
        try database.run(
            """
            UPDATE bundles SET published = 1, handed_off = iif(?2, created, NULL) WHERE job = ?1 AND published = 0
            """, [.integer(try self.job(job)), .integer(isHandedOff ? 1 : 0)])
    }

    /// Every target of the job has these bundles: retention may count them.
    /// - Parameter paths: below the root.
    package func markHandedOff(_ paths: [String], at seconds: Double) throws {
        try database.transaction {
            for path in paths {
                try database.run(
                    "UPDATE bundles SET handed_off = ? WHERE path = ? AND handed_off IS NULL",
                    [.real(seconds), .text(path)])
            }
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

    /// Where a job's announced bundles are to lie, below the root, with their lengths.
    func announced(of job: String) throws -> [(path: String, bytes: Int64)] {
        try database.rows(
            "SELECT path, bytes FROM bundles WHERE job = ? AND published = 0", [.integer(try self.job(job))]
        ) { row in (row.text(0), row.integer(1)) }
    }
}

extension Store {
    /// Settles bundles that a killed run announced: they count as written when they lie there whole.
    package func settleAnnouncedBundles(of job: String) async throws {
        let root = root
        let announced = try await catalog.announced(of: job)
        guard !announced.isEmpty else { return }
        let isWhole = try await disk.run {
            try announced.allSatisfy { try root.status($0.path)?.bytes == $0.bytes }
        }
        if isWhole { try await catalog.publishAnnounced(of: job) } else { try await catalog.withdrawAnnounced(of: job) }
    }
}
