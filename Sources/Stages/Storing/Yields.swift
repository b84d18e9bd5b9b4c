import Database
package import Model

/// Why a job's hand-off is held back.
package struct HandoffHold: Sendable, Hashable {
    /// The id of the run that brought far less than usual.
    package let run: String
    /// The figures, for people.
    package let reason: String
}

/// What runs brought, and the hold that a collapse puts on a job's hand-off.
extension Catalog {
    /// How many good runs make the measure.
    package static let goodRuns = 7

    /// What the last good runs of a job brought, newest first, at most ``goodRuns``. Those before one that somebody
    /// accepted by ``releaseHandoff(of:)`` do not count any more.
    package func goodYields(of job: String) throws -> [RunYield] {
        let runs = try database.rows(
            """
            SELECT links, items, bytes, types, yield FROM runs
            WHERE job = ? AND yield IN ('good', 'accepted') AND status IN ('succeeded', 'partial')
            ORDER BY number DESC LIMIT ?
            """, [.integer(try self.job(job)), .integer(Self.goodRuns)]
        ) { row in
            (
                yield: RunYield(links: row.int(0), items: row.int(1), bytes: row.integer(2)), types: row.text(3),
                isAccepted: row.text(4) == "accepted"
            )
        }
        var yields: [RunYield] = []
        for (yield, types, isAccepted) in runs {
            var yield = yield
            yield.types = Dictionary(
                try database.rows("SELECT key, value FROM json_each(?)", [.text(types)]) { ($0.text(0), $0.int(1)) }
            ) { first, _ in first }
            yields.append(yield)
            if isAccepted { break }
        }
        return yields
    }

    /// Records what a run brought, and whether it was far less than usual: that holds the job's hand-off back, and a
    /// run without such a collapse lets it go again.
    /// - Parameter collapse: the figures of what collapsed; nil when nothing did.
    package func record(_ yield: RunYield, of run: RunNumber, collapse: String?) throws {
        try database.transaction {
            try database.run(
                """
                UPDATE runs SET links = ?2, items = ?3, bytes = ?4, types = '{}', yield = ?5 WHERE number = ?1
                """,
                [
                    .integer(run.value), .integer(yield.links), .integer(yield.items), .integer(yield.bytes),
                    .text(collapse == nil ? "good" : "dropped"),
                ])
            for (type, count) in yield.types {
                try database.run(
                    "UPDATE runs SET types = json_patch(types, json_object(?2, ?3)) WHERE number = ?1",
                    [.integer(run.value), .text(type), .integer(count)])
            }
            try database.run(
                "UPDATE jobs SET held_by = ?2, held_reason = ?3 WHERE id = (SELECT job FROM runs WHERE number = ?1)",
                [.integer(run.value), collapse == nil ? .null : .integer(run.value), .optional(collapse)])
        }
    }

    /// What holds a job's hand-off back; nil when nothing does. No bundle of the job may go out while there is one.
    package func handoffHold(of job: String) throws -> HandoffHold? {
        try database.first(
            """
            SELECT runs.id, jobs.held_reason FROM jobs JOIN runs ON runs.number = jobs.held_by WHERE jobs.name = ?
            """, [.text(job)]
        ) { row in HandoffHold(run: row.text(0), reason: row.text(1)) }
    }

    /// Lets a held hand-off go. What that run brought is right, says whoever calls this, and becomes the measure of
    /// the next runs.
    /// - Returns: what held it back; nil when nothing did.
    package func releaseHandoff(of job: String) throws -> HandoffHold? {
        guard let hold = try handoffHold(of: job) else { return nil }
        try durably {
            try database.run("UPDATE runs SET yield = 'accepted' WHERE id = ?", [.text(hold.run)])
            try database.run("UPDATE jobs SET held_by = NULL, held_reason = NULL WHERE name = ?", [.text(job)])
        }
        return hold
    }
}
