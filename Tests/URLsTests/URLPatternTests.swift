import Testing
import URLs

struct URLPatternTests {
    @Test(arguments: [
        ("/reports/*", "https://h/reports/a/b.pdf", true), ("/reports/*", "https://h/x/reports/a", false),
        ("*.pdf", "https://h/a.pdf#page=2", true), ("*.pdf", "https://h/a.pdf?x", false),
        ("*?sort=*", "https://h/l?sort=a", true), ("*?sort=*", "https://h/lxsort=a", false),
        ("https://h/*", "https://h/a", true), ("https://h/*", "https://g/?u=https://h/", false),
        ("/a", "https://h/a", true), ("/a", "https://h/a?b", false), ("a.zip", "https://h/x/a.zip", true),
        ("//h/a", "https://h/a", false), ("/", "https://h/", true), ("//", "https://h//", true),
        (#"/\.(pdf|xls)$/"#, "https://h/a.xls", true), (#"/\.(pdf|xls)$/"#, "https://h/a.xls?x", false),
        ("/a/b/", "https://h/za/bz", true), ("*", "ftp://h/", true), ("*a*b*c*", "https://h/a/b/c/d", true),
        ("*user*", "https://user:pw@h/", false), ("/한글*", "https://h/%ED%95%9C%EA%B8%80", true),
        ("/a b", "https://h/a b", true), ("*.PDF", "https://h/a.pdf", false),
    ])
    func pattern(_ source: String, takes url: String, _ expected: Bool) throws {
        #expect(try URLPattern(source).matches(#require(WebURL(url))) == expected, "\(source) \(url)")
    }

    @Test func errorPointsIntoThePatternAsWritten() {
        let empty = #expect(throws: PatternError.self) { try URLPattern("") }
        #expect(empty?.offset == 0)
        let error = #expect(throws: PatternError.self) { try URLPattern("/reports/[a/") }
        #expect(error?.offset == 11)
    }

    @Test func starsDoNotMultiply() throws {
        let pattern = try URLPattern(String(repeating: "*a", count: 2000) + "b")
        let url = try #require(WebURL("https://h/" + String(repeating: "a", count: 20_000)))
        #expect(!pattern.matches(url))
    }
}
