import Crawling
import Testing
import URLs

struct RobotsRulesTests {
    private static let file = """
        # a comment
        User-agent: *
        Disallow: /private/   # and another
        Disallow: /*.php$
        Allow: /private/open*
        Crawl-delay: 2.5

        User-agent: Nightjar/2.0
        user-agent : OtherBot
        Disallow: /other
        Crawl-delay: 10

        User-agent: nightjar
        Disallow: /own
        Sitemap: https://h/sitemap.xml
        sitemap:/relative.xml
        """

    @Test(
        arguments: [
            ("Somebody", "/private/x", false, "Disallow: /private/"),
            ("Somebody", "/private/open-data", true, "Allow: /private/open*"),
            ("Somebody", "/a.php", false, "Disallow: /*.php$"), ("Somebody", "/a.php?x", true, nil),
            ("Somebody", "/other", true, nil), ("Nightjar", "/other", false, "Disallow: /other"),
            ("NIGHTJAR/1.0 (+https://h)", "/own/x", false, "Disallow: /own"), ("Nightjar", "/private/x", true, nil),
            ("OtherBot", "/own", true, nil), ("Somebody", "/", true, nil),
            ("", "/private/", false, "Disallow: /private/"),
        ] as [(String, String, Bool, String?)])
    func ruleDecides(agent: String, path: String, allowed: Bool, rule: String?) {
        let verdict = RobotsRules(parsing: Array(Self.file.utf8)).policy(for: agent).verdict(forPath: path)
        #expect(verdict.allowed == allowed)
        #expect(verdict.rule == rule)
    }

    @Test func delaysAndSitemapsAreRead() {
        let rules = RobotsRules(parsing: Array(Self.file.utf8))
        #expect(rules.crawlDelay(agent: "Somebody") == .milliseconds(2500))
        #expect(rules.crawlDelay(agent: "Nightjar") == .seconds(10))
        #expect(rules.sitemaps == ["https://h/sitemap.xml", "/relative.xml"])
        for wrong in ["-1", "abc", "1e9", "", "0x10", "nan"] {
            let odd = RobotsRules(parsing: Array("User-agent: *\nCrawl-delay: \(wrong)".utf8))
            #expect(odd.crawlDelay(agent: "x") == nil, "\(wrong)")
        }
        let endless = RobotsRules(parsing: Array("User-agent: *\nCrawl-delay: 99999999999999999999999".utf8))
        #expect(endless.crawlDelay(agent: "x") == .seconds(86_400))
    }

    @Test(arguments: [
        ("/a*b", "/axxb", true), ("/a*b", "/ab?", true), ("/a*b$", "/abab", true), ("/a*b$", "/abac", false),
        ("*", "/", true), ("/$", "/", true), ("/$", "/a", false), ("/a$b", "/a$bc", true), ("*/x/", "/a/x/b", true),
        ("/**a***$", "/bab", true), ("$", "/", false), ("*$", "/x", true), ("/%e3%81", "/%E3%81%82", true),
        ("/한", "/%ED%95%9C", true), ("/a b", "/a%20b", true), ("a", "/a", false), ("/A", "/a", false),
        ("/*aab", "/aaab", true), ("/*abab$", "/abababab", true),
    ])
    func pattern(_ pattern: String, takes path: String, _ expected: Bool) {
        let rules = RobotsRules(parsing: Array("User-agent: *\nDisallow: \(pattern)".utf8))
        #expect(rules.policy(for: "x").verdict(forPath: path).allowed != expected)
    }

    @Test(arguments: [
        (Int?.none, false), (200, false), (204, false), (301, true), (401, true), (403, true), (404, true), (410, true),
        (429, false), (500, false), (503, false), (100, false),
    ])
    func statusStandsForRules(status: Int?, allowed: Bool) {
        let rules = RobotsRules(status: status, body: Array("User-agent: *\nDisallow: /".utf8))
        #expect(rules.policy(for: "x").verdict(forPath: "/a").allowed == allowed)
        #expect(
            rules.policy(for: "x").verdict(forPath: "/robots.txt").allowed
                == (allowed || status == 200 || status == 204))
    }

    /// FAULTS H1: whatever comes as robots.txt is read, and what is no rule forbids nothing.
    @Test func oddBodiesAreTolerated() {
        let rules = "User-agent: *\nDisallow: /x\n"
        let bodies: [(String, [UInt8], Bool)] = [
            ("empty", [], true), ("BOM", [0xEF, 0xBB, 0xBF] + Array(rules.utf8), false),
            ("CR only", Array(rules.utf8).map { $0 == 0x0A ? 0x0D : $0 }, false),
            ("CRLF", Array("User-agent: *\r\nDisallow: /x\r\n".utf8), false),
            ("HTML", Array("<!DOCTYPE html>\n<html><body>Not: found<a href=x></body>".utf8), true),
            ("NUL", Array("User-agent: *\nDisallow: /x\u{0}yz\n".utf8), false),
            ("UTF-16", [0xFF, 0xFE] + rules.utf8.flatMap { [$0, 0] }, true),
            ("no colon", Array("user-agent *\ndisallow /x".utf8), false),
            ("rule before any agent", Array("Disallow: /x\n".utf8), true),
            ("not UTF-8", Array("User-agent: *\nDisallow: /x".utf8) + [0xFF, 0x0A], true),
        ]
        for (name, body, allowed) in bodies {
            let verdict = RobotsRules(parsing: body).policy(for: "Bot").verdict(forPath: "/x")
            #expect(verdict.allowed == allowed, "\(name)")
        }
    }

    @Test func ruleBehind500KiBCounts() {
        let filler = String(repeating: "Disallow: /filler-of-some-length\n", count: 18_000)
        let rules = RobotsRules(parsing: Array("User-agent: *\n\(filler)Disallow: /late\n".utf8))
        #expect(!rules.isTruncated)
        #expect(!rules.policy(for: "x").verdict(forPath: "/late").allowed)
    }

    @Test func cutRuleForbidsNothingElse() {
        let filler = String(repeating: "#", count: RobotsRules.byteLimit - 30)
        let rules = RobotsRules(parsing: Array("\(filler)\nUser-agent: *\nDisallow: /long/path".utf8))
        #expect(rules.isTruncated)
        #expect(rules.policy(for: "x").verdict(forPath: "/l").allowed)
        #expect(rules.policy(for: "x").verdict(forPath: "/lo").allowed)
    }

    @Test func hostilePatternsEnd() {
        let stars = String(repeating: "*a", count: 200_000)
        let long = "/*" + String(repeating: "a", count: 1000) + "b"
        let lines = "User-agent: *\nDisallow: \(stars)b$\n" + String(repeating: "Disallow: \(long)\n", count: 300)
        let path = "/" + String(repeating: "a", count: 4000)
        #expect(RobotsRules(parsing: Array(lines.utf8)).policy(for: "x").verdict(forPath: path).allowed)
    }
}
