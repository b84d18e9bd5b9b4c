import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Hostile pages", .timeLimit(.minutes(2)))
    struct CrawlFaultTests {
        private static func html(_ text: String) -> [Action] {
            [.send(Response.bytes(Array(text.utf8), type: "text/html; charset=utf-8"))]
        }

        /// Runs a job whose start page is given, against a server that answers everything else with a file; names in
        /// `example` lead to it.
        private func run(
            _ page: @Sendable (_ port: UInt16) -> String, _ rules: String, type: String = "text/html; charset=utf-8",
            files: @escaping @Sendable (Request) -> [Action]? = { _ in nil },
            check: (FaultServer, Sandbox) throws -> Void
        ) async throws {
            let start = Mutex("")
            let handler: FaultServer.Handler = { request in
                if request.target == "/start/" {
                    return [.send(Response.bytes(Array(start.withLock { $0 }.utf8), type: type))]
                }
                return files(request) ?? [.send(Response.bytes(Array("content of \(request.target)".utf8)))]
            }
            try await FaultServer.serving(handler) { server in
                let text = page(server.port)
                start.withLock { $0 = text }
                let names = ["good", "evil", "xn--bcher-kva"].map { "\"\($0).example:\(server.port):127.0.0.1\"" }
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "hostile",
                        """
                        start: ["http://good.example:\(server.port)/start/"]
                        fetch: { resolve: [\(names.joined(separator: ", "))], retries: 0, allow-private: true }
                        \(rules)
                        """)
                    try await sandbox.run()
                    try check(server, sandbox)
                }
            }
        }

        private static let ownHost = "download: { scope: host, include: [\"*\"] }\ncrawl: { scope: host }"

        @Test("B10: scope and connection read a URL alike, whatever stands before the host")
        func oneParse() async throws {
            try await run(
                { port in
                    [
                        "http://good.example:\(port)#@evil.example:\(port)/1",
                        "http://good.example:\(port)\\@evil.example/2",
                        "http://good.example:\(port)/?@evil.example:\(port)/3", "http://evil.example:\(port)/4",
                        "http://a;b@evil.example:\(port)/5", "http://good.example:\(port)@evil.example:\(port)/6",
                        "http://good.example%40evil.example:\(port)/7", "http://evil.example:\(port)\\.good.example/8",
                        "//evil.example:\(port)/9", "\\\\evil.example:\(port)\\10", "http:\\\\evil.example:\(port)/11",
                        "http://user:pw@good.example:\(port)/12",
                    ].map { "<a href='\($0)'>x</a>" }.joined()
                }, Self.ownHost
            ) { server, sandbox in
                let asked = server.requests
                #expect(asked.allSatisfy { $0["host"] == "good.example:\(server.port)" })
                #expect(
                    Set(asked.map(\.target)) == [
                        "/start/", "/", "/@evil.example/2", "/?@evil.example:\(server.port)/3", "/12",
                    ])
                #expect(asked.allSatisfy { $0["authorization"] == nil || $0.target == "/12" })
                let out = try sandbox.items("hostile").values.filter { $0.reason?.contains("scope") == true }
                #expect(out.count == 7)
            }
        }

        @Test("B12: names are made canonical before they are compared, and what is none is no link")
        func domains() async throws {
            try await run(
                { port in
                    [
                        "http://GOOD.Example:\(port)/1", "http://good\u{3002}example:\(port)/2",
                        "http://g%6Fod.example:\(port)/3",
                        "http://\u{FF47}ood.example:\(port)/4", "http://b\u{FC}cher.example:\(port)/5",
                        "http://bu\u{308}cher.example:\(port)/6", "http://xn--bcher-kva.example:\(port)/7",
                        "http://xn--zzzzzzzz\u{E9}.example:\(port)/8", "http://xn--a.example:\(port)/9",
                        "http://go\u{AD}od.example:\(port)/10", "http://good.example%00.evil.example:\(port)/11",
                        "http://good .example:\(port)/12",
                    ].map { "<a href='\($0)'>x</a>" }.joined()
                }, "download: { include: [\"*\"] }"
            ) { server, sandbox in
                let port = server.port
                let asked = server.requests.filter { $0.target != "/start/" }
                let hosts = Dictionary(asked.map { ($0.target, $0["host"] ?? "") }) { one, _ in one }
                let good = ["/1", "/2", "/3", "/4", "/10"].map { ($0, "good.example:\(port)") }
                let other = ["/5", "/6", "/7"].map { ($0, "xn--bcher-kva.example:\(port)") }
                #expect(hosts == Dictionary(uniqueKeysWithValues: good + other))
            }
        }

        @Test(
            "B13: a start without a scheme is refused with a hint",
            arguments: [
                "localhost:8080/x", "www.example.org/x", "ftp-like:pw@host", "//h.example/", "/x", "file:///etc/passwd",
            ])
        func schemes(start: String) async throws {
            try await Sandbox.with { sandbox in
                try sandbox.write("none", "start: [\"\(start)\"]")
                let outcome = try await sandbox.run(expecting: 2)
                #expect(outcome.errorText.contains("none.yaml:2:9: error: start: "), "\(outcome)")
                #expect(!sandbox.root.exists("reports"))
            }
        }

        @Test("B6: what would be another line of a request is part of its address, or nothing")
        func lines() async throws {
            try await run(
                { _ in
                    "<a href='a/&#13;&#10;X-Evil: 1'>x</a><a href='b?q=%0d%0aX-Evil:1'>x</a><a href=\"c\r\nd\">x</a>"
                        + "<a href='&#0;e'>x</a><a href='f\u{85}\u{2028}g'>x</a><a href='h#i&#10;j'>x</a><a href=' k '>x</a>"
                }, Self.ownHost
            ) { server, _ in
                #expect(server.requests.allSatisfy { $0["x-evil"] == nil })
                let asked = Set(server.requests.map(\.target)).subtracting(["/start/"])
                #expect(
                    asked == [
                        "/start/a/X-Evil:%201", "/start/b?q=%0d%0aX-Evil:1", "/start/cd", "/start/%EF%BF%BDe",
                        "/start/f%C2%85%E2%80%A8g", "/start/h", "/start/k",
                    ])
            }
        }

        @Test("H12: one resource under many spellings is fetched once")
        func spellings() async throws {
            try await run(
                { port in
                    [
                        "/a.bin", "http://GOOD.example:\(port)/a.bin", "./../a.bin", "/x/../a.bin#f", "/a.bin#",
                        "/%2e/a.bin",
                        "//good.example:\(port)/a.bin", "http://user@good.example:\(port)/a.bin",
                    ].map { "<a href='\($0)'>x</a>" }.joined()
                }, Self.ownHost
            ) { server, sandbox in
                #expect(server.requests.count { $0.target == "/a.bin" } == 1)
                #expect(sandbox.names("hostile").count == 1)
            }
        }

        @Test("H5: depth, length and number cost no more than their bytes")
        func size() async throws {
            let pages = [
                String(repeating: "<div><b>", count: 100_000) + "<a href=/a.bin>x</a>",
                "<p title='\(String(repeating: "y", count: 10_000_000))'><a href=/a.bin>x</a>",
                "<a href=/a.bin>x</a><a href=\"" + String(repeating: "<a href=\"", count: 500_000),
                "<a href=/a.bin>x</a>" + String(repeating: "<svg><math><template>", count: 100_000),
                "<a href=/a.bin>x</a>" + String(repeating: "&amp;&#x26&nosuch;", count: 200_000)
                    + String(repeating: "<!--", count: 100_000),
            ]
            for page in pages {
                let time = try await ContinuousClock().measure {
                    try await run({ _ in page }, Self.ownHost) { _, sandbox in
                        #expect(sandbox.names("hostile").count == 1)
                    }
                }
                #expect(time < .seconds(20), "\(page.prefix(40))")
            }
        }

        @Test(
            "H7: entities of a feed or sitemap are neither expanded without end nor fetched",
            arguments: [
                "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
                    + "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">]>",
                "<!DOCTYPE r [<!ENTITY c SYSTEM \"file:///etc/passwd\">]>",
                "<!DOCTYPE r [<!ENTITY c SYSTEM \"/evil\"><!ENTITY % p SYSTEM \"/evil.dtd\">%p;]>",
                "<!DOCTYPE r SYSTEM \"/evil.dtd\">",
            ])
        func entities(type: String) async throws {
            try await run(
                { port in
                    "<?xml version=\"1.0\"?>\(type)<urlset><url><loc>http://good.example:\(port)/&c;.bin</loc></url>"
                        + "<url><loc>http://good.example:\(port)/a.bin</loc></url></urlset>"
                }, "download: { extensions: [bin] }", type: "application/xml"
            ) { server, _ in
                let asked = server.requests.map(\.target)
                #expect(asked.contains("/a.bin") && !asked.contains { $0.contains("evil") || $0.contains("root") })
                #expect(asked.allSatisfy { $0.utf8.count < 200 })
            }
        }

        @Test("H10: what stands in scripts, comments, templates and texts is no link")
        func notLinks() async throws {
            try await run(
                { _ in
                    let link = "<a href=/evil>x</a>"
                    return
                        "<script>\(link)</script><!-- \(link) --><template>\(link)</template><textarea>\(link)</textarea>"
                        + "<title>\(link)</title><style>\(link)</style><xmp>\(link)</xmp><iframe>\(link)</iframe>"
                        + "<noembed>\(link)</noembed><noframes>\(link)</noframes><svg><![CDATA[\(link)]]></svg>"
                        + "<form action=/evil></form><button formaction=/evil></button><p data-href=/evil>"
                        + "<a href=javascript:location='/evil'>x</a><a href='data:text/html,/evil'>x</a><a href=/a.bin>x</a>"
                        + "<plaintext>\(link)"
                }, Self.ownHost
            ) { server, _ in
                #expect(Set(server.requests.map(\.target)) == ["/start/", "/a.bin"])
            }
        }
    }
}
