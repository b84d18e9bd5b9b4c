import Foundation
import Testing

@testable import Times

@Suite struct TimestampTests {
    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
        (1_796_025_600.25, "2026-11-30T08:00:00Z", "2026-11-30T08:00:00.250Z"),
        (-0.5, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.500Z"),
        (951_782_400, "2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"),
        (.nan, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
        (.infinity, "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"),
        (-1e300, "0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
    ])
    func formats(seconds: Double, plain: String, fine: String) {
        #expect(RFC3339.format(seconds) == plain)
        #expect(RFC3339.format(seconds, milliseconds: true) == fine)
    }

    @Test(arguments: [
        ("2026-11-30T08:00:00Z", 1_796_025_600.0), ("2026-11-30T08:00:00.250Z", 1_796_025_600.25),
        ("2026-11-30T17:00:00+09:00", 1_796_025_600), ("2026-11-30t00:00:00-08:00", 1_796_025_600),
        ("2026-11-30 08:00:00z", 1_796_025_600), ("1990-12-31T23:59:60Z", 662_688_000),
        ("0000-01-01T00:00:00Z", -62_167_219_200),
    ])
    func parses(text: String, seconds: Double) { #expect(RFC3339.parse(text) == seconds) }

    @Test(arguments: [
        "", "2026-11-30", "2026-11-30T08:00:00", "2026-13-30T08:00:00Z", "2026-02-29T08:00:00Z", "2026-11-30T24:00:00Z",
        "2026-11-30T08:00:61Z", "2026-11-30T08:00:00.Z", "2026-11-30T08:00:00+0900", "2026-11-30T08:00:00Z ",
        "2026-11-30T08:00:00+24:00", "26-11-30T08:00:00Z", "2026-11-00T08:00:00Z", "２026-11-30T08:00:00Z",
    ])
    func refuses(text: String) { #expect(RFC3339.parse(text) == nil) }

    @Test func daysGoThereAndBack() {
        var expected = CivilTime(year: 1599, month: 12, day: 31)
        for number in CivilTime.dayNumber(
            year: 1600, month: 1, day: 1)...CivilTime.dayNumber(
                year: 2401, month: 1, day: 1)
        {
            expected.day += 1
            if expected.day > CivilTime.days(inMonth: expected.month, year: expected.year) {
                expected.day = 1
                expected.month += 1
            }
            if expected.month > 12 {
                expected.month = 1
                expected.year += 1
            }
            let date = CivilTime.date(ofDay: number)
            guard date == (expected.year, expected.month, expected.day), expected.dayNumber == number else {
                Issue.record("day \(number) is \(date), not \(expected)")
                return
            }
        }
    }

    @Test func addsDays() {
        let day = CivilTime(year: 2024, month: 3, day: 1, hour: 5)
        #expect(day.adding(days: -1) == CivilTime(year: 2024, month: 2, day: 29, hour: 5))
        #expect(day.adding(days: 366) == CivilTime(year: 2025, month: 3, day: 2, hour: 5))
        #expect(day.adding(days: .max).year == 9999)
        #expect(day.adding(days: .min).year == 0)
    }
}

@Suite struct HTTPDateTests {
    static let now = 1_796_025_600.0

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
        ("Wed, 30 Nov 2016 08:49:60 GMT", 1_480_495_800), ("Fri, 01-Jan-70 00:00:00 GMT", -1),
        ("Friday, 01-Jan-70 00:00:00 GMT", 3_155_760_000), ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
        (" Sun, 06 Nov 1994 08:49:37 GMT ", 784_111_777), ("Sun, 6 Nov 1994 08:49:37 UTC", 784_111_777),
    ])
    func parses(text: String, seconds: Double) {
        #expect(HTTPDate.parse(text, now: HTTPDateTests.now) == (seconds == -1 ? nil : seconds))
    }

    @Test(arguments: [
        "", "0", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "06 Nov 1994 08:49:37 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT0", "Sunday Nov  6 08:49:37 1994", "Sun, 99999999999 Nov 1994 08:49:37 GMT",
    ])
    func refuses(text: String) { #expect(HTTPDate.parse(text, now: HTTPDateTests.now) == nil) }

    @Test func formats() {
        #expect(HTTPDate.format(784_111_777.9) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.format(.nan) == "Thu, 01 Jan 1970 00:00:00 GMT")
    }

    @Test func aTwoDigitYearIsAtMostFiftyYearsAhead() {
        let text = "Sunday, 06-Nov-10 08:49:37 GMT"
        #expect(HTTPDate.parse(text, now: 946_684_799).map { CivilTime(utc: $0).year } == 2010)
        #expect(HTTPDate.parse(text, now: 3_000_000_000).map { CivilTime(utc: $0).year } == 2110)
    }
}

@Suite struct DatePatternTests {
    @Test func writesEveryPart() throws {
        let time = CivilTime(year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 5, millisecond: 6)
        #expect(try DatePattern("yyyy-MM-dd HH:mm:ss.SSS").format(time) == "2026-01-02 03:04:05.006")
        #expect(try DatePattern("yyyyMMddHHmmss").format(time) == "20260102030405")
        #expect(try DatePattern("yyyy年MM月").format(time) == "2026年01月")
        #expect(try DatePattern("").format(time) == "")
    }

    @Test(arguments: [("yyyyMMDD", 6), ("yy", 0), ("MM yyyy x", 8), ("年yyyyy", 3), ("yyyyM", 4), ("ddd", 0)])
    func refusesOtherLetters(pattern: String, offset: Int) {
        let error = #expect(throws: DatePatternError.self) { try DatePattern(pattern) }
        #expect(error?.offset == offset)
    }
}

private let suite =
    (ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"]
        ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../shared/suites")
        .standardizedFileURL.path) + "/http-dates/"

@Suite(.enabled(if: FileManager.default.fileExists(atPath: suite), "no suite http-dates"))
struct HTTPDateSuiteTests {
    private func rows<Row: Decodable>(_ name: String, _: Row.Type) throws -> Row {
        try JSONDecoder().decode(Row.self, from: Data(contentsOf: URL(fileURLWithPath: suite + name)))
    }

    struct Table: Decodable {
        struct Row: Decodable {
            let input: String
            let epoch: Double
            let rfc9110_shape: Bool
        }
        let cases: [Row]
    }

    /// What RFC 9110 names must be read; the rest may be refused, but never read as another date.
    @Test func curlAgrees() throws {
        let rows = try rows("curl_getdate.json", Table.self).cases
        #expect(rows.count >= 100)
        for row in rows {
            let found = HTTPDate.parse(row.input, now: HTTPDateTests.now)
            let isLeft = found == nil && (row.epoch == -1 || !row.rfc9110_shape)
            #expect(found == row.epoch || isLeft, "\(row.input): \(found ?? -1), not \(row.epoch)")
        }
    }

    struct Windows: Decodable {
        struct Row: Decodable {
            let input: String
            /// What a year of two digits is measured against; nil and text stand for today.
            let now: Double?
            let epoch: Double?

            enum CodingKeys: CodingKey { case input, now, epoch }

            init(from decoder: any Decoder) throws {
                let row = try decoder.container(keyedBy: CodingKeys.self)
                input = try row.decode(String.self, forKey: .input)
                now = try? row.decode(Double.self, forKey: .now)
                epoch = try row.decodeIfPresent(Double.self, forKey: .epoch)
            }
        }
        let cases: [Row]
    }

    /// Every row is of one of the three forms: read to the second, or refused.
    @Test func httplintAgrees() throws {
        let rows = try rows("httplint_http_date.json", Windows.self).cases
        #expect(rows.count >= 40)
        for row in rows {
            let found = HTTPDate.parse(row.input, now: row.now ?? HTTPDateTests.now)
            #expect(found == row.epoch, "\(row.input) at \(row.now ?? .nan)")
        }
    }

    struct CookieRow: Decodable {
        let test: String
        let expected: String?
    }

    /// Dates of cookies come in more forms; where this reader takes one it takes it for the same.
    @Test func cookieDatesAreTheSameOrRefused() throws {
        let rows = try rows("http_state_cookie_dates.json", [CookieRow].self)
        #expect(rows.count >= 10)
        for row in rows {
            let found = HTTPDate.parse(row.test, now: HTTPDateTests.now)
            let expected = row.expected.flatMap { HTTPDate.parse($0, now: HTTPDateTests.now) }
            #expect(found == nil || found == expected, "\(row.test)")
        }
    }
}
