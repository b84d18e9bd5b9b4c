import Crawling
import Model
import Templates
import Testing
import Times
import URLs

struct SeedsTests {
    private func starts(_ texts: [String]) throws -> [String] {
        var job = Job(name: "j", manifest: "j.yaml", manifestSHA256: "")
        job.start = try texts.map { try Template($0, fields: .start) }
        // 2026-03-01 00:30 UTC
        return try startURLs(of: job, at: 1_772_325_000, in: .utc).map(\.href)
    }

    @Test func datesAndRangesAreExpanded() throws {
        #expect(
            try starts(["https://h.example/{date:yyyyMMdd-1d}/{n:1..3}", "https://h.example/20260228/2#x"]) == [
                "https://h.example/20260228/1", "https://h.example/20260228/2", "https://h.example/20260228/3",
            ])
    }

    @Test(arguments: [
        "file:///etc/passwd", "gopher://h.example/", "h.example/x", "localhost:8080/x", "ftp-like:pw@host",
    ])
    func otherSchemesAreRefused(text: String) {
        #expect(throws: Failure.self) { try starts([text]) }
    }
}
