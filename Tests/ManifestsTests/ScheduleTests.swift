import Model
import Testing

@testable import Manifests

@Suite struct ScheduleTests {
    @Test(arguments: ["15 2 * * *", "'*/15 * * * *'", "\"@daily\"", "0 0 L * mon"])
    func arrives(text: String) throws {
        let job = try #require(
            readJob(below: "schedule: \(text)\ncatch-up: false"), "\(problems(below: "schedule: \(text)"))")
        #expect(job.schedule == text.filter { !"'\"".contains($0) })
        #expect(!job.catchUp)
        let plain = try #require(readJob(below: ""))
        #expect(plain.schedule == nil && plain.catchUp)
    }

    @Test(arguments: [
        ("schedule: '15 25 * * *'", "3:15 schedule: '15 25 * * *': hour: a number from 0 to 23 is needed"),
        ("schedule: 0 0 30 2 *", "3:11 schedule: '0 0 30 2 *' never comes: no month has such a day"),
        ("schedule: '@reboot'", "3:12 schedule: '@reboot': @reboot is no time"),
        ("schedule: '0 15 2 * * *'", "3:23 schedule: '0 15 2 * * *': more than five fields"),
        ("schedule: @daily", "3:11 a value cannot begin with '@'; put it in quotes"),
        ("schedule: */5 * * * *", "3:12 a value cannot begin with '*' or '&'; put it in quotes"),
        ("schedule: 5", "3:12 schedule: '5': the hour is missing"),
        ("schedule:", "3:10 schedule: expected a cron expression"),
        ("schedule: ['5 * * * *']", "3:11 schedule: expected a cron expression"),
        ("catch-up: maybe", "3:11 catch-up: expected"),
    ])
    func refuses(text: String, problem: String) {
        let found = problems(below: text)
        #expect(found.first?.hasPrefix(problem) == true, "\(found)")
    }
}
