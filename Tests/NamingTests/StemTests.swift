import Testing

@testable import Naming

@Suite struct StemTests {
    private func stem(_ facts: NameFacts, _ template: String = "{stem}.{ext}") throws -> String {
        let name = try makeNamer(template, sniffs: false).propose(facts)
        return "\(name.stemSource.rawValue): \(name.stem)"
    }

    @Test func theHeaderComesFirst() throws {
        #expect(
            try stem(facts("https://a.test/x.pdf", disposition: "attachment; filename=\"y.pdf\"", download: "z.pdf"))
                == "disposition: y")
    }

    @Test func thenTheAttribute() throws {
        #expect(try stem(facts("https://a.test/x.pdf", download: "z.pdf")) == "download: z")
        #expect(try stem(facts("https://a.test/x.pdf", download: "")) == "url: x")
    }

    @Test(arguments: [
        ("https://a.test/latest.zip", "https://cdn.test/app-1.2.zip", "url: latest"),
        ("https://a.test/latest", "https://cdn.test/app-1.2.zip", "final-url: app-1.2"),
        ("https://a.test/get.php?id=3", "https://cdn.test/report.pdf", "final-url: report"),
        ("https://a.test/docs/annual-report", "https://a.test/docs/annual-report", "final-url: annual-report"),
        ("https://a.test/%EB%B3%B4%EA%B3%A0%EC%84%9C.pdf", "https://a.test/", "url: 보고서"),
        ("https://a.test/a%2520b.pdf", "https://a.test/", "url: a%20b"),
        (
            "https://a.test/download.php?file=2026/a%20b.pdf", "https://a.test/download.php?file=2026/a%20b.pdf",
            "query: a b"
        ),
        ("https://a.test/?file=a.pdf", "https://a.test/?file=a.pdf", "query: a"),
        ("https://a.test/npdf.php?fn=foobar.pdf", "https://a.test/npdf.php?fn=foobar.pdf", "final-url: npdf"),
        ("https://a.test/?u=example.com", "https://a.test/?u=example.com", "id: "),
        ("https://a.test/v1.2", "https://a.test/v1.2", "final-url: v1.2"),
        ("https://a.test/x.tar.gz", "https://a.test/x.tar.gz", "url: x"),
    ])
    func thenTheURLs(first: String, final: String, expected: String) throws {
        let found = try stem(facts(first, final: final))
        #expect(expected.hasSuffix(": ") ? found.hasPrefix(expected) : found == expected)
    }

    @Test func theLinksTextWhereTheTemplateHasIt() throws {
        let facts = try facts("https://a.test/?id=3", text: "Annual report 2026")
        #expect(try stem(facts, "{text}-{stem}.{ext}") == "text: Annual report 2026")
        #expect(try stem(facts).hasPrefix("id: "))
    }

    @Test func theIdIsStable() throws {
        #expect(urlID(try webURL("https://a.test/?id=3#x")) == urlID(try webURL("https://a.test/?id=3")))
        #expect(urlID(try webURL("https://a.test/?id=3")) != urlID(try webURL("https://a.test/?id=4")))
        #expect(urlID(try webURL("https://a.test/")).utf8.count == 16)
    }

    @Test func escapesThatAreNoUTF8AreReadByThePagesCharset() throws {
        let url = "https://a.test/V%FDvojov%E1%20psychologie.doc"
        #expect(try stem(facts(url, charset: "iso-8859-1")) == "url: Vývojová psychologie")
        #expect(try stem(facts(url)) == "url: V%FDvojov%E1%20psychologie")
    }
}
