import Database
import Files
import Lanes
package import Model

/// A run as `status` shows it.
package struct RunFigures: Sendable {
    package let id: String
    /// Seconds since 1970.
    package let started: Double
    package let finished: Double?
    /// Nil while it runs, or when it was killed and no later run of the job has noticed yet.
    package let status: RunStatus?
    package let exitStatus: Int?
    package let counts: RunCounts
}

/// What a job does, and how it last went.
package struct JobState: Sendable {
    package let job: String
    /// What the process that holds the job's lock says of itself; nil when the job does not run.
    package let runner: String?
    package let last: RunFigures?
    /// The last run that succeeded.
    package let lastSuccess: RunFigures?
    package let hold: HandoffHold?
}

extension Store {
    /// The state of the jobs named, or of all that ever ran, in the order of names.
    package func states(of names: [String] = []) async throws -> [JobState] {
        let known = try await catalog.jobsThatRan()
        var states: [JobState] = []
        for job in names.isEmpty ? known : names where known.contains(job) {
            let root = root
            let runner = try await disk.run {
                try FileLock.holder("\(job).lock", in: root.directory("locks", create: true))
            }
            states.append(
                JobState(
                    job: job, runner: runner, last: try await catalog.lastRun(of: job),
                    lastSuccess: try await catalog.lastRun(of: job, .succeeded),
                    hold: try await catalog.handoffHold(of: job)))
        }
        return states
    }
}

extension Catalog {
    /// The jobs that have a run or files, in the order of names.
    package func jobsThatRan() throws -> [String] {
        try database.rows(
            """
            SELECT name FROM jobs WHERE EXISTS (SELECT 1 FROM runs WHERE job = jobs.id)
                OR EXISTS (SELECT 1 FROM names WHERE job = jobs.id) ORDER BY name
            """
        ) { $0.text(0) }
    }

    /// The newest run of a job, or the newest with that status.
    package func lastRun(of job: String, _ status: RunStatus? = nil) throws -> RunFigures? {
        try database.first(
            """
            SELECT runs.id, started, finished, status, exit_status, counts ->> 'pages', counts ->> 'links',
                counts ->> 'downloaded', counts ->> 'unchanged', counts ->> 'duplicate', counts ->> 'skipped',
                counts ->> 'failed', counts ->> 'gone'
            FROM runs JOIN jobs ON jobs.id = runs.job WHERE jobs.name = ?1 AND (?2 IS NULL OR status = ?2)
            ORDER BY number DESC LIMIT 1
            """, [.text(job), .optional(status?.rawValue)]
        ) { row in
            var counts = RunCounts()
            (counts.pages, counts.links, counts.downloaded) = (row.int(5), row.int(6), row.int(7))
            (counts.unchanged, counts.duplicate, counts.skipped) = (row.int(8), row.int(9), row.int(10))
            (counts.failed, counts.gone) = (row.int(11), row.int(12))
            return RunFigures(
                id: row.text(0), started: row.real(1), finished: row.optionalReal(2),
                status: row.optionalText(3).flatMap(RunStatus.init), exitStatus: row.optionalInt(4), counts: counts)
        }
    }
}
