import Cron
package import Model
package import Times

/// The minutes of the hour at which any of some jobs may come, by the clock of a zone: when somebody must look what is
/// due.
package struct MinutesOfHour: Sendable {
    /// In order; every minute when there are many.
    package let minutes: [Int]

    /// So many are listed one by one; with more, every minute is as good.
    private static let most = 12
    /// Occurrences of a job that are looked at: a year and more of one that comes every half hour.
    private static let bound = 20_000

    /// - Parameters:
    ///   - zone: whose clock the minutes are of, with all its changes within the next year.
    ///   - now: in seconds since 1970.
    /// - Throws: ``ScheduleError``.
    package init(of jobs: [Job], in zone: Zone, from now: Double) throws(ScheduleError) {
        var found: Set<Int> = []
        for job in jobs {
            guard let text = job.schedule else { continue }
            do {
                let own = try Zone(named: job.timezone)
                let schedule = try CronExpression(text)
                var time = now
                for _ in 0..<Self.bound {
                    guard found.count <= Self.most, let next = schedule.next(after: time, in: own),
                        next < now + 400 * 86400
                    else { break }
                    found.insert(zone.civil(at: next).minute)
                    time = next
                }
            } catch {
                let reason = (error as? ZoneError)?.message ?? (error as? CronError)?.message ?? "\(error)"
                throw ScheduleError(job: job.name, message: reason)
            }
        }
        minutes = found.count > Self.most || found.isEmpty ? Array(0..<60) : found.sorted()
    }

    /// As the first field of a crontab line.
    package var cron: String { minutes.count == 60 ? "*" : minutes.map(String.init).joined(separator: ",") }

    /// As the minutes of systemd's OnCalendar.
    package var systemd: String { cron }
}
