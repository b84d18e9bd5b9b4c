import TestSupport
import Testing

extension EndToEnd {
    @Suite("What decides whether a file is one", .timeLimit(.minutes(1)))
    struct AskTests {
        private static let pdf = Array("%PDF-1.4\n1 0 obj\n%%EOF\n".utf8)
        private static let html = Array("<!doctype html><title>Sign in</title><form>name</form>".utf8)
        private static let zip: [UInt8] = [0x50, 0x4B, 0x05, 0x06] + [UInt8](repeating: 0, count: 18)

        private static func file(_ body: [UInt8], _ type: String, _ disposition: String? = nil) -> [Action] {
            let headers = disposition.map { ["Content-Disposition: \($0)"] } ?? []
            return [.send(Response.bytes(body, type: type, headers: headers))]
        }

        /// Runs one job against a start page and the answers to the requests below it.
        private func run(
            _ page: String, _ download: String, expecting status: Int32 = 0,
            _ answer: @escaping @Sendable (String) -> [Action],
            check: (Sandbox) throws -> Void
        ) async throws {
            let handler: FaultServer.Handler = { request in
                request.target == "/" ? Self.file(Array(page.utf8), "text/html") : answer(request.target)
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "ask",
                        """
                        start: ["\(server.origin)/"]
                        download: { \(download) }
                        name: { template: "{stem}.{ext}" }
                        """)
                    try await sandbox.run(expecting: status)
                    try check(sandbox)
                }
            }
        }

        @Test("The name that the server gives decides as the URL's does")
        func disposition() async throws {
            try await run(
                "<a href='/get.php?id=1'>1</a><a href='/get.php?id=2'>2</a><a href='/get.php?id=3'>3</a>",
                "extensions: [pdf]"
            ) { target in
                switch target.last {
                case "1": Self.file(Self.pdf, "application/octet-stream", "attachment; filename=\"x.PDF\"")
                case "2": Self.file(Self.pdf, "application/octet-stream", "attachment; filename*=UTF-8''y%2Epdf")
                default: Self.file(Self.zip, "application/octet-stream", "attachment; filename=z.zip")
                }
            } check: { sandbox in
                #expect(sandbox.names("ask").sorted() == ["x.PDF", "y.pdf"])
                let items = try sandbox.items("ask")
                #expect(items["get.php?id=3"]?.status == "skipped")
            }
        }

        @Test("A file that a script calls HTML is looked at when it comes under a document's name")
        func scripts() async throws {
            try await run(
                "<a href='/get.php?id=1'>1</a><a href='/get.php?id=2'>2</a>", "extensions: [pdf]", expecting: 1
            ) { target in
                Self.file(target.last == "1" ? Self.pdf : Self.html, "text/html", "attachment; filename=r.pdf")
            } check: { sandbox in
                #expect(sandbox.names("ask") == ["r.pdf"])
                let items = try sandbox.items("ask")
                #expect(items["get.php?id=2"]?.error?.code == "type-mismatch")
            }
        }

        @Test("The download attribute promises a kind, to be held or to be allowed")
        func attribute() async throws {
            try await run(
                "<a href='/get?id=1' download='r.pdf'>1</a><a href='/get?id=2' download='page.html'>2</a>"
                    + "<a href='/get?id=3' download='s.pdf'>3</a>", "test: container", expecting: 1
            ) { target in
                switch target.last {
                case "1": Self.file(Self.html, "application/octet-stream")
                case "2": Self.file(Self.html, "text/html")
                default: Self.file(Array("%PDF-1.4\n1 0 obj\n".utf8), "application/octet-stream")
                }
            } check: { sandbox in
                #expect(sandbox.names("ask") == ["page.html"])
                let items = try sandbox.items("ask")
                #expect(items["get?id=1"]?.error?.code == "type-mismatch")
                // Cut: what was promised to be a PDF lacks its end.
                #expect(items["get?id=3"]?.error?.code == "damaged")
            }
        }

        @Test("reject-types holds for the type that is declared and for the one that content has")
        func rejected() async throws {
            try await run(
                "<a href='/a.bin'>a</a><a href='/b.bin'>b</a><a href='/c.bin'>c</a><a href='/d.csv'>d</a>",
                "extensions: [bin, csv], reject-types: [zip, html, text/plain]", expecting: 1
            ) { target in
                switch target {
                case "/a.bin": Self.file(Self.zip, "application/octet-stream")
                case "/b.bin": Self.file(Self.pdf, "application/zip")
                case "/c.bin": Self.file(Self.pdf, "application/octet-stream")
                default: Self.file(Array("a;b\n1;2\n".utf8), "text/csv")
                }
            } check: { sandbox in
                #expect(sandbox.names("ask").sorted() == ["c.pdf", "d.csv"])
                let items = try sandbox.items("ask")
                #expect(
                    items["a.bin"]?.error?.code == "type-mismatch" && items["b.bin"]?.error?.code == "type-mismatch")
                #expect(sandbox.root.files("quarantine/ask").count >= 2)
            }
        }
    }
}
