import Database
package import Model

extension Catalog {
    /// How far ahead of the clock a start may lie and still be believed, in seconds: a clock that was set back a little
    /// makes no job run twice, and one that was years ahead keeps none from running.
    static let believedAhead = 7200.0

    /// Records jobs that were never looked at before, and gives what is known of each, by name.
    /// - Parameter seconds: now, in seconds since 1970.
    package func see(_ jobs: [String], at seconds: Double) throws -> [String: JobHistory] {
        let known = try histories(of: jobs, at: seconds)
        // What a clock that was ahead wrote must not keep a job waiting until then.
        let new = jobs.filter { known[$0].map { $0.firstSeen > seconds } ?? true }
        guard !new.isEmpty else { return known }
        try database.transaction {
            for job in new {
                try database.run(
                    """
                    INSERT INTO jobs(name, first_seen) VALUES(?, ?)
                    ON CONFLICT(name) DO UPDATE SET first_seen = excluded.first_seen
                    """, [.text(job), .real(seconds)])
            }
        }
        return try histories(of: jobs, at: seconds)
    }

    /// What is known of those of the jobs that were looked at before, by name.
    package func histories(of jobs: [String], at seconds: Double) throws -> [String: JobHistory] {
        var histories: [String: JobHistory] = [:]
        for name in jobs {
            // What was skipped has not started, so it is due still. The number tells which start was the last one, also when the clock was set back in between.
            let found = try database.first(
                """
                SELECT first_seen,
                    (SELECT started FROM runs WHERE job = jobs.id AND status IS NOT 'skipped'
                        ORDER BY number DESC LIMIT 1),
                    (SELECT started FROM runs WHERE job = jobs.id AND status IS NOT 'skipped' AND started <= ?
                        ORDER BY number DESC LIMIT 1)
                FROM jobs WHERE name = ?
                """, [.real(seconds), .text(name)]
            ) { row in (seen: row.optionalReal(0), newest: row.optionalReal(1), past: row.optionalReal(2)) }
            guard let found else { continue }
            let isBelieved = found.newest.map { $0 <= seconds + Self.believedAhead } ?? false
            let started = isBelieved ? found.newest : found.past
            guard let seen = found.seen ?? started else { continue }
            histories[name] = JobHistory(firstSeen: seen, lastStarted: started)
        }
        return histories
    }
}
