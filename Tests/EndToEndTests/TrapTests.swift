import TestSupport
import Testing

extension EndToEnd {
    @Suite("Sites without end", .timeLimit(.minutes(1)))
    struct TrapTests {
        private static func number(_ request: Request) -> Int {
            Int(request.target.split { !$0.isNumber }.last ?? "") ?? 0
        }

        /// A calendar beside a folder with files; every page links to the calendar's next month and to one file that is
        /// always the same.
        private static let handler: FaultServer.Handler = { request in
            switch request.path {
            case "/": [.send(Response.page(["/cal?month=1", "/reports/"]))]
            case "/cal": [.send(Response.page(["/", "/about.pdf", "/cal?month=\(number(request) + 1)"]))]
            case "/reports/": [.send(Response.page((1...5).map { "/reports/page/\($0)" }))]
            case let path where path.hasPrefix("/reports/page/"): [.send(Response.page(["/\(number(request)).pdf"]))]
            case "/loop/", "/loop/loop/": [.send(Response.page(["loop/", "x.pdf"]))]
            case let path where path.hasSuffix(".pdf"): [.send(Response.pdf(path))]
            default: [.send(Response.page(["loop/"]))]
            }
        }

        @Test("A calendar is left after crawl.trap pages with a warning that names it, and the rest is fetched")
        func calendar() async throws {
            try await FaultServer.serving(Self.handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "cal",
                        """
                        start: ["\(server.origin)/"]
                        crawl: { depth: 1000, pages: 5000 }
                        download: { extensions: [pdf] }
                        name: { template: "{stem}.{ext}" }
                        """)
                    try await sandbox.run()
                    #expect(
                        sandbox.names("cal").sorted() == ["1.pdf", "2.pdf", "3.pdf", "4.pdf", "5.pdf", "about.pdf"])
                    let warning = try #require(try sandbox.report("cal").warnings.first)
                    #expect(warning.code == "trap" && warning.message.contains("/cal?month=*"))
                    #expect(server.requests.count { $0.path == "/cal" } < 60)
                    let left = try sandbox.items("cal").values.filter { $0.reason?.contains("/cal?month=*") == true }
                    #expect(left.count == 1)
                }
            }
        }

        @Test("A folder that links into itself ends, and so does a bound on pages")
        func relative() async throws {
            try await FaultServer.serving(Self.handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "loop",
                        """
                        start: ["\(server.origin)/loop/"]
                        crawl: { depth: 1000, pages: 5000 }
                        download: { extensions: [pdf] }
                        """)
                    try await sandbox.run()
                    #expect(server.requests.count { $0.path.hasSuffix("/") } <= 6)
                    try sandbox.write(
                        "few",
                        """
                        start: ["\(server.origin)/"]
                        crawl: { depth: 1000, pages: 7, trap: 0 }
                        download: { extensions: [pdf] }
                        """)
                    try await sandbox.run("few")
                    #expect(try sandbox.report("few").counts.pages == 7)
                }
            }
        }
    }
}
