import Database
package import Model

extension Catalog {
    /// How each job's newest run that has ended went, by the jobs' names.
    package func standings() throws -> [JobStanding] {
        try database.rows(
            """
            SELECT jobs.name, runs.started, runs.finished, runs.status, runs.exit_status,
                (SELECT finished FROM runs WHERE job = jobs.id AND status = 'succeeded' ORDER BY number DESC LIMIT 1),
                json_extract(counts, '$.pages'), json_extract(counts, '$.links'), json_extract(counts, '$.downloaded'),
                json_extract(counts, '$.unchanged'), json_extract(counts, '$.duplicate'),
                json_extract(counts, '$.skipped'), json_extract(counts, '$.failed'), json_extract(counts, '$.gone'),
                json_extract(counts, '$.received'), json_extract(counts, '$.stored'),
                json_extract(counts, '$.deduplicated')
            FROM jobs JOIN runs ON runs.number =
                (SELECT number FROM runs WHERE job = jobs.id AND finished IS NOT NULL ORDER BY number DESC LIMIT 1)
            ORDER BY jobs.name
            """
        ) { row in
            var standing = JobStanding(
                job: row.text(0), started: row.real(1), finished: row.real(2),
                status: RunStatus(rawValue: row.text(3)) ?? .failed)
            standing.exitStatus = row.optionalInt(4)
            standing.lastSuccess = row.optionalReal(5)
            standing.counts.pages = row.int(6)
            standing.counts.links = row.int(7)
            standing.counts.downloaded = row.int(8)
            standing.counts.unchanged = row.int(9)
            standing.counts.duplicate = row.int(10)
            standing.counts.skipped = row.int(11)
            standing.counts.failed = row.int(12)
            standing.counts.gone = row.int(13)
            standing.bytes.received = row.integer(14)
            standing.bytes.stored = row.integer(15)
            standing.bytes.deduplicated = row.integer(16)
            return standing
        }
    }
}
