import Crawling
import HTML
import Model
import Testing
import URLs

/// What is read for links though it is no HTML.
struct SourceTests {
    private let rss = """
        <?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>
        <title>News</title><link>https://h.example/</link><image><url>/i.png</url><link>https://h.example/</link></image>
        <item><title>One</title><link> /one.html </link><guid isPermaLink="false">tag:1</guid>
        <description>&lt;a href="one.pdf"&gt;PDF&lt;/a&gt;</description>
        <enclosure url="https://cdn.example/one.mp3?a=1&amp;b=2" length="5" type="audio/mpeg"/></item>
        <item><link><![CDATA[https://h.example/two.html]]></link><media:content url="two.mp4"/></item>
        </channel></rss>
        """
    private let atom = """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://b.example/d/"><link rel="self" href="feed.atom"/>
        <link rel="next" href="feed.atom?page=2"/><author><uri>/author</uri></author>
        <entry><link href="one.html"/><link rel="enclosure" href="one.zip"/>
        <content type="xhtml"><div xml:base="e/"><a href="x.pdf">x</a></div></content></entry></feed>
        """

    @Test func feedsGiveTheirLinksAndEnclosures() {
        let found = links(rss, at: "https://h.example/d/feed", contentType: "text/xml")
        #expect(
            found == [
                "link https://h.example/", "url https://h.example/i.png", "link https://h.example/",
                "link https://h.example/one.html", "a[href] https://h.example/d/one.pdf",
                "enclosure[url] https://cdn.example/one.mp3?a=1&b=2", "link https://h.example/two.html",
                "media:content[url] https://h.example/d/two.mp4",
            ])
    }

    @Test func atomResolvesAgainstItsOwnBase() {
        let page = LinkExtractor().links(
            in: Array(atom.utf8), url: url("https://h.example/feed"), contentType: "text/html")
        #expect(page.kind == .feed)
        #expect(
            page.links.map(\.url.href) == [
                "https://b.example/d/feed.atom?page=2", "https://b.example/d/one.html", "https://b.example/d/one.zip",
                "https://b.example/d/e/x.pdf",
            ])
        #expect(page.next == url("https://b.example/d/feed.atom?page=2"))
        #expect(page.links.map(\.isSource) == [true, false, false, false])
    }

    @Test func jsonFeedsToo() {
        let json = """
            {"version": "https://jsonfeed.org/version/1.1", "feed_url": "x", "next_url": "?page=2", "items": [
            {"id": "1", "url": "/one", "content_html": "<a href=a.pdf>", "attachments": [{"url": "one.mp3"}]}]}
            """
        #expect(
            links(json, at: "https://h.example/d/feed.json", contentType: "application/json") == [
                "items.url https://h.example/one", "attachments.url https://h.example/d/one.mp3",
                "a[href] https://h.example/d/a.pdf", "next_url https://h.example/d/feed.json?page=2",
            ])
    }

    @Test func sitemapsAndTheirIndex() {
        let map =
            "<urlset><url><loc>https://h.example/a?b&amp;c</loc><image:image><image:loc>/i</image:loc></image:image></url></urlset>"
        #expect(
            links(map, contentType: "application/xml") == [
                "loc https://h.example/a?b&c", "image:loc https://h.example/i",
            ])
        let index = "\u{FEFF}<sitemapindex><sitemap><loc>https://h.example/1.xml.gz</loc></sitemap></sitemapindex>"
        let page = LinkExtractor().links(in: Array(index.utf8), url: url("https://h.example/s"), contentType: nil)
        #expect(page.kind == .sitemap && page.links.first?.isSource == true)
    }

    @Test(arguments: ["https://example.org/0", "https://example.org/0123456789.pdf\n# more", "https:/", "ht", ""])
    func listsAreKnownByTheirFirstBytes(end: String) throws {
        let url = try #require(WebURL("https://example.org/urls.txt"))
        let prefix = Array(("https://example.org/a.pdf\n" + end).utf8)
        #expect(LinkExtractor().mayBeSource(beginning: prefix, url: url, contentType: "text/plain"))
        #expect(!LinkExtractor().mayBeSource(beginning: [0x61, 0x0A] + prefix, url: url, contentType: "text/plain"))
    }

    @Test func listsOfURLs() {
        let list = "# files\r\nhttps://h.example/a.pdf\r\n\r\nhttps://h.example/b.pdf\n"
        #expect(
            links(list, contentType: "text/plain") == [
                "line https://h.example/a.pdf", "line https://h.example/b.pdf",
            ])
        #expect(links("SHA256 of https://h.example/a.pdf", contentType: "text/plain").isEmpty)
        #expect(
            links("User-agent: *\nSitemap: /s.xml", at: "https://h.example/robots.txt", contentType: "text/plain") == [
                "robots[sitemap] https://h.example/s.xml"
            ])
    }

    @Test(arguments: [
        ("text/html", "<!doctype html><p>", SourceKind.html), ("text/plain", "a text", .other),
        ("application/xml", "<data/>", .other), ("application/xml", "<html xmlns='x'/>", .html),
        ("text/html", "<?xml version='1.0'?><!-- c --><rss/>", .feed), ("text/html", "{\"a\": 1}", .html),
        ("application/json", "{\"a\": 1}", .other), ("application/json", "[", .other), ("text/plain", "", .other),
    ])
    func theContentTellsTheKind(type: String, body: String, kind: SourceKind) {
        let page = LinkExtractor().links(in: Array(body.utf8), url: url("https://h.example/x"), contentType: type)
        #expect(page.kind == kind)
    }

    /// `<urlset><url><loc>https://h.example/a</loc></url></urlset>`
    private let zipped: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 179, 41, 45, 202, 41, 78, 45, 177, 179, 1, 210, 118, 54, 57, 249, 201,
        118, 25, 37, 37, 5, 197, 86, 250, 250, 25, 122, 169, 21, 137, 185, 5, 57, 169, 250, 137, 54, 250, 32, 9,
        27, 125, 176, 26, 125, 168, 14, 0, 153, 254, 159, 222, 58, 0, 0, 0,
    ]

    @Test func gzipIsOpened() {
        let address = url("https://h.example/s.xml.gz")
        let page = LinkExtractor().links(in: zipped, url: address, contentType: "application/gzip")
        #expect(page.links.map(\.url.href) == ["https://h.example/a"] && page.kind == .sitemap)
        let twice = LinkExtractor().links(in: zipped + zipped, url: address, contentType: nil)
        #expect(twice.links.count == 2)
        for damaged in [Array(zipped.dropLast(20)), Array(zipped.dropLast(1)), [0x1F, 0x8B]] {
            #expect(LinkExtractor().links(in: damaged, url: address, contentType: nil).kind == .other)
        }
    }

    @Test func linkFieldsCome() {
        var headers = HeaderFields()
        headers.append(name: "Link", value: Array("</2>; rel=\"next\", </s.css>; rel=preload".utf8))
        headers.append(name: "Link", value: Array("<f.pdf>; rel=item, <x>; rel=next; anchor=\"/y\", z; rel=next".utf8))
        let page = LinkExtractor().links(
            in: Array("<a href=a>".utf8), url: url("https://h.example/d/"), contentType: "text/html", headers: headers)
        #expect(
            page.links.map { "\($0.source) \($0.url.href)" } == [
                "header[link] https://h.example/2", "header[link] https://h.example/d/f.pdf",
                "a[href] https://h.example/d/a",
            ])
        #expect(page.next == url("https://h.example/2"))
    }

    @Test func declaredEntitiesReadNothing() {
        let xml = """
            <!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>http://h/&x;</loc></url></urlset>
            """
        let page = LinkExtractor().links(in: Array(xml.utf8), url: url("https://h.example/s"), contentType: nil)
        #expect(page.links.map(\.url.href) == ["http://h/"] && page.refusesEntities)
    }

    @Test func theSelectorTakesItsLinksAlone() throws {
        let html = """
            <nav><a href=n></a></nav><main><a href=a class=download></a><a href=b></a><div class=box><a href=c><img src=d>
            </a></div></main><link rel=next href=e><meta name=robots content=nofollow>
            """
        let one = LinkExtractor(select: try Selector("main a.download"))
        #expect(links(html, extractor: one) == ["a[href] https://h.example/d/a"])
        let box = LinkExtractor(select: try Selector("div.box, [rel=next]"))
        #expect(links(html, extractor: box).map { $0.suffix(1) } == ["c", "d", "e"])
        let page = one.links(in: Array(html.utf8), url: url("https://h.example/"), contentType: nil)
        #expect(page.nofollow)
    }

    @Test func ignoredParametersDoNotTellURLsApart() {
        let plan = plan { crawl, _ in crawl.ignoredQuery = ["utm_*", "sid"] }
        let html = "<a href='x?sid=1&a=2&utm_source=y#f'><a href='x?a=2&sid=3'><a href='y?sid=4'><a href='z?b#f'>"
        let address = url("https://h.example/d/")
        let page = LinkExtractor().links(in: Array(html.utf8), url: address, contentType: "text/html")
        #expect(
            plan.discoveries(on: page, at: address, depth: 0).map(\.link.url.href) == [
                "https://h.example/d/x?a=2", "https://h.example/d/x?a=2", "https://h.example/d/y",
                "https://h.example/d/z?b",
            ])
    }

    @Test func sourcesAreReadWhateverIsDownloaded() {
        let plan = plan { _, download in download.extensions = ["pdf"] }
        var link = Link(url: url("https://h.example/d/sitemap.xml.gz"), source: "loc[sitemap]")
        link.isSource = true
        #expect(plan.verdict(for: link, foundAt: 0) == .fetch(.page))
        link.url = url("https://o.example/s.xml")
        #expect(plan.verdict(for: link, foundAt: 0) == .skip("out of scope: host o.example is not h.example"))
    }
}
