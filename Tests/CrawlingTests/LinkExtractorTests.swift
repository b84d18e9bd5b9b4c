import Crawling
import Model
import Testing
import URLs

/// Parses a URL that a test wrote; a mistake in it shows as this address.
func url(_ text: String) -> WebURL {
    guard let url = WebURL(text) ?? WebURL("https://mistake.invalid/") else { preconditionFailure() }
    return url
}

/// The links of a page as `source url`.
func links(
    _ html: String, at page: String = "https://h.example/d/p.html", contentType: String? = "text/html; charset=utf-8",
    extractor: LinkExtractor = LinkExtractor()
) -> [String] {
    extractor.links(in: Array(html.utf8), url: url(page), contentType: contentType).links.map {
        "\($0.source) \($0.url.href)"
    }
}

struct LinkExtractorTests {
    @Test(arguments: [
        ("<a href=x>", ["a[href] https://h.example/d/x"]),
        ("<a href='\n /a\tb \n'>", ["a[href] https://h.example/ab"]),
        ("<a href='?a=1&amp;b=2&copy=3'>", ["a[href] https://h.example/d/p.html?a=1&b=2&copy=3"]),
        ("<a name=x><a>", []),
        ("<area href=x alt=y>", ["area[href] https://h.example/d/x"]),
        (
            "<img src=a srcset='b 1x, c 2x'>",
            [
                "img[src] https://h.example/d/a", "img[srcset] https://h.example/d/b",
                "img[srcset] https://h.example/d/c",
            ]
        ),
        ("<image src=a>", ["img[src] https://h.example/d/a"]),
        ("<picture><source srcset='b 100w'></picture>", ["source[srcset] https://h.example/d/b"]),
        (
            "<video src=a><source src=b><track src=c></video><audio src=d></audio>",
            [
                "video[src] https://h.example/d/a", "source[src] https://h.example/d/b",
                "track[src] https://h.example/d/c",
                "audio[src] https://h.example/d/d",
            ]
        ),
        (
            "<embed src=a><object data=b></object><iframe src=c><a href=d></iframe>",
            [
                "embed[src] https://h.example/d/a", "object[data] https://h.example/d/b",
                "iframe[src] https://h.example/d/c",
            ]
        ),
        ("<frameset><frame src=a>", ["frame[src] https://h.example/d/a"]),
        ("<form action=a><button formaction=b></button><input type=image src=c></form>", []),
        ("<link rel=stylesheet href=a><link rel=icon href=b><link href=c>", []),
        (
            "<link rel='Next' href=a><link rel=alternate type='application/rss+xml' href=f><link rel=alternate href=g>",
            [
                "link[href] https://h.example/d/a", "link[href] https://h.example/d/f",
            ]
        ),
        ("<meta http-equiv=Refresh content='0; URL=x'>", ["meta[refresh] https://h.example/d/x"]),
        (
            "<p style=\"background: url(a)\"><style>b { c: url('d') }</style>",
            [
                "p[style] https://h.example/d/a", "style[url] https://h.example/d/d",
            ]
        ),
        ("<img src=''><iframe src=' '></iframe><a href=''>", ["a[href] https://h.example/d/p.html"]),
        (
            "<a href='http://[x'><a href='javascript:x()'><a href='data:,x'><a href='mailto:a@b'><a href=y>",
            [
                "a[href] https://h.example/d/y"
            ]
        ),
        ("<a href='ftp://f.example/x'>", ["a[href] ftp://f.example/x"]),
        (
            "<svg><a href=x><image href=y /><img src=z></svg>",
            [
                "a[href] https://h.example/d/x", "img[src] https://h.example/d/z",
            ]
        ),
        ("</body></html>junk<a href=x>", ["a[href] https://h.example/d/x"]),
        ("<div data-href=x>", []),
    ])
    func everyKindOfLinkIsFound(html: String, expected: [String]) {
        #expect(links(html) == expected)
    }

    @Test(arguments: [
        "<script>document.write('<a href=x>')</script>", "<!-- <a href=x> -->", "<template><a href=x></template>",
        "<textarea><a href=x></textarea>", "<title><a href=x></title>", "<svg><![CDATA[<a href=x>]]></svg>",
        "<noembed><a href=x></noembed>", "<noframes><a href=x></noframes>", "<xmp><a href=x></xmp>",
        "<plaintext><a href=x>", "<style>/* url(x) */ \"url(x)\"</style>", "<a href=x", "<p title='<a href=x>'>",
    ])
    func whatOnlyLooksLikeALinkIsNone(html: String) {
        #expect(links(html) == [])
    }

    @Test(arguments: [
        ("<base href=/e/><a href=x>", "https://h.example/e/x"),
        ("<a href=x><base href=/e/><base href=/f/>", "https://h.example/e/x"),
        ("<base target=x><base href=/e/><a href=x>", "https://h.example/e/x"),
        ("<base href='//other.example'><a href=x>", "https://other.example/x"),
        ("<base href='data:,'><a href=x>", "https://h.example/d/x"),
        ("<base href='http://['><base href=/e/><a href=x>", "https://h.example/d/x"),
        ("<template><base href=/e/></template><a href=x>", "https://h.example/d/x"),
        ("<!--<base href=/e/>--><a href=x>", "https://h.example/d/x"),
        ("<BASE HREF=/e/><a href=x>", "https://h.example/e/x"),
    ])
    func theFirstBaseHolds(html: String, expected: String) {
        #expect(links(html) == ["a[href] \(expected)"])
    }

    @Test func textDownloadAndRelationsAreKept() {
        let html = """
            <title> A
             page </title><link rel=canonical href=/c><meta name=ROBOTS content="noindex, NoFollow">
            <a href=x download="Bericht.pdf"> The <b>whole</b>
              <script>no</script>&amp; text</a> <a href=y download>y<a href=z rel="nofollow next">z
            """
        let page = LinkExtractor().links(in: Array(html.utf8), url: url("https://h.example/"), contentType: nil)
        #expect(page.title == "A page")
        #expect(page.links.map(\.text) == ["The whole & text", "y", "z"])
        #expect(page.links.map(\.download) == ["Bericht.pdf", "", nil])
        #expect(page.next?.href == "https://h.example/z")
        #expect(page.canonical?.href == "https://h.example/c")
        #expect(page.nofollow)
    }

    @Test func longTextsAreCut() {
        let html = "<a href=x>" + String(repeating: "é ", count: 1_000_000)
        let page = LinkExtractor().links(in: Array(html.utf8), url: url("https://h.example/"), contentType: nil)
        #expect(page.links.first?.text.count == 200)
    }

    @Test func schemesAndAttributesOfTheManifestCount() {
        let html = "<a href='f:https://x.example/a'><a href=' F:b'><div DATA-href=c>"
        let extractor = LinkExtractor(schemes: ["f:"], attributes: ["data-href"])
        let page = extractor.links(in: Array(html.utf8), url: url("https://h.example/d/"), contentType: nil)
        #expect(
            page.links.map(\.url.href) == ["https://x.example/a", "https://h.example/d/b", "https://h.example/d/c"])
        #expect(page.links.map(\.isMarked) == [true, true, false])
        #expect(page.links.last?.source == "div[data-href]")
    }

    @Test func whatIsLeftOutIsTold() {
        var extractor = LinkExtractor()
        extractor.keepsOmitted = true
        let html = "<a href=x><a href='mailto:a@b'><a href='http://['><link rel=icon href=i>"
        let page = extractor.links(in: Array(html.utf8), url: url("https://h.example/"), contentType: nil)
        #expect(page.omitted.map(\.reference) == ["mailto:a@b", "http://[", "i"])
        #expect(page.omitted.map(\.position) == [1, 1, 1])
    }

    @Test func theHeaderForRobotsCounts() {
        var headers = HeaderFields()
        headers.append(name: "X-Robots-Tag", value: Array("noarchive, none".utf8))
        let page = LinkExtractor().links(in: [], url: url("https://h.example/"), contentType: nil, headers: headers)
        #expect(page.nofollow)
    }

    @Test func hostilePagesTakeLinearTime() {
        let parts: [(String, Int)] = [
            ("<a href=x>", 100_000), ("<div style='a:url('>", 50_000), ("<base>", 100_000), ("<style>url(", 50_000),
            ("<img srcset='(((,'>", 50_000), ("<a href=x>y ", 50_000),
        ]
        for (part, count) in parts {
            let html = [UInt8](String(repeating: part, count: count).utf8)
            let time = ContinuousClock().measure {
                _ = LinkExtractor().links(in: html, url: url("https://h.example/"), contentType: nil)
            }
            #expect(time < .seconds(60), "\(part) \(count) times")
        }
        let attributes = [
            "<img srcset='" + String(repeating: "(a ,", count: 300_000),
            "<p style='" + String(repeating: "url(\"", count: 300_000),
            "<a href='" + String(repeating: "../", count: 300_000),
            "<meta http-equiv=refresh content='0;"
                + String(repeating: "url=", count: 300_000),
        ].map { [UInt8](($0 + "'>").utf8) }
        for html in attributes {
            let time = ContinuousClock().measure {
                _ = LinkExtractor().links(in: html, url: url("https://h.example/"), contentType: nil)
            }
            #expect(time < .seconds(20), "\(String(decoding: html.prefix(40), as: UTF8.self))")
        }
    }
}
