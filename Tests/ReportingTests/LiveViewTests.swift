import Model
import Testing
import URLs
import Unicode

@testable import Reporting

@Suite struct LiveViewTests {
    private let start = ContinuousClock.now

    private func transfer(_ url: String, _ received: Int64, of total: Int64?, from: Int64 = 0) throws
        -> TransferProgress
    {
        TransferProgress(url: try #require(WebURL(url)), received: received, total: total, resumedFrom: from)
    }

    @Test func aDownloadHasABarAndATimeLeft() throws {
        var view = LiveView(job: "job", at: start)
        let mebi: Int64 = 1 << 20
        view.receive(.transfers([try transfer("https://h/a.iso", 10 * mebi, of: 100 * mebi)]), at: start)
        view.receive(
            .transfers([try transfer("https://h/a.iso", 50 * mebi, of: 100 * mebi)]), at: start + .seconds(4))
        let line = view.lines(width: 120, height: 10, at: start + .seconds(4))[1]
        #expect(line.hasPrefix("  [==========          ] https://h/a.iso"))
        #expect(line.hasSuffix("  50%, 5.0 s left, 50.0 MiB of 100.0 MiB, 10.0 MiB/s"))
    }

    @Test func aResumedOneShowsWhereItStarted() throws {
        var view = LiveView(job: "job", at: start)
        view.receive(.transfers([try transfer("https://h/a", 75, of: 100, from: 50)]), at: start)
        let line = view.lines(width: 100, height: 10, at: start)[1]
        #expect(line.contains("[-----==   ]") && line.contains("resumed at 50 B"))
    }

    @Test(arguments: [1, 10, 20, 40, 80, 200]) func noLineIsWiderThanTheTerminal(width: Int) throws {
        var view = LiveView(job: "job", at: start)
        view.receive(
            .transfers([
                try transfer("https://h/\u{1F600}한국어-보고서-2026.pdf?x=\u{5D0}", 5, of: 10, from: 2),
                try transfer("https://h/\(String(repeating: "long/", count: 99))", 1 << 40, of: nil),
            ]), at: start)
        for line in view.lines(width: width, height: 10, at: start) {
            #expect(line.displayWidth <= max(width - 1, 10), "\(line)")
            #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
        }
    }

    @Test func aNarrowTerminalShowsNamesAndHowMuch() throws {
        var view = LiveView(job: "job", at: start)
        let url = "https://h/%ED%95%9C%EA%B5%AD%EC%96%B4%20%E2%80%AE%1B.pdf"
        for second in [0, 4] as [Int64] {
            let transfer = try transfer(url, 25 + second * 5, of: 100, from: 20)
            view.receive(.transfers([transfer]), at: start + .seconds(second))
        }
        let line = view.lines(width: 40, height: 3, at: start)[1]
        #expect(line.hasPrefix("  [--==      ] ") && line.hasSuffix("  45%"))
        #expect(line.contains("{202e}\\u{1b}.pdf") && line.displayWidth == 39)
        #expect(view.lines(width: 80, height: 3, at: start)[1].contains("] …국어 \\u{202e}\\u{1b}.pdf"))
        #expect(view.lines(width: 120, height: 3, at: start)[1].hasSuffix("45 B of 100 B, 5 B/s, resumed at 20 B"))
    }

    /// A terminal that is made narrower folds what stands there, and all of it must go when the view is drawn anew.
    @Test func foldedLinesAreCounted() {
        #expect(LiveView.rows([], width: 40) == 0)
        #expect(LiveView.rows(["", "a", String(repeating: "x", count: 79)], width: 80) == 3)
        #expect(LiveView.rows([String(repeating: "x", count: 79), String(repeating: "한", count: 21)], width: 40) == 4)
        #expect(LiveView.rows(["abc"], width: 0) == 3)
    }

    @Test func theEndOfAWideNameIsShown() throws {
        var view = LiveView(job: "job", at: start)
        view.receive(
            .transfers([try transfer("https://h/\(String(repeating: "long/", count: 9))end.pdf", 1, of: nil)]),
            at: start)
        #expect(view.lines(width: 40, height: 3, at: start).last?.contains("long/end.pdf  ") == true)
    }

    @Test func manyDownloadsFitTheHeight() throws {
        var view = LiveView(job: "job", at: start)
        view.receive(.transfers(try (0..<50).map { try transfer("https://h/\($0)", 1, of: 2) }), at: start)
        #expect(view.lines(width: 80, height: 10, at: start).count <= 10)
        #expect(view.lines(width: 80, height: 10, at: start).last?.contains("and 42 more") == true)
    }
}
