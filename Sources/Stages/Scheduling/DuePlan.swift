import Cron
package import Model
import Times

/// Which jobs are due at a time, and when each runs next. It asks no clock, so that every case can be tried.
package struct DuePlan: Sendable {
    /// In the order of the jobs.
    package private(set) var entries: [DueJob] = []

    /// How long after its time a job without `catch-up` is still due, in seconds: `run --due` once an hour finds all.
    package static let grace = 3600.0

    /// - Parameters:
    ///   - histories: by the job's name; a job without one is first seen now.
    ///   - now: in seconds since 1970.
    /// - Throws: ``ScheduleError`` when a job's zone has gone since its manifest was checked.
    package init(jobs: [Job], histories: [String: JobHistory], now: Double) throws(ScheduleError) {
        var zones: [String: Zone] = [:]
        for job in jobs {
            let history = histories[job.name] ?? JobHistory(firstSeen: now)
            guard let text = job.schedule else {
                entries.append(DueJob(job: job, lastStarted: history.lastStarted))
                continue
            }
            do {
                let zone = try zones[job.timezone] ?? Zone(named: job.timezone)
                zones[job.timezone] = zone
                entries.append(DueJob(job: job, try CronExpression(text), zone, history, now: now))
            } catch {
                let reason = (error as? ZoneError)?.message ?? (error as? CronError)?.message ?? "\(error)"
                throw ScheduleError(job: job.name, message: reason)
            }
        }
    }

    /// The jobs to run now: what has waited longest comes first, and manifests keep their order.
    package var due: [Job] {
        let due = entries.enumerated().compactMap { index, entry in entry.dueSince.map { ($0, index, entry.job) } }
        return due.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }
}

/// A job in a ``DuePlan``. Times are in seconds since 1970.
package struct DueJob: Sendable {
    package let job: Job
    /// The time in the schedule that the job is due by; nil when it is not due.
    package let dueSince: Double?
    /// A time that came since the last start and is let go, as the job does not catch up.
    package let letGo: Double?
    /// The next time in the schedule; nil for a job without one.
    package let next: Double?
    package let lastStarted: Double?

    init(job: Job, lastStarted: Double?) {
        self.job = job
        self.lastStarted = lastStarted
        (dueSince, letGo, next) = (nil, nil, nil)
    }

    /// However many times were missed, the last of them alone counts, so that a job is made up for once.
    init(job: Job, _ schedule: CronExpression, _ zone: Zone, _ history: JobHistory, now: Double) {
        self.job = job
        lastStarted = history.lastStarted
        next = schedule.next(after: now, in: zone)
        // What comes this very moment has come.
        let latest = schedule.previous(before: now.nextUp, in: zone)
        let came = latest.flatMap { $0 > history.lastStarted ?? history.firstSeen ? $0 : nil }
        let isInTime = came.map { job.catchUp || now - $0 <= DuePlan.grace } ?? false
        dueSince = isInTime ? came : nil
        letGo = isInTime ? nil : came
    }
}

/// A schedule that cannot be computed.
package struct ScheduleError: Error, Sendable, Hashable, CustomStringConvertible {
    package let job: String
    package let message: String

    package var description: String { "the schedule of job \(job): \(message)" }
}
