import Crawling
import Model
import Testing
import URLs

struct HeadVerdictTests {
    /// `page`, `item`, `unwanted` or `rejected`.
    private func verdict(
        _ plan: CrawlPlan, _ purpose: Purpose, type: String?, at text: String = "https://h.example/d/x",
        isStart: Bool = false, depth: Int = 1, disposition: String? = nil
    ) -> String {
        var request = FetchRequest(id: 1, url: url(text), purpose: purpose)
        request.isStart = isStart
        var headers = HeaderFields()
        if let type { headers.append(name: "Content-Type", value: Array(type.utf8)) }
        if let disposition { headers.append(name: "Content-Disposition", value: Array(disposition.utf8)) }
        let head = ResponseHead(url: url(text), status: 200, headers: headers)
        switch plan.verdict(for: head, to: request, depth: depth) {
        case .page: return "page"
        case .item: return "item"
        case .unwanted: return "unwanted"
        case .rejected(let failure): return failure.code == .typeMismatch ? "rejected" : failure.message
        }
    }

    @Test func pagesAreHTML() {
        let plan = plan { _, download in download.extensions = ["pdf"] }
        #expect(verdict(plan, .page, type: "Text/HTML; charset=utf-8") == "page")
        #expect(verdict(plan, .page, type: "application/xhtml+xml") == "page")
        #expect(verdict(plan, .page, type: "text/html", disposition: "attachment; filename=x.html") == "unwanted")
        #expect(verdict(plan, .page, type: "image/png") == "unwanted")
        #expect(verdict(plan, .page, type: nil) == "unwanted")
        #expect(verdict(plan, .page, type: "text/html", at: "https://o.example/") == "unwanted")
    }

    @Test func aPageThatTurnsOutToBeADownloadIsAnItem() {
        let plan = plan { _, download in download.types = ["application/pdf", "ms-excel"] }
        #expect(verdict(plan, .page, type: "application/pdf") == "item")
        #expect(verdict(plan, .ask, type: "Application/VND.MS-Excel") == "item")
        #expect(verdict(plan, .ask, type: "image/png") == "unwanted")
        #expect(verdict(plan, .ask, type: "text/html") == "page")
        #expect(verdict(plan, .ask, type: "text/html", depth: 4) == "unwanted")
        #expect(verdict(plan, .ask, type: "text/html", at: "https://o.example/x") == "unwanted")
    }

    @Test func withoutACriterionWhatIsNoPageIsAnItem() {
        #expect(verdict(plan(), .ask, type: "image/png") == "item")
        #expect(verdict(plan(), .ask, type: nil) == "item")
        #expect(verdict(plan(), .ask, type: "text/html") == "page")
        #expect(verdict(plan(), .ask, type: "text/html", at: "https://o.example/x") == "unwanted")
    }

    @Test func aLoginPageIsNoReport() {
        let plan = plan { _, download in download.extensions = ["pdf"] }
        #expect(verdict(plan, .item, type: "text/html", at: "https://h.example/d/x.pdf") == "rejected")
        #expect(verdict(plan, .item, type: "application/pdf", at: "https://h.example/d/x.pdf") == "item")
        #expect(verdict(plan, .item, type: "text/html", at: "https://h.example/d/x.html") == "item")
        let pages = planRejecting(nil) { $0.extensions = ["html"] }
        #expect(verdict(pages, .item, type: "text/html", at: "https://h.example/d/x") == "item")
        let strict = planRejecting(["json", "xml"]) { $0.extensions = ["pdf"] }
        #expect(verdict(strict, .item, type: "application/json") == "rejected")
        #expect(verdict(strict, .item, type: "text/html") == "item")
    }

    private func planRejecting(_ types: [String]?, _ change: (inout DownloadRules) -> Void) -> CrawlPlan {
        var download = DownloadRules()
        download.rejectTypes = types
        change(&download)
        return CrawlPlan(crawl: CrawlRules(), download: download, starts: [url("https://h.example/d/")])
    }

    @Test func aStartThatIsNoPageIsItselfAnItem() {
        let plan = plan { _, download in download.types = ["application/pdf"] }
        #expect(verdict(plan, .ask, type: "application/zip", isStart: true, depth: 0) == "item")
        #expect(verdict(plan, .ask, type: "text/html", isStart: true, depth: 0) == "page")
    }
}
