import Model
import Scheduling
import Testing
import Times

@Suite struct DuePlanTests {
    private static let now = "2026-11-30T12:00:00Z"

    private func entry(
        _ schedule: String?, catchUp: Bool = true, seen: String = "2026-11-01T00:00:00Z", started: String? = nil,
        now: String = now, timezone: String = "UTC"
    ) throws -> DueJob {
        var job = Job(name: "job", manifest: "job.yaml", manifestSHA256: "")
        job.schedule = schedule
        job.catchUp = catchUp
        job.timezone = timezone
        let history = JobHistory(firstSeen: try time(seen), lastStarted: try started.map(time))
        let plan = try DuePlan(jobs: [job], histories: ["job": history], now: try time(now))
        let entry = try #require(plan.entries.first)
        #expect((entry.dueSince == nil) == plan.due.isEmpty)
        return entry
    }

    private func time(_ text: String) throws -> Double { try #require(RFC3339.parse(text), "\(text)") }

    private func shown(_ time: Double?) -> String { time.map { RFC3339.format($0) } ?? "no" }

    @Test(arguments: [
        // Its time came since the last start, or did not.
        ("2026-11-29T02:15:03Z", "2026-11-30T12:00:00Z", "2026-11-30T02:15:00Z"),
        ("2026-11-30T02:15:00Z", "2026-11-30T12:00:00Z", "no"),
        ("2026-11-30T02:15:03Z", "2026-12-01T02:14:59Z", "no"),
        ("2026-11-30T02:15:03Z", "2026-12-01T02:15:00Z", "2026-12-01T02:15:00Z"),
        // However many nights were missed, one run makes up for them.
        ("2026-10-01T02:15:03Z", "2026-11-30T12:00:00Z", "2026-11-30T02:15:00Z"),
        // The clock was set back behind the last start, by an hour: what ran does not run again.
        ("2026-11-30T02:15:03Z", "2026-11-30T01:16:00Z", "no"),
    ])
    func isDueByItsLastStart(started: String, now: String, expected: String) throws {
        let entry = try entry("15 2 * * *", started: started, now: now)
        #expect(shown(entry.dueSince) == expected)
        #expect(entry.letGo == nil)
    }

    @Test(arguments: [
        ("2026-11-30T02:15:00Z", "no"), ("2026-11-30T02:14:59Z", "2026-11-30T02:15:00Z"),
        ("2026-12-30T00:00:00Z", "no"),
    ])
    func aNewJobIsDueAtItsFirstTimeAfterItWasSeen(seen: String, expected: String) throws {
        #expect(shown(try entry("15 2 * * *", seen: seen).dueSince) == expected)
    }

    @Test func whatWasNeverSeenIsSeenNow() throws {
        var job = Job(name: "job", manifest: "job.yaml", manifestSHA256: "")
        job.schedule = "* * * * *"
        let plan = try DuePlan(jobs: [job], histories: [:], now: try time(Self.now))
        #expect(plan.due.isEmpty)
        #expect(shown(plan.entries.first?.next) == "2026-11-30T12:01:00Z")
    }

    @Test(arguments: [
        ("2026-11-30T02:15:00Z", "2026-11-30T02:15:00Z", "no"),
        ("2026-11-30T03:15:00Z", "2026-11-30T02:15:00Z", "no"),
        ("2026-11-30T03:15:01Z", "no", "2026-11-30T02:15:00Z"),
    ])
    func withoutCatchUpAnHourIsTheEnd(now: String, due: String, letGo: String) throws {
        let entry = try entry("15 2 * * *", catchUp: false, started: "2026-11-29T02:15:03Z", now: now)
        #expect(shown(entry.dueSince) == due)
        #expect(shown(entry.letGo) == letGo)
        #expect(shown(entry.next) == "2026-12-01T02:15:00Z")
    }

    @Test func theZoneOfTheJobCounts() throws {
        let entry = try entry("15 2 * * *", started: "2026-11-29T12:00:00Z", timezone: "Europe/Berlin")
        #expect(shown(entry.dueSince) == "2026-11-30T01:15:00Z")
        #expect(shown(entry.next) == "2026-12-01T01:15:00Z")
        #expect(throws: ScheduleError.self) { try self.entry("15 2 * * *", timezone: "Mars/Olympus") }
    }

    @Test func withoutAScheduleNothingIsDue() throws {
        let entry = try entry(nil, started: "2020-01-01T00:00:00Z")
        #expect(entry.dueSince == nil && entry.next == nil && entry.letGo == nil)
    }

    @Test func whatWaitsLongestRunsFirst() throws {
        let jobs = [("late", "0 11 * * *"), ("b", "0 3 * * *"), ("a", "0 3 * * *"), ("early", "0 1 * * *")].map {
            var job = Job(name: $0.0, manifest: "", manifestSHA256: "")
            job.schedule = $0.1
            return job
        }
        let history = JobHistory(firstSeen: 0)
        let histories = Dictionary(uniqueKeysWithValues: jobs.map { ($0.name, history) })
        let plan = try DuePlan(jobs: jobs, histories: histories, now: try time(Self.now))
        #expect(plan.due.map(\.name) == ["early", "b", "a", "late"])
    }
}
