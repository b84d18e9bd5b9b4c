import Cron
import Testing
import Times

@Suite struct CronExpressionTests {
    @Test(arguments: [
        ("15 2 * * *", ["2026-11-30T02:15", "2026-12-01T02:15", "2026-12-02T02:15"]),
        ("@daily", ["2026-11-30T00:00", "2026-12-01T00:00", "2026-12-02T00:00"]),
        (" @Weekly\t", ["2026-12-06T00:00", "2026-12-13T00:00", "2026-12-20T00:00"]),
        ("0 22-3/2 * * *", ["2026-11-30T00:00", "2026-11-30T02:00", "2026-11-30T22:00"]),
        ("0 0 * dec-feb mon", ["2026-12-07T00:00", "2026-12-14T00:00", "2026-12-21T00:00"]),
        ("0 0 L-1 * ?", ["2026-12-30T00:00", "2027-01-30T00:00", "2027-02-27T00:00"]),
        ("0 0 1W * *", ["2026-12-01T00:00", "2027-01-01T00:00", "2027-02-01T00:00"]),
        ("0 0 LW 1,2,5 *", ["2027-01-29T00:00", "2027-02-26T00:00", "2027-05-31T00:00"]),
        ("0 0 * * 7L", ["2026-12-27T00:00", "2027-01-31T00:00", "2027-02-28T00:00"]),
        ("0 0 * * tue#2,thu#4", ["2026-12-08T00:00", "2026-12-24T00:00", "2027-01-12T00:00"]),
        // Either day field when both are restricted, both when one begins with a star or names places in the month.
        ("0 0 13 * fri", ["2026-12-04T00:00", "2026-12-11T00:00", "2026-12-13T00:00"]),
        ("0 0 */2 * sat", ["2026-12-05T00:00", "2026-12-19T00:00", "2027-01-09T00:00"]),
        ("0 0 13 * fri#2", ["2027-08-13T00:00", "2028-10-13T00:00", "2029-04-13T00:00"]),
        // 2100 is no leap year.
        ("0 0 29 2 *", ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]),
    ])
    func comes(expression: String, times: [String]) throws {
        #expect(try next(expression, after: "2026-11-29T23:59:59") == times)
    }

    @Test(arguments: [
        "0 0 30 2 *", "0 0 31 4,6,9,11 *", "* * L-30 2 *", "0 0 8 * mon#1", "0 0 LW * */6", "0 0 15W 2 0#1",
    ])
    func neverComes(text: String) throws {
        let expression = try CronExpression(text)
        for start in [-1e300, 0, 1_796_025_600, 253_402_300_799, 1e300, .nan, .infinity] {
            #expect(expression.next(after: start, in: .utc) == nil)
            #expect(expression.previous(before: start, in: .utc) == nil)
        }
    }

    @Test func theEndsOfTimeAreQuiet() throws {
        let expression = try CronExpression("* * * * *")
        let zone = try Zone(named: "Europe/Berlin")
        for start in [-1e300, .nan, 253_402_300_799, 1e300, .infinity, -.infinity] {
            _ = expression.next(after: start, in: zone)
            _ = expression.previous(before: start, in: zone)
        }
        #expect(expression.next(after: 1e300, in: zone) == nil)
        // A 29th of February on a Monday, with 2100 between: the rarest of all.
        #expect(try next("0 0 29 2 mon#5", after: "2072-03-01T00:00:00", count: 1) == ["2112-02-29T00:00"])
    }

    @Test(arguments: [
        ("", 0, "five fields"), ("* * *", 5, "month is missing"), ("* * * * * *", 10, "seconds"),
        ("0 0 0 * * *", 10, "seconds"),
        ("0 0 12 1 1 ? 2030", 11, "years"),
        ("60 * * * *", 0, "0 to 59"), ("* 24 * * *", 2, "0 to 23"), ("*/0 * * * *", 2, "1 to 59"),
        ("*/60 * * * *", 2, "1 to 59"), ("* * 0 * *", 4, "1 to 31"), ("* * * 13 *", 6, "1 to 12"),
        ("* * * * 8", 8, "0 to 7"), ("5- * * * *", 2, "missing"), ("1,,2 * * * *", 2, "does not belong"),
        ("* * * janu *", 9, "jan to dec"), ("* * * * monday", 11, "sun to sat"), ("* * 1,15W * *", 4, "list"),
        ("* * * * 5#6", 10, "1 to 5"), ("@reboot", 0, "no time"), ("  @every_second", 2, "seconds"),
        ("@every 5m", 0, "*/5"),
        ("@dayly", 0, "@daily"), ("@daily x", 7, "follow"), ("H * * * *", 0, "Jenkins"),
        ("0\u{3000}0 * * *", 1, "belong"),
        ("99999999999999999999 * * * *", 0, "0 to 59"), ("* * L-31 * *", 6, "0 to 30"), ("* * * * L", 8, "sun to sat"),
        ("15 2 * * *\n", 10, "belong"), ("* * é * *", 4, "belong"),
    ])
    func refuses(text: String, offset: Int, word: String) {
        let error = #expect(throws: CronError.self) { try CronExpression(text) }
        #expect(error?.offset == offset, "\(error as Any)")
        #expect(error?.message.contains(word) == true, "\(error as Any)")
    }

    /// The policy in one place: Berlin's clocks skip 02:00 to 03:00 on 29 March 2026, and show it twice on 25 October.
    @Test(arguments: [
        ("30 2 * * *", "2026-03-28T12:00:00", ["2026-03-29T01:00", "2026-03-30T00:30"]),
        ("0,30 2 * * *", "2026-03-28T12:00:00", ["2026-03-29T01:00", "2026-03-30T00:00"]),
        ("0 3 * * *", "2026-03-28T12:00:00", ["2026-03-29T01:00", "2026-03-30T01:00"]),
        ("30 * * * *", "2026-03-29T00:59:00", ["2026-03-29T00:30", "2026-03-29T01:00"]),
        ("30 2 * * *", "2026-10-24T12:00:00", ["2026-10-25T00:30", "2026-10-26T01:30"]),
        ("30 * * * *", "2026-10-25T01:59:00", ["2026-10-25T00:30", "2026-10-25T01:30"]),
        ("*/30 2 * * *", "2026-10-25T01:59:00", ["2026-10-25T00:00", "2026-10-25T00:30"]),
    ])
    func clocksAreSet(expression: String, start: String, times: [String]) throws {
        #expect(try next(expression, after: start, count: 2, zone: "Europe/Berlin") == times)
    }

    @Test func tenThousandASecond() throws {
        let zone = try Zone(named: "America/New_York")
        let expression = try CronExpression("30 7,12 L */3 mon-fri")
        var time = 1_796_025_600.0
        let clock = ContinuousClock()
        let elapsed = try clock.measure {
            for _ in 0..<1000 { time = try #require(expression.next(after: time, in: zone)) }
        }
        // A tenth of what is wanted, for a debug build on a busy machine.
        #expect(elapsed < .seconds(1), "\(elapsed)")
    }
}
