import Database
package import Model

/// Runs and bundles as reports tell them.
extension Catalog {
    /// Records a told run among those that are known, by its time.
    package func insert(_ run: RunIdentity) throws -> RunNumber {
        try database.transaction {
            let job = try job(run.job)
            let before: StaticString = "SELECT coalesce(max(number), 0) + 1 FROM runs WHERE started <= ?"
            var number = try database.first("\(before)", [.real(run.started)]) { $0.integer(0) } ?? 1
            let isTaken = try database.first("SELECT 1 FROM runs WHERE number = ?", [.integer(number)], { _ in true })
            if isTaken != nil {
                number = try database.first("SELECT max(number) + 1 FROM runs") { $0.integer(0) } ?? number
            }
            try database.run(
                "INSERT INTO runs(number, id, job, manifest_sha256, started) VALUES(?, ?, ?, ?, ?)",
                [.integer(number), .text(run.id), .integer(job), .text(run.manifestSHA256), .real(run.started)])
            return RunNumber(value: number)
        }
    }

    package func knows(run id: String) throws -> Bool {
        try database.first("SELECT 1 FROM runs WHERE id = ?", [.text(id)], { _ in true }) ?? false
    }

    /// Whether no later run of the job is known.
    package func isNewest(_ run: RunNumber) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM runs WHERE job = (SELECT job FROM runs WHERE number = ?1) AND number > ?1
            """, [.integer(run.value)], { _ in true }) == nil
    }

    func record(_ bundle: ToldBundle, of run: RunNumber) throws {
        try database.transaction {
            let row = try known(bundle, run) ?? insert(bundle, run)
            for (handoff, time) in bundle.handoffs { try record(handoff, at: time, of: row) }
            try database.run(
                """
                UPDATE bundles SET handed_off = iif(
                    EXISTS (SELECT 1 FROM handoffs WHERE bundle = ?1 AND status <> 'delivered'), NULL,
                    coalesce((SELECT max(changed) FROM handoffs WHERE bundle = ?1), created)) WHERE id = ?1
                """, [.integer(row)])
        }
    }

    /// The same bundle, as the run that wrote it told of it.
    private func known(_ bundle: ToldBundle, _ run: RunNumber) throws -> Int64? {
        try database.first(
            """
            SELECT id FROM bundles WHERE job = (SELECT job FROM runs WHERE number = ?) AND path = ? AND sha256 = ?
            ORDER BY removed IS NOT NULL, id DESC LIMIT 1
            """, [.integer(run.value), .text(bundle.record.path), .text(bundle.record.sha256)]
        ) { $0.integer(0) }
    }

    private func insert(_ bundle: ToldBundle, _ run: RunNumber) throws -> Int64 {
        let record = bundle.record
        try database.run(
            """
            INSERT INTO bundles(job, pack, run, path, format, entries, bytes, sha256, companions, created, published,
                removed)
            SELECT job, '*', number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, ?9 FROM runs WHERE number = ?1
            """,
            [
                .integer(run.value), .text(record.path), .text(record.format.rawValue), .integer(record.entries),
                .integer(record.bytes), .text(record.sha256), .text(bundle.companions.joined(separator: "\n")),
                .real(bundle.created), .optional(bundle.removed),
            ])
        let row = database.lastInsertedRow
        try database.run(
            """
            INSERT INTO packed(job, pack, name, sha256, bundle)
            SELECT names.job, '*', names.name, names.sha256, ?2
            FROM runs JOIN names ON names.job = runs.job AND names.run <= runs.number
            WHERE runs.number = ?1 ON CONFLICT DO NOTHING
            """, [.integer(run.value), .integer(row)])
        return row
    }

    /// What a target has it keeps; the rest is owed, whatever kept it from going.
    private func record(_ handoff: HandoffRecord, at time: Double, of bundle: Int64) throws {
        let status = handoff.status == .held ? HandoffRecord.Status.pending : handoff.status
        try database.run(
            """
            INSERT INTO handoffs(bundle, target, status, changed, error_code, error_message)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT DO UPDATE SET status = excluded.status, changed = excluded.changed,
                error_code = excluded.error_code, error_message = excluded.error_message
            WHERE excluded.changed >= changed
            """,
            [
                .integer(bundle), .text(handoff.to), .text(status.rawValue), .real(time),
                .optional(handoff.error?.code.rawValue), .optional(handoff.error?.message),
            ])
    }

    /// Contents that runs tell of and that are no longer there: how many, and a name of one of them.
    package func untoldContents() throws -> (count: Int, example: String)? {
        try database.first(
            """
            SELECT count(DISTINCT visits.sha256), jobs.name || '/' || max(visits.name)
            FROM visits JOIN runs ON runs.number = visits.run JOIN jobs ON jobs.id = runs.job
            WHERE visits.name IS NOT NULL AND visits.sha256 IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM objects WHERE objects.sha256 = visits.sha256)
            """
        ) { (count: $0.int(0), example: $0.text(1)) }
    }
}
