import Crawling
import Model
import Testing
import URLs

/// A plan with `https://h.example/d/` as its start and what a test sets.
func plan(_ change: (inout CrawlRules, inout DownloadRules) throws -> Void) rethrows -> CrawlPlan {
    var crawl = CrawlRules()
    var download = DownloadRules()
    try change(&crawl, &download)
    return CrawlPlan(crawl: crawl, download: download, starts: [url("https://h.example/d/")])
}

func plan() -> CrawlPlan { plan { _, _ in } }

func verdict(
    _ plan: CrawlPlan, _ text: String, source: String = "a[href]", download: String? = nil, marked: Bool = false,
    depth: Int = 0
) -> LinkVerdict {
    var link = Link(url: url(text), source: source, download: download)
    link.isMarked = marked
    return plan.verdict(for: link, foundAt: depth)
}

struct CrawlPlanTests {
    @Test(arguments: [
        ("https://h.example/d/x", Scope.prefix, nil), ("https://h.example/d/e/x", .prefix, nil),
        ("http://h.example/d/x", .prefix, nil), ("https://h.example/e/", .prefix, "out of scope: not below /d/"),
        ("https://h.example/dd", .prefix, "out of scope: not below /d/"),
        ("https://h.example:8443/d/", .prefix, "out of scope: host h.example:8443 is not h.example"),
        ("https://h.example.evil/d/", .prefix, "out of scope: host h.example.evil is not h.example"),
        ("https://h.example@evil.example/d/", .prefix, "out of scope: host evil.example is not h.example"),
        ("https://evil.example\\@h.example/d/", .prefix, "out of scope: host evil.example is not h.example"),
        ("https://h.example/d/../e", .prefix, "out of scope: not below /d/"),
        ("https://h.example/e/", .host, nil),
        ("https://www.h.example/e/", .host, "out of scope: host www.h.example is not h.example"),
        ("https://www.h.example/e/", .domain, nil),
        ("https://other.example/", .domain, "out of scope: domain other.example is not h.example"),
        ("https://other.example/", .any, nil),
    ])
    func scopesBindPages(text: String, scope: Scope, reason: String?) {
        let plan = plan { crawl, download in
            crawl.scope = scope
            download.extensions = ["pdf"]
        }
        #expect(verdict(plan, text) == reason.map { .skip($0) } ?? .fetch(.page))
    }

    @Test func depthIsCountedInPages() {
        let plan = plan { crawl, download in
            crawl.depth = 2
            download.extensions = ["pdf"]
        }
        #expect(verdict(plan, "https://h.example/d/x", depth: 1) == .fetch(.page))
        #expect(verdict(plan, "https://h.example/d/x", depth: 2) == .skip("deeper than crawl.depth 2"))
        #expect(verdict(plan, "https://h.example/d/x.pdf", depth: 2) == .fetch(.item))
    }

    @Test func followPatternsBindPages() throws {
        let plan = try plan { crawl, download in
            download.extensions = ["pdf"]
            crawl.follow.include = [try URLPattern("/d/*")]
            crawl.follow.exclude = [try URLPattern("*?sort=*")]
        }
        #expect(verdict(plan, "https://h.example/d/x") == .fetch(.page))
        #expect(
            verdict(plan, "https://h.example/d/x?sort=a") == .skip("excluded by crawl.follow.exclude *?sort=*"))
    }

    @Test func extensionsMarksAndAttributesMakeItems() {
        let plan = plan { _, download in
            download.extensions = ["pdf", "tar.gz"]
            download.schemes = ["f:"]
        }
        #expect(verdict(plan, "https://o.example/x.PDF?y") == .fetch(.item))
        #expect(verdict(plan, "https://o.example/x.tar.gz") == .fetch(.item))
        #expect(verdict(plan, "https://o.example/.pdf") == .skip("out of scope: host o.example is not h.example"))
        #expect(verdict(plan, "https://o.example/x", marked: true) == .fetch(.item))
        #expect(verdict(plan, "https://o.example/x", download: "") == .fetch(.item))
        #expect(verdict(plan, "https://h.example/d/x.zip") == .skip("a file, and no rule of download asks for it"))
        #expect(
            verdict(plan, "gopher://o.example/x.pdf")
                == .skip("scheme gopher is not fetched, only http, https, ftp and sftp"))
    }

    @Test func includeAndExcludeBindItems() throws {
        let plan = try plan { _, download in
            download.extensions = ["pdf"]
            download.filter.include = [try URLPattern("*/reports/*")]
            download.filter.exclude = [try URLPattern("*draft*")]
        }
        #expect(verdict(plan, "https://o.example/reports/x.pdf") == .fetch(.item))
        #expect(
            verdict(plan, "https://o.example/reports/draft.pdf") == .skip("excluded by download.exclude *draft*"))
        #expect(verdict(plan, "https://o.example/x.pdf") != .fetch(.item))
        let onlyIncluded = try planIncluding("*.bin")
        #expect(verdict(onlyIncluded, "https://o.example/x.bin") == .fetch(.item))
        #expect(verdict(onlyIncluded, "https://h.example/d/x") == .fetch(.page))
    }

    private func planIncluding(_ pattern: String) throws -> CrawlPlan {
        var download = DownloadRules()
        download.filter.include = [try URLPattern(pattern)]
        return CrawlPlan(crawl: CrawlRules(), download: download, starts: [url("https://h.example/d/")])
    }

    @Test func typesAskAndScopesBindItems() {
        let plan = plan { _, download in
            download.types = ["pdf"]
            download.scope = .host
        }
        #expect(verdict(plan, "https://h.example/x") == .fetch(.ask))
        #expect(verdict(plan, "https://h.example/x.zip") == .fetch(.ask))
        #expect(
            verdict(plan, "https://o.example/x")
                == .skip("out of download.scope host: host o.example is not h.example"))
    }

    @Test func withoutACriterionEverythingLinkedIsAsked() {
        let plan = plan()
        #expect(verdict(plan, "https://o.example/x") == .fetch(.ask))
        #expect(verdict(plan, "https://h.example/i.png", source: "img[src]") == .fetch(.ask))
    }

    @Test func whatIsEmbeddedIsNoPage() {
        let plan = plan { _, download in download.extensions = ["png"] }
        let reason = LinkVerdict.skip("img[src] is part of a page, and no rule of download asks for it")
        #expect(verdict(plan, "https://h.example/d/x", source: "img[src]") == reason)
        #expect(verdict(plan, "https://h.example/d/x.png", source: "img[src]") == .fetch(.item))
        #expect(verdict(plan, "https://h.example/d/x", source: "iframe[src]") == .fetch(.page))
    }

    @Test func trapsAreLeftOut() {
        let plan = plan()
        let long = "https://h.example/d/" + String(repeating: "x", count: 9000)
        #expect(verdict(plan, long) == .skip("a URL longer than 8192 bytes"))
        let deep = "https://h.example/d/" + String(repeating: "a/b/", count: 6)
        #expect(verdict(plan, deep) == .skip("its path repeats one segment more than 5 times, as a trap does"))
        #expect(verdict(plan, "https://h.example/d/1/2/3/4/5/6/7/8") == .fetch(.ask))
    }

    @Test func redirectsKeepToTheScopes() {
        let plan = plan { _, download in download.scope = .domain }
        let near = url("https://cdn.h.example/x")
        let far = url("https://o.example/x")
        #expect(plan.refusal(ofRedirectTo: url("https://h.example/d/y"), for: .page) == nil)
        #expect(plan.refusal(ofRedirectTo: near, for: .page)?.code == .redirectRefused)
        #expect(plan.refusal(ofRedirectTo: near, for: .item) == nil)
        #expect(plan.refusal(ofRedirectTo: near, for: .ask) == nil)
        #expect(plan.refusal(ofRedirectTo: far, for: .ask)?.code == .redirectRefused)
        #expect(plan.refusal(ofRedirectTo: url("file:///etc/passwd"), for: .item)?.code == .redirectRefused)
        #expect(plan.refusal(ofRedirectTo: url("ftp://h.example/d/"), for: .page)?.code == .redirectRefused)
    }

    @Test func aListingGivesItsEntriesAlone() {
        let html = """
            <title>Index of /d</title><img src=/icons/blank.gif><a href="?C=N;O=D">Name</a><a href="?C=M&amp;O=A">Date</a>
            <a href="/">Parent Directory</a><a href="https://h.example/d/">self</a><a href="x.bin">x</a><a href="e/">e</a>
            """
        let address = url("https://h.example/d/")
        let page = LinkExtractor().links(in: Array(html.utf8), url: address, contentType: nil)
        let found = plan().discoveries(on: page, at: address, depth: 0)
        #expect(
            found.map(\.verdict) == [
                .skip("an icon of the listing"), .skip("sorts the listing"), .skip("sorts the listing"),
                .skip("the parent folder"), .skip("the listing itself"), .fetch(.ask), .fetch(.ask),
            ])
        #expect(found.map(\.position) == Array(0..<7))
        #expect(found.allSatisfy { $0.depth == 1 })
    }

    @Test func nofollowHoldsForPages() {
        let html = "<meta name=robots content=nofollow><a href=x><a href=y.pdf>"
        let address = url("https://h.example/d/")
        let page = LinkExtractor().links(in: Array(html.utf8), url: address, contentType: nil)
        let plan = plan { _, download in download.extensions = ["pdf"] }
        let verdicts = plan.discoveries(on: page, at: address, depth: 0).map(\.verdict)
        #expect(verdicts.last == .fetch(.item))
        #expect(verdicts.first == .skip("the page asks robots not to follow its links (crawl.robots: obey)"))
    }
}
