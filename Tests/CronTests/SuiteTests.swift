import Cron
import Foundation
import Testing
import Times

/// Cases from other projects' tests.
@Suite struct SuiteTests {
    /// Where croniter's policy is another, by expression.
    static let croniterExceptions = [
        "0 16 */2 * sat": "croniter takes */2 for a restriction; in Vixie cron what begins with * is none",
        "0 0 * * *,sat#3": "croniter drops the * of the list",
        "0 0 1 Apr-Mar/2 *": "croniter steps one too far where a range goes over the end; Cronos does not",
        "0 0 * * thu-tue/2": "croniter steps one too far where a range goes over the end; Cronos does not",
    ]

    @Test(.enabled(if: hasSuite("cron-croniter"), "no suite cron-croniter: set NIGHTJAR_SUITES"))
    func croniter() throws {
        let rows = try #require(suite("cron-croniter/croniter_recorded.json") as? [[String: Any]])
        var tally = Tally()
        for row in rows where row["op"] as? String == "get_next" {
            guard let text = row["expr"] as? String, text.split(separator: " ").count == 5,
                row["tz"] == nil || row["tz"] is NSNull || row["tz"] as? String == "UTC",
                hasDefaults(row["kw"] as? [String: Any] ?? [:])
            else { continue }
            let error = row["error"] as? String
            // Others are about the types of arguments, or a bound on the years searched.
            if error != nil, error?.hasPrefix("CroniterBadDateError") != true { continue }
            guard let start = (row["from_epoch"] ?? row["cur"]) as? Double else { continue }
            let expected = row["result_epoch"] as? Double
            let expression = try? CronExpression(text)
            let found = expression?.next(after: start, in: .utc)
            tally.count(
                expression != nil && found == expected, reason: Self.croniterExceptions[text],
                "\(text) after \(shown(start)): \(shown(found)), not \(shown(expected))")
        }
        tally.check(atLeast: 600)
    }

    private func hasDefaults(_ options: [String: Any]) -> Bool {
        let variants = ["second_at_beginning", "expand_from_start_time", "implement_cron_bug"]
        return options.allSatisfy { name, value in
            switch name {
            case "max_years_between_matches": true
            case "day_or": value as? Bool == true
            default: variants.contains(name) && value as? Bool == false
            }
        }
    }

    /// Where Cronos's policy is another, by the time that is asked from, inclusive.
    static let cronosExceptions = [
        "2017-03-31 01:00 +03:00": "at the very end of a gap Cronos leaves out the time that was moved there",
        "2018-03-30 01:00 +03:00": "at the very end of a gap Cronos leaves out the time that was moved there",
    ]

    @Test(.enabled(if: hasSuite("cron-cronos"), "no suite cron-cronos: set NIGHTJAR_SUITES"))
    func cronosTimes() throws {
        var tally = Tally()
        for table in try cronos() {
            for row in table.rows {
                guard let text = row.expression, let from = row.from, row.isOurs,
                    row.expected != nil || table.name.contains("Unreachable")
                else { continue }
                let zone = try Zone(named: table.zone)
                let start = try row.instant(from, zone)
                let expected = try row.expected.map { try row.instant($0, zone) }
                let isInclusive = row.isInclusive ?? table.isInclusive
                let expression = try? CronExpression(text)
                let found = expression?.next(after: isInclusive ? start.nextDown : start, in: zone)
                tally.count(
                    expression != nil && found == expected, reason: Self.cronosExceptions[from],
                    "\(text) from \(from) \(table.zone): \(shown(found)), not \(row.expected ?? "never")")
            }
        }
        tally.check(atLeast: 250)
    }

    @Test(.enabled(if: hasSuite("cron-cronos"), "no suite cron-cronos: set NIGHTJAR_SUITES"))
    func cronosRefusals() throws {
        var tally = Tally()
        for table in try cronos() where table.name.hasPrefix("Parse_") {
            let isValid = table.name.contains("DoesNotThrow")
            for row in table.rows where row.isStandard {
                guard let text = row.expression, !text.lowercased().contains("every_second") else { continue }
                tally.count(
                    ((try? CronExpression(text)) != nil) == isValid, reason: nil,
                    "\(text) should\(isValid ? "" : " not") be taken")
            }
        }
        tally.check(atLeast: 70)
    }

    @Test(.enabled(if: hasSuite("cron-cronos"), "no suite cron-cronos: set NIGHTJAR_SUITES"))
    func cronosEqualities() throws {
        var tally = Tally()
        for table in try cronos() where table.name == "Equals_ReturnsTrue_WhenCronExpressionsAreEqual" {
            for row in table.rows {
                guard let left = row.values["leftExpression"] as? String,
                    let right = row.values["rightExpression"] as? String
                else { continue }
                let times = try [left, right].map { try next($0, after: "2015-12-31T23:59:00", count: 2000) }
                tally.count(times[0] == times[1], reason: nil, "\(left) is \(right)")
            }
        }
        tally.check(atLeast: 30)
    }

    private func cronos() throws -> [Table] {
        let root = try #require(suite("cron-cronos/cronos.json") as? [String: Any])
        let tests = try #require(root["tests"] as? [String: [String: Any]])
        return tests.sorted { $0.key < $1.key }.map { name, test in
            let hasSeconds = (test["format"] as? String)?.hasPrefix("6") == true
            return Table(
                name: name, zone: test["timezone"] as? String ?? "UTC",
                isInclusive: test["inclusive"] as? Bool ?? false,
                rows: (test["rows"] as? [[String: Any]] ?? []).map { Row(values: $0, hasSeconds: hasSeconds) })
        }
    }

    private struct Table {
        let name: String
        let zone: String
        let isInclusive: Bool
        let rows: [Row]
    }

    private struct Row {
        let values: [String: Any]
        let hasSeconds: Bool

        /// Without seconds where they are 0; nil where they are more.
        var expression: String? {
            guard let text = (values["cronExpression"] ?? values["expression"]) as? String else { return nil }
            guard hasSeconds else { return text }
            let fields = text.split(whereSeparator: \.isWhitespace)
            return fields.count == 6 && fields[0] == "0" ? fields.dropFirst().joined(separator: " ") : nil
        }
        var from: String? { (values["fromString"] ?? values["from"]) as? String }
        var expected: String? { values["expectedString"] as? String }
        var isInclusive: Bool? { values["inclusive"] as? Bool }
        var isStandard: Bool { values["format"] as? String == "CronFormat.Standard" }

        /// Without seconds and hashes, and without two restricted day fields, where Cronos wants both to hold, and so
        /// do we only for weekdays by their place in the month.
        var isOurs: Bool {
            guard let expression, !expression.lowercased().contains("every_second"), values["hash"] == nil,
                !expression.contains("H") || expression.contains("@") || expression.contains("THU")
            else { return false }
            let fields = expression.split(whereSeparator: \.isWhitespace)
            guard fields.count == 5 else { return true }
            let isFree = [fields[2], fields[4]].contains { $0.hasPrefix("*") || $0.hasPrefix("?") }
            return isFree || fields[4].contains("#") || fields[4].uppercased().hasSuffix("L")
        }

        /// `17:35`, `2016-12-09`, `2016-12-09 17:35:00.1234567 +02:00`, or parts of it.
        func instant(_ text: String, _ zone: Zone) throws -> Double {
            var words = text.split(separator: " ").map(String.init)
            if words[0].contains(":") { words.insert("2016-12-09", at: 0) }
            if words.count == 1 { words.append("00:00") }
            let parts = words[1].split(separator: ".")
            let time = parts[0].count == 5 ? "\(parts[0]):00" : String(parts[0])
            let offset = words.count > 2 ? words[2] : ""
            let whole = try CronTests.instant("\(words[0])T\(time)\(offset)", in: zone)
            // A double has no room for ten millionths of a second; any fraction will do.
            return whole + (parts.count > 1 && parts[1].contains { $0 != "0" } ? 0.5 : 0)
        }
    }
}
