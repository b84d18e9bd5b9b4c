import Database
package import Model

extension Catalog {
    /// Records that a run began.
    package func begin(_ run: RunIdentity) throws -> RunNumber {
        try database.transaction {
            try database.run(
                "INSERT INTO runs(id, job, manifest_sha256, started) VALUES(?, ?, ?, ?)",
                [.text(run.id), .integer(try job(run.job)), .text(run.manifestSHA256), .real(run.started)])
            return RunNumber(value: database.lastInsertedRow)
        }
    }

    /// Records how a run ended.
    /// - Parameter counts: the report's counts as JSON, for `status`.
    package func end(_ run: RunNumber, _ end: RunEnd, counts: String) throws {
        try durably {
            try database.run(
                "UPDATE runs SET finished = ?, status = ?, exit_status = ?, counts = ? WHERE number = ?",
                [
                    .real(end.finished), .text(end.status.rawValue), .integer(Int(end.exitStatus)), .text(counts),
                    .integer(run.value),
                ])
        }
    }

    /// The runs of a job, newest first.
    package func runs(of job: String, limit: Int) throws -> [RecordedRun] {
        try database.rows(
            """
            SELECT runs.id, runs.started, runs.finished, runs.status FROM runs JOIN jobs ON jobs.id = runs.job
            WHERE jobs.name = ? ORDER BY runs.number DESC LIMIT ?
            """, [.text(job), .integer(limit)]
        ) { row in
            RecordedRun(
                id: row.text(0), started: row.real(1), finished: row.optionalReal(2),
                status: row.optionalText(3).flatMap(RunStatus.init))
        }
    }

    /// Marks runs of a job that were killed as interrupted; whoever holds the job's lock may say so.
    /// - Returns: their ids.
    package func closeKilledRuns(of job: String, at seconds: Double) throws -> [String] {
        let id = try self.job(job)
        return try database.transaction {
            let killed = try database.rows(
                "SELECT id FROM runs WHERE job = ? AND status IS NULL", [.integer(id)], { $0.text(0) })
            try database.run(
                """
                UPDATE visits SET status = 'skipped', reason = 'the run was killed' WHERE status IS NULL
                    AND run IN (SELECT number FROM runs WHERE job = ? AND status IS NULL)
                """, [.integer(id)])
            try database.run(
                "UPDATE runs SET status = 'interrupted', finished = ? WHERE job = ? AND status IS NULL",
                [.real(seconds), .integer(id)])
            return killed
        }
    }
}

/// A run that may still need its report.
package struct EndedRun: Sendable, Hashable {
    package let number: RunNumber
    package let identity: RunIdentity
    package let status: RunStatus
    /// nil when the run was killed before it could say.
    package let exitStatus: Int32?
}

extension Catalog {
    /// What the job's last run failed at, or found gone.
    package func lastFailures(of job: String, limit: Int) throws -> [(url: String, code: String)] {
        guard let last = try lastEndedRun(of: job) else { return [] }
        return try database.rows(
            """
            SELECT urls.url, visits.error_code FROM visits JOIN urls ON urls.id = visits.url
            WHERE visits.run = ? AND visits.status IN ('failed', 'gone') AND visits.error_code IS NOT NULL LIMIT ?
            """, [.integer(last.number.value), .integer(limit)]
        ) { (url: $0.text(0), code: $0.text(1)) }
    }

    /// The last run of a job that has come to an end, or was found killed.
    package func lastEndedRun(of job: String) throws -> EndedRun? {
        try database.first(
            """
            SELECT number, runs.id, manifest_sha256, started, status, exit_status FROM runs
            WHERE job = ? AND status IS NOT NULL ORDER BY number DESC LIMIT 1
            """, [.integer(try self.job(job))]
        ) { row in
            EndedRun(
                number: RunNumber(value: row.integer(0)),
                identity: RunIdentity(
                    id: row.text(1), job: job, manifestSHA256: row.text(2), started: row.real(3)),
                status: RunStatus(rawValue: row.text(4)) ?? .interrupted,
                exitStatus: row.optionalInt(5).map { Int32(truncatingIfNeeded: $0) })
        }
    }

    /// The last runs of every job, the oldest first.
    package func recentRuns(limit: Int) throws -> [(job: String, run: RecordedRun, counts: String?)] {
        try database.rows(
            """
            SELECT jobs.name, runs.id, runs.started, runs.finished, runs.status, runs.counts
            FROM jobs CROSS JOIN runs ON runs.number IN (
                SELECT number FROM runs WHERE job = jobs.id ORDER BY number DESC LIMIT ?)
            ORDER BY jobs.name, runs.number
            """, [.integer(limit)]
        ) { row in
            let run = RecordedRun(
                id: row.text(1), started: row.real(2), finished: row.optionalReal(3),
                status: row.optionalText(4).flatMap(RunStatus.init))
            return (row.text(0), run, row.optionalText(5))
        }
    }

    /// The last bundles of every job, the newest first.
    package func recentBundles(
        limit: Int
    ) throws -> [(job: String, path: String, bytes: Int64, sha256: String, created: Double)] {
        try database.rows(
            """
            SELECT jobs.name, path, bytes, sha256, created FROM jobs CROSS JOIN bundles ON bundles.id IN (
                SELECT id FROM bundles WHERE job = jobs.id AND published = 1 ORDER BY id DESC LIMIT ?)
            ORDER BY jobs.name, bundles.id DESC
            """, [.integer(limit)]
        ) { row in (row.text(0), row.text(1), row.integer(2), row.text(3), row.real(4)) }
    }
}

/// A run as the catalog remembers it.
package struct RecordedRun: Sendable, Hashable {
    package let id: String
    /// Seconds since 1970.
    package let started: Double
    package let finished: Double?
    /// nil while it runs, or when it was killed and no later run of the job has noticed yet.
    package let status: RunStatus?
}
