import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("robots.txt in runs", .timeLimit(.minutes(2)))
    struct RobotsTests {
        private static let manifest = "download: { extensions: [pdf] }\nname: { template: \"{stem}.{ext}\" }\n"

        /// A site with two files and a robots.txt.
        private static func site(_ robots: @escaping @Sendable (Request) -> [Action]) -> FaultServer.Handler {
            { request in
                switch request.path {
                case "/robots.txt": robots(request)
                case "/": [.send(Response.page(["/a.pdf", "/private/b.pdf"]))]
                default: [.send(Response.pdf(request.path))]
                }
            }
        }

        private static let rules = Array("User-agent: *\nDisallow: /private/\n".utf8)

        @Test("It is kept for a day, confirmed after that, and asked for anew when the clock was set back")
        func kept() async throws {
            let handler = Self.site { request in
                if request["if-none-match"] == "\"r1\"" {
                    return [.send("HTTP/1.1 304 Not Modified\r\nETag: \"r1\"\r\n\r\n")]
                }
                return [.send(Response.bytes(Self.rules, type: "text/plain", headers: ["ETag: \"r1\""]))]
            }
            try await FaultServer.serving(answersRobots: false, handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("kept", "start: [\"\(server.origin)/\"]\n\(Self.manifest)")
                    func asked() -> [String?] {
                        server.requests.filter { $0.path == "/robots.txt" }.map { $0["if-none-match"] }
                    }
                    for (age, expected) in [(nil, [nil]), (60, []), (90_000, ["\"r1\""]), (-90_000, ["\"r1\""])]
                        as [(Int?, [String?])]
                    {
                        let before = asked().count
                        if let age {
                            let change = "UPDATE robots SET fetched = strftime('%s', 'now') - \(age)"
                            let path = "\(sandbox.root.path)/catalog.sqlite"
                            #expect(try await Program.tool("sqlite3", [path, change]).run().ending == .exited(0))
                        }
                        try await sandbox.run()
                        #expect(Array(asked().dropFirst(before)) == expected, "age \(age ?? 0)")
                        #expect(sandbox.names("kept") == ["a.pdf"])
                        #expect(try sandbox.items("kept")["b.pdf"]?.reason?.contains("robots.txt") == true)
                    }
                }
            }
        }

        @Test(
            "4xx, redirects without end and pages forbid nothing; servers in trouble forbid everything, until asked again",
            arguments: [
                ("404 Not Found", true), ("410 Gone", true), ("401 Unauthorized", true), ("403 Forbidden", true),
                ("302 Found", true), ("200 OK", true), ("500 Internal Server Error", false),
                ("503 Service Unavailable", false), ("429 Too Many Requests", false),
            ])
        func answers(status: String, isOpen: Bool) async throws {
            let isHealed = Mutex(false)
            let handler = Self.site { request in
                if isHealed.withLock({ $0 }) { return [.send(Response.bytes([], type: "text/plain"))] }
                let page = Array("<!doctype html><p>Disallow: nothing here</p>".utf8)
                let location = status.hasPrefix("302") ? ["Location: /robots.txt?\(request.target.count)"] : []
                return [.send(Response.bytes(page, status: status, type: "text/html", headers: location))]
            }
            try await FaultServer.serving(answersRobots: false, handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "trouble", "start: [\"\(server.origin)/\"]\nfetch: { retries: 0 }\n\(Self.manifest)")
                    try await sandbox.run(expecting: isOpen ? 0 : 3)
                    #expect(sandbox.names("trouble").sorted() == (isOpen ? ["a.pdf", "b.pdf"] : []))
                    isHealed.withLock { $0 = true }
                    try await sandbox.run()
                    #expect(sandbox.names("trouble").sorted() == ["a.pdf", "b.pdf"])
                }
            }
        }

        @Test("Its crawl-delay is the time between two requests, whatever fetch.delay says")
        func delay() async throws {
            let handler = Self.site { _ in
                [.send(Response.bytes(Array("User-agent: *\nCrawl-delay: 0.7\n".utf8), type: "text/plain"))]
            }
            try await FaultServer.serving(answersRobots: false, handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("slow", "start: [\"\(server.origin)/\"]\n\(Self.manifest)")
                    let time = try await ContinuousClock().measure { try await sandbox.run() }
                    // The page, and two files after it.
                    #expect(time > .milliseconds(1400))
                    #expect(sandbox.names("slow").count == 2)
                }
            }
        }

        @Test("Rules far into the file count, and a file that goes on for ever is cut with a warning")
        func large() async throws {
            let padding = String(repeating: "# \(String(repeating: "x", count: 997))\n", count: 600)
            let body = Mutex("User-agent: *\n\(padding)Disallow: /private/\n")
            let handler = Self.site { _ in
                [.send(Response.bytes(Array(body.withLock { $0 }.utf8), type: "text/plain"))]
            }
            try await FaultServer.serving(answersRobots: false, handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("large", "start: [\"\(server.origin)/\"]\n\(Self.manifest)")
                    try await sandbox.run()
                    #expect(sandbox.names("large") == ["a.pdf"])
                    #expect(try sandbox.report("large").warnings.isEmpty)
                }
                body.withLock { $0 = "User-agent: *\nDisallow: /private/\n\(padding)\(padding)" }
                try await Sandbox.with { sandbox in
                    try sandbox.write("large", "start: [\"\(server.origin)/\"]\n\(Self.manifest)")
                    for _ in 0..<2 {
                        try await sandbox.run()
                        #expect(sandbox.names("large") == ["a.pdf"])
                        #expect(try sandbox.report("large").warnings.map(\.code) == ["robots-cut"])
                    }
                }
            }
        }

        @Test("The sitemaps that it names are read where they are in scope: an index of itself ends, a bomb is cut")
        func sitemaps() async throws {
            try await NginxServer.serving { server in
                let origin = server.origin
                try server.site.write(
                    "robots.txt",
                    "User-agent: *\nSitemap: \(origin)/index.xml\nSitemap: https://elsewhere.invalid/s.xml\n")
                try server.site.write("index.html", "<a href=/linked.html>")
                for name in ["linked", "mapped"] {
                    try server.site.write("\(name).html", "<a href=\(name).pdf>")
                    try server.site.write("\(name).pdf", "%PDF-1.4\n\(name)\n%%EOF\n")
                }
                let maps = ["index.xml", "map.xml", "bomb.xml.gz"].map {
                    "<sitemap><loc>\(origin)/\($0)</loc></sitemap>"
                }
                try server.site.write("index.xml", "<sitemapindex>\(maps.joined())</sitemapindex>")
                try server.site.write(
                    "map.xml",
                    "<urlset><url><loc>\(origin)/mapped.html</loc></url>"
                        + "<url><loc>https://elsewhere.invalid/x.html</loc></url></urlset>")
                let bomb = "(printf '<urlset>'; head -c 100000000 /dev/zero) | gzip > '\(server.site.path)/bomb.xml.gz'"
                #expect(try await Program.tool("sh", ["-c", bomb]).run().ending == .exited(0))
                try await Sandbox.with { sandbox in
                    try sandbox.write("maps", "start: [\"\(origin)/\"]\n\(Self.manifest)")
                    try await sandbox.run()
                    #expect(sandbox.names("maps").sorted() == ["linked.pdf", "mapped.pdf"])
                    let items = try sandbox.items("maps")
                    #expect(items["s.xml"]?.reason?.contains("scope") == true)
                    #expect(items["x.html"]?.reason?.contains("scope") == true)
                    #expect(try sandbox.report("maps").warnings.map(\.code) == ["page-cut"])
                    let asked = try server.log().map(\.path)
                    for map in ["/index.xml", "/map.xml"] { #expect(asked.count { $0 == map } == 1) }
                    try sandbox.write(
                        "none", "start: [\"\(origin)/\"]\ncrawl: { sitemaps: false }\n\(Self.manifest)")
                    try await sandbox.run("none")
                    #expect(sandbox.names("none") == ["linked.pdf"])
                }
            }
        }

        @Test(
            "What a page asks robots not to follow is no page, although its type had to be asked for",
            arguments: [
                ("X-Robots-Tag: nofollow", ""),
                ("X-Robots-Tag: otherbot: noindex, noarchive", "<meta name=robots content='noindex, NoFollow'>"),
                ("X-Robots-Tag: nightjar: none", ""), ("X-Robots-Tag: otherbot: nofollow", nil),
            ] as [(String, String?)])
        func nofollow(field: String, meta: String?) async throws {
            let handler: FaultServer.Handler = { request in
                switch request.path {
                case "/":
                    let body = Array(((meta ?? "") + Response.links(["/get?id=1", "/list?id=2"])).utf8)
                    return [.send(Response.bytes(body, type: "text/html", headers: [field]))]
                case "/list": return [.send(Response.page(["/get?id=3"]))]
                default: return [.send(Response.pdf(request.target))]
                }
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "no",
                        """
                        start: ["\(server.origin)/"]
                        download: { types: [pdf] }
                        name: { template: "{query}.{ext}" }
                        """)
                    try await sandbox.run()
                    #expect(sandbox.names("no").sorted() == (meta == nil ? ["id=1.pdf", "id=3.pdf"] : ["id=1.pdf"]))
                    if meta != nil {
                        #expect(try sandbox.items("no")["list?id=2"]?.reason?.contains("not to follow") == true)
                    }
                }
            }
        }
    }
}
