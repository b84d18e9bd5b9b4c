import Testing
import Times

@testable import Cron

/// The computed occurrences against those found by looking at every minute.
@Suite struct OracleTests {
    private static let minutes = [
        ("0", [0]), ("30", [30]), ("0,30", [0, 30]), ("*/20", [0, 20, 40]), ("50-5/5", [50, 55, 0, 5]),
        ("7", [7]), ("59", [59]), ("*", Array(0...59)),
    ]
    private static let hours = [
        ("*", Array(0...23)), ("2", [2]), ("1", [1]), ("0", [0]), ("23", [23]), ("0,2,3", [0, 2, 3]),
        ("22-3", [22, 23, 0, 1, 2, 3]), ("*/2", Array(stride(from: 0, through: 22, by: 2))),
        ("1/3", Array(stride(from: 1, through: 22, by: 3))),
    ]

    /// Days around changes of clocks: by an hour, by half an hour, at midnight, with a day left out, with none.
    @Test(arguments: [
        ("Europe/Berlin", "2026-03-27"), ("Europe/Berlin", "2026-10-23"), ("Australia/Lord_Howe", "2026-04-03"),
        ("Australia/Lord_Howe", "2026-10-02"), ("America/Santiago", "2022-09-09"), ("America/Santiago", "2022-04-01"),
        ("Pacific/Apia", "2011-12-28"), ("Asia/Amman", "2017-03-29"), ("Africa/Casablanca", "2026-02-13"),
        ("Europe/Dublin", "2040-10-26"), ("America/St_Johns", "2006-10-27"), ("Asia/Seoul", "2026-05-01"),
    ])
    func agrees(name: String, day: String) throws {
        let zone = try Zone(named: name)
        let start = try #require(RFC3339.parse("\(day)T00:00:00Z"))
        let end = start + 4 * 86400
        let clock = minutesShown(zone, start, end)
        for minute in Self.minutes {
            for hour in Self.hours {
                let expression = try CronExpression("\(minute.0) \(hour.0) * * *")
                let expected = occurrences(minute.1, hour.1, expression.isInterval, clock)
                var forwards: [Double] = []
                var time = start
                while let next = expression.next(after: time, in: zone), next < end {
                    forwards.append(next)
                    time = next
                }
                #expect(forwards == expected, "\(expression.text)")
                var backwards: [Double] = []
                time = end
                while let last = expression.previous(before: time, in: zone), last > start {
                    backwards.append(last)
                    time = last
                }
                #expect(backwards.reversed() == expected, "\(expression.text)")
            }
        }
    }

    private struct Minute {
        let ofDay: Int
        let instant: Double
        let isShownAgain: Bool
    }

    /// Every minute between two instants as clocks show it, and those that they skip, at the end of the gap.
    private func minutesShown(_ zone: Zone, _ start: Double, _ end: Double) -> [Minute] {
        var found: [Minute] = []
        for time in stride(from: start - 172_800, to: end + 172_800, by: 60) {
            let local = CivilTime(utc: time)
            let ofDay = local.hour * 60 + local.minute
            switch zone.instants(of: local) {
            case .one(let instant): found.append(Minute(ofDay: ofDay, instant: Double(instant), isShownAgain: false))
            case .two(let earlier, let later):
                found.append(Minute(ofDay: ofDay, instant: Double(earlier), isShownAgain: false))
                found.append(Minute(ofDay: ofDay, instant: Double(later), isShownAgain: true))
            case .none(let skipped):
                found.append(Minute(ofDay: ofDay, instant: Double(skipped), isShownAgain: false))
            }
        }
        return found.filter { $0.instant > start && $0.instant < end }
    }

    private func occurrences(_ minutes: [Int], _ hours: [Int], _ isInterval: Bool, _ clock: [Minute]) -> [Double] {
        let times = Set(hours.flatMap { hour in minutes.map { hour * 60 + $0 } })
        let found = clock.filter { times.contains($0.ofDay) && (isInterval || !$0.isShownAgain) }
        return Set(found.map(\.instant)).sorted()
    }

    @Test func daysAgree() throws {
        let expressions = [
            "0 0 15W * *", "0 0 LW * *", "0 0 L-3W * *", "0 0 L * *", "0 0 L-2,10 * *", "0 0 * * 5L", "0 0 * * 1#5,3#1",
            "0 0 31 * *", "0 0 29 2 *", "0 0 13 * fri", "0 0 */2 * sat", "0 0 1-7 * mon#1", "0 0 * 2-4 6-1",
        ]
        for text in expressions {
            let expression = try CronExpression(text)
            var time = 946_684_800.0
            var count = 0
            while let next = expression.next(after: time, in: .utc), next < 1_893_456_000 {
                #expect(expression.previous(before: next, in: .utc).map { $0 <= time } ?? true, "\(text)")
                #expect(expression.previous(before: next + 0.5, in: .utc) == next, "\(text)")
                time = next
                count += 1
            }
            #expect(count >= 7, "\(text)")
        }
    }
}
