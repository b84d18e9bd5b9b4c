import Database
import Files
import Lanes
package import Model

/// A bundle that is owed to a target.
package struct OwedBundle: Sendable, Hashable {
    package let number: BundleNumber
    package let bundle: WrittenBundle
    package let target: String
    package let status: HandoffRecord.Status
    /// What an earlier attempt left to go on with.
    package let progress: String?
}

/// Which bundle went where, so that each goes once.
extension Catalog {
    /// What a job owes, the oldest bundle first, so that what failed is repeated before what is new.
    package func owed(by job: String) throws -> [OwedBundle] {
        try database.rows(
            """
            SELECT bundles.id, path, format, entries, bytes, sha256, companions, target, status, progress
            FROM handoffs JOIN bundles ON bundles.id = handoffs.bundle
            WHERE bundles.job = ? AND published = 1 AND removed IS NULL AND status <> 'delivered'
            ORDER BY bundles.id, target
            """, [.integer(try self.job(job))]
        ) { row in
            let record = BundleRecord(
                path: row.text(1), format: BundleFormat(rawValue: row.text(2)) ?? .tar, entries: row.int(3),
                bytes: row.integer(4), sha256: row.text(5))
            return OwedBundle(
                number: BundleNumber(value: row.integer(0)),
                bundle: WrittenBundle(
                    record: record, companions: row.text(6).split(separator: "\n").map(String.init)),
                target: row.text(7), status: HandoffRecord.Status(rawValue: row.text(8)) ?? .pending,
                progress: row.optionalText(9))
        }
    }

    /// Records what became of a hand-off. When every target has the bundle, it counts as handed off.
    /// - Parameter failure: why it failed; nil when it was delivered.
    package func record(
        handoffOf bundle: BundleNumber, to target: String, failure: Failure?, at seconds: Double
    ) throws {
        try durably {
            try database.run(
                """
                UPDATE handoffs SET status = ?3, changed = ?4, attempts = attempts + 1, error_code = ?5,
                    error_message = ?6, progress = iif(?3 = 'delivered', NULL, progress)
                WHERE bundle = ?1 AND target = ?2
                """,
                [
                    .integer(bundle.value), .text(target),
                    .text((failure == nil ? HandoffRecord.Status.delivered : .failed).rawValue), .real(seconds),
                    .optional(failure?.code.rawValue), .optional(failure?.message),
                ])
            try database.run(
                """
                UPDATE bundles SET handed_off = ?2 WHERE id = ?1 AND handed_off IS NULL AND NOT EXISTS (
                    SELECT 1 FROM handoffs WHERE bundle = ?1 AND status <> 'delivered')
                """, [.integer(bundle.value), .real(seconds)])
        }
    }

    /// Records what a later attempt can go on with.
    package func keep(_ progress: String?, ofHandoffOf bundle: BundleNumber, to target: String) throws {
        try durably {
            try database.run(
                "UPDATE handoffs SET progress = ?3 WHERE bundle = ?1 AND target = ?2",
                [.integer(bundle.value), .text(target), .optional(progress)])
        }
    }

    /// Owes a bundle to targets again, whatever was delivered.
    /// - Parameter name: its path below the root, or its name.
    /// - Returns: false when the job has no such bundle.
    package func owe(_ name: String, of job: String, to targets: [String], at seconds: Double) throws -> Bool {
        let job = try self.job(job)
        return try database.transaction {
            let found = try database.first(
                """
                SELECT id FROM bundles WHERE job = ?1 AND published = 1 AND removed IS NULL
                    AND (path = ?2 OR path LIKE '%/' || ?3 ESCAPE '\\') ORDER BY id DESC LIMIT 1
                """,
                [
                    .integer(job), .text(name),
                    .text(
                        name.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")),
                ]
            ) { $0.integer(0) }
            guard let bundle = found else { return false }
            for target in targets {
                try database.run(
                    """
                    INSERT INTO handoffs(bundle, target, status, changed) VALUES(?1, ?2, 'pending', ?3)
                    ON CONFLICT DO UPDATE SET status = 'pending', changed = ?3, progress = NULL
                    """, [.integer(bundle), .text(target), .real(seconds)])
            }
            return true
        }
    }
}

extension Store {
    /// Forgets bundles of a job that are no longer where they were written and went nowhere, so that what they held is
    /// new to their packs again.
    /// - Returns: their paths.
    package func forgetLostBundles(of job: String, at seconds: Double) async throws -> [String] {
        let written = try await catalog.owedBundles(of: job)
        let root = root
        let lost = try await disk.run {
            try written.filter { try root.status($0.path)?.bytes != $0.bytes }.map(\.path)
        }
        try await catalog.forget(lost, of: job, at: seconds)
        return lost
    }
}

extension Catalog {
    fileprivate func owedBundles(of job: String) throws -> [(path: String, bytes: Int64)] {
        try database.rows(
            """
            SELECT path, bytes FROM bundles WHERE job = ? AND published = 1 AND removed IS NULL AND (
                handed_off IS NULL OR NOT EXISTS (SELECT 1 FROM handoffs WHERE bundle = bundles.id))
            """, [.integer(try self.job(job))]
        ) { ($0.text(0), $0.integer(1)) }
    }

    /// Bundles are no longer there: what they held is new to their packs again.
    func forget(_ paths: [String], of job: String, at seconds: Double) throws {
        let job = try self.job(job)
        try database.transaction {
            for path in paths {
                let values: [Value] = [.integer(job), .text(path)]
                let lost: StaticString = "(SELECT id FROM bundles WHERE job = ?1 AND path = ?2 AND removed IS NULL)"
                try database.run("DELETE FROM packed WHERE bundle IN \(lost)", values)
                try database.run("DELETE FROM handoffs WHERE bundle IN \(lost)", values)
                try database.run(
                    "UPDATE bundles SET removed = ?3 WHERE job = ?1 AND path = ?2 AND removed IS NULL",
                    values + [.real(seconds)])
            }
        }
    }
}
