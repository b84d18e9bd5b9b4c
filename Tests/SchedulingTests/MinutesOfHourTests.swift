import Model
import Testing
import Times

@testable import Scheduling

@Suite struct MinutesOfHourTests {
    private func minutes(_ schedules: (String, String)..., zone: String = "UTC") throws -> String {
        let jobs = schedules.map { schedule, timezone in
            var job = Job(name: "x", manifest: "x.yaml", manifestSHA256: "")
            job.schedule = schedule
            job.timezone = timezone
            return job
        }
        return try MinutesOfHour(of: jobs, in: try Zone(named: zone), from: 1_800_000_000).cron
    }

    @Test func minutesOfAllJobs() throws {
        #expect(try minutes(("15 2 * * *", "UTC"), ("0,30 4 1 * *", "UTC")) == "0,15,30")
        #expect(try minutes(("@daily", "Europe/Berlin")) == "0")
        #expect(try minutes(("*/5 * * * *", "UTC")) == "0,5,10,15,20,25,30,35,40,45,50,55")
        #expect(try minutes(("*/4 * * * *", "UTC")) == "*")
    }

    @Test func zonesShiftMinutes() throws {
        #expect(try minutes(("15 2 * * *", "Asia/Kolkata")) == "45")
        #expect(try minutes(("15 2 * * *", "UTC"), zone: "Asia/Kathmandu") == "0")
        // Half an hour of summer time: both minutes come within a year, and once the end of the gap.
        #expect(try minutes(("15 2 * * *", "Australia/Lord_Howe")) == "15,30,45")
    }
}
