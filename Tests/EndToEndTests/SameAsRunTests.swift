import FoundationEssentials
import JSON
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// What `explain` says and what a run does are one and the same, seen from the other end of a socket.
    @Suite("explain and run", .timeLimit(.minutes(2)))
    struct SameAsRunTests {
        private struct Question: Encodable {
            var input, base, html, url, content_type, robots, agent: String?

            var line: String {
                get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
            }
        }

        /// Two hundred references of all sorts; those that lead to the server hold their own number.
        private static func references(_ origin: String) -> [String] {
            let port = origin.split(separator: ":").last.map(String.init) ?? ""
            let forms: [(Int) -> String] = [
                { "\($0)" }, { "/\($0)/../\($0)x" }, { "./a/.//\($0)" }, { "\\d\\\($0)" }, { " \t/ta\tb\n/\($0) " },
                { "//127.0.0.1:\(port)/\($0)" }, { "HTTP://0x7F.1:\(port)/\($0)" },
                { "http://2130706433:\(port)/\($0)" },
                { "http:/\($0)" }, { "http:\($0)" }, { "\(origin)/u?q=\u{E4}&n=\($0)#f" },
                { "/\u{BCF4}\u{ACE0}/\($0)" },
                { "/%7E%2f%zz/\($0)" }, { "?n=\($0)&amp;x='\"<>" }, { "http://user:pw@127.0.0.1:\(port)/\($0)" },
                { "/a;b=c/\($0)?d#\($0)" }, { "/\($0)?a?b??" }, { "\(origin)/\u{1F426}|^`{}[]\($0)" },
                { "/%2e%2E/%2e/\($0)" }, { "http://127.0.0.1.:\(port)/\($0)" },
                { "mailto:\($0)@h.example" }, { "javascript:\($0)" }, { "http://[::1/\($0)" },
                { "http://ex ample/\($0)" },
                { "data:,\($0)" },
            ]
            return (0..<200).map { forms[$0 % forms.count]($0) }
        }

        /// A URL as the catalog knows it.
        private static func key(_ href: String) -> String {
            let plain = href.split(separator: "#", maxSplits: 1).first.map(String.init) ?? ""
            guard let at = plain.firstIndex(of: "@"), let start = plain.firstRange(of: "://")?.upperBound,
                !plain[start..<at].contains("/")
            else { return plain }
            return String(plain[..<start] + plain[plain.index(after: at)...])
        }

        private static func targets(_ urls: Set<String>, of origin: String) -> Set<String> {
            Set(urls.filter { $0.hasPrefix(origin + "/") }.map { String($0.dropFirst(origin.utf8.count)) })
        }

        @Test("URLs and links: a run asks for what is explained, byte for byte, on 200 cases")
        func links() async throws {
            let page = Mutex("")
            let handler: FaultServer.Handler = { request in
                request.target == "/start/page"
                    ? [.send(Response.bytes(Array(page.withLock { $0 }.utf8), type: "text/html; charset=utf-8"))]
                    : [.send(Response.bytes(Array(request.target.utf8)))]
            }
            try await FaultServer.serving(handler) { server in
                let address = "\(server.origin)/start/page"
                let references = Self.references(server.origin)
                let html = references.map { reference in
                    let escaped = reference.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
                    return "<a href=\"\(escaped)\">x</a>\n"
                }.joined()
                page.withLock { $0 = html }
                let urls = try await explain("url", references.map { try Question(input: $0, base: address).line })
                let hrefs: Set<String> = Set(urls.compactMap { $0["href"]?.text }.map(Self.key))
                let answer = try await explain(
                    "links", [try Question(html: html, url: address, content_type: "text/html").line])
                let links = answer[0]["links"]?.elements ?? []
                let followed = Set(
                    links.filter { $0["skip"] == nil }.compactMap { $0["url"]?.text }.map(Self.key))
                #expect(followed.count > 140)
                let found: Set<String> = Set(links.compactMap { $0["url"]?.text }.map(Self.key))
                #expect(found.isSuperset(of: hrefs))
                #expect(hrefs.isSuperset(of: followed))
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "same", "start: [\"\(address)\"]\ndownload: { include: [\"*\"], reject-types: [] }")
                    try await sandbox.run()
                    let id = try sandbox.report("same").run.id
                    let items = try sandbox.root.text("reports/same/\(id).items.jsonl").split(separator: "\n")
                        .map { try Item(json: Array($0.utf8)) }
                    #expect(Set(items.map(\.url)) == followed)
                    #expect(items.allSatisfy { $0.status != "skipped" && $0.status != "failed" })
                    let asked = Set(server.requests.map(\.target)).subtracting(["/start/page"])
                    #expect(asked == Self.targets(followed, of: server.origin))
                    // One line of a request each, whatever the reference held.
                    #expect(
                        server.requests.allSatisfy {
                            $0.head.split(separator: "\r\n")[0].split(separator: " ").count == 3
                        })
                }
            }
        }

        @Test("robots.txt: a run leaves out what is explained to be disallowed, on 200 cases")
        func robots() async throws {
            let rules = """
                User-agent: other\nDisallow: /\n
                User-agent: nightjar\nUser-agent: x\nDisallow: /a\nAllow: /a/b\nDisallow: /*.php$\nAllow: /p/*.php$
                Disallow: /q?*id=\nDisallow: /%7Eu/\nDisallow: /\u{E9}\nAllow: /z/index.html\nDisallow: /z/\nDisallow:
                """
            let parts = [
                "a", "a/b", "a/bc/", "x.php", "p/x.php", "q?id=", "q?b&id=", "~u/", "%7eu/", "\u{E9}", "z/", "e", "A",
            ]
            let paths = (0..<200).map { "/\(parts[$0 % parts.count])\($0 / parts.count)" }
            let handler: FaultServer.Handler = { request in
                switch request.path {
                case "/robots.txt": [.send(Response.bytes(Array(rules.utf8), type: "text/plain"))]
                case "/": [.send(Response.page(paths))]
                default: [.send(Response.bytes(Array(request.target.utf8)))]
                }
            }
            try await FaultServer.serving(answersRobots: false, handler) { server in
                let origin = server.origin
                let urls = try await explain("url", paths.map { try Question(input: $0, base: origin).line })
                    .compactMap { $0["href"]?.text }
                let verdicts = try await explain(
                    "robots", urls.map { try Question(url: $0, robots: rules, agent: "nightjar").line })
                let allowed = Set(zip(urls, verdicts).filter { $0.1["allowed"] == .boolean(true) }.map(\.0))
                #expect(allowed.count > 50 && allowed.count < 150)
                try await Sandbox.with { sandbox in
                    try sandbox.write("same", "start: [\"\(origin)/\"]\ndownload: { include: [\"*\"] }")
                    try await sandbox.run()
                    let asked = Set(server.requests.map { origin + $0.target })
                    #expect(asked.subtracting(["\(origin)/robots.txt", "\(origin)/"]) == allowed)
                }
            }
        }
    }
}
