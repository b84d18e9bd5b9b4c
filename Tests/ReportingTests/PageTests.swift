import Digests
import Files
import Foundation
import Model
import TestSupport
import Testing

@testable import Reporting

@Suite struct PageTests {
    private func report(_ records: [ItemRecord]) -> RunReport {
        var report = RunReport()
        report.run = RunReport.Run(
            id: "20260101T000000Z-abcdef", job: "job", manifestSHA256: "00", started: "2026-01-01T00:00:00.000Z",
            finished: "2026-01-01T00:01:00.000Z", status: .partial, exitStatus: 1)
        for record in records {
            report.counts.count(record.status)
            if record.status == .failed { report.failures.add(record) }
        }
        return report
    }

    private func page(_ records: [ItemRecord], _ change: (inout RunReport) -> Void = { _ in }) -> String {
        var page = RunPage()
        for record in records { page.add(record) }
        var report = report(records)
        change(&report)
        return String(decoding: page.render(report), as: UTF8.self)
    }

    private func item(_ url: String, _ status: ItemStatus, name: String? = nil, error: String? = nil) -> ItemRecord {
        var record = ItemRecord(url: url, status: status)
        record.name = name
        record.error = error.map { Failure(.httpStatus, $0) }
        return record
    }

    /// What a server may put into every text that a page shows.
    private static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='x", "</td></tr></table>",
        "javascript:alert(1)", "a\u{202E}fdp.exe", "\u{1B}[2J\u{7}", "&lt;b&gt;", "]]>--><!--", "x\u{0}y\r\nz",
    ]

    @Test(arguments: hostile) func nothingFromTheNetworkBecomesMarkup(text: String) {
        var records = [
            item("https://h/\(text)", .downloaded, name: text), item("https://h/\(text)", .failed, error: text),
        ]
        records[0].contentType = text
        records[1].reason = text
        let html = page(records) { report in
            report.warnings = [RunWarning(code: "w", message: text, url: text)]
            var bundle = BundleRecord(path: "bundles/job/\(text)", format: .zip, entries: 1, bytes: 1, sha256: text)
            bundle.handoffs = [HandoffRecord(to: text, status: .failed)]
            report.bundles = [bundle]
        }
        let plain = page([item("https://h/a", .downloaded, name: "n"), item("https://h/a", .failed, error: "e")]) {
            $0.warnings = [RunWarning(code: "w", message: "m", url: "u")]
            var bundle = BundleRecord(path: "bundles/job/b", format: .zip, entries: 1, bytes: 1, sha256: "s")
            bundle.handoffs = [HandoffRecord(to: "t", status: .failed)]
            $0.bundles = [bundle]
        }
        // The same tags, whatever the texts say.
        #expect(html.filter { $0 == "<" }.count == plain.filter { $0 == "<" }.count)
        #expect(html.filter { $0 == "\"" }.count == plain.filter { $0 == "\"" }.count)
        #expect(!html.unicodeScalars.contains { "\u{202E}\u{1B}\u{7}\u{0}\r".unicodeScalars.contains($0) })
        #expect(!html.contains("href=\"javascript"))
    }

    @Test func onlyTheScriptOfThePageMayRun() throws {
        let digest = Data(try SHA256.digest(of: Array(pageScript.utf8))).base64EncodedString()
        #expect(pageScriptHash == "sha256-\(digest)")
        #expect(page([]).contains("script-src 'sha256-\(digest)'"))
    }

    @Test func aMillionItemsMakeAPageOfTheSameSize() {
        var page = RunPage()
        var counts = RunCounts()
        for number in 0..<20_000 {
            let status = ItemStatus.allCases[number % ItemStatus.allCases.count]
            var record = item(
                "https://h.example/a/long/path/of/some/length/\(number).pdf", status, name: "\(number).pdf")
            record.sha256 = String(repeating: "a", count: 64)
            record.reason = status == .skipped ? "out of scope: https://elsewhere.example/\(number % 3)" : nil
            counts.count(status)
            page.add(record)
        }
        var report = report([])
        report.counts = counts
        let bytes = page.render(report)
        #expect(bytes.count < 1_000_000)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("of 20000 items") && text.contains("items.jsonl"))
    }

    @Test func longTextsDoNotMakeAPageLarge() {
        let long = String(repeating: "x", count: 5000)
        let records = (0..<1000).map { item("https://h/\($0)\(long)", .failed, error: long) }
        #expect(page(records).utf8.count < 1_000_000)
    }

    @Test func theIndexShowsEveryJobAndWhatIsOverdue() {
        var late = JobOverview(job: "late")
        late.dueSince = 1_700_000_000
        late.runs = (0..<40).map { number in
            JobOverview.Run(
                id: "\(number)", started: Double(number), seconds: Double(number), status: .succeeded,
                bytes: Int64(number), failed: 0)
        }
        late.bundles = [JobOverview.Bundle(path: "bundles/late/<b>", bytes: 1, sha256: "abc", created: 0)]
        let html = String(decoding: indexPage([late, JobOverview(job: "new")], at: 1_700_000_100), as: UTF8.self)
        #expect(html.contains("class=\"overdue\">overdue since 2023-11-14 22:13:20 UTC"))
        // Three strips of the last 30 runs.
        #expect(html.components(separatedBy: "<rect").count == 91)
        #expect(html.contains("<code class=\"copy\">abc</code>") && !html.contains("<b>"))
        #expect(html.contains(">new</th>"))
    }
}
