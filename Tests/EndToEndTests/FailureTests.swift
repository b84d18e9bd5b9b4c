import TestSupport
import Testing

extension EndToEnd {
    @Suite("Broken servers", .timeLimit(.minutes(1)))
    struct FailureTests {
        /// What a server does, and the code that its item must carry.
        private static let faults: [(name: String, codes: Set<String>, actions: @Sendable (Request) -> [Action])] = [
            ("truncated.pdf", ["truncated"], { _ in [.send(Response.bytes(pdf, length: 9999)), .close] }),
            ("length-text.pdf", ["protocol"], { _ in [.send(spoilt("Content-Length: 12abc")), .close] }),
            ("length-negative.pdf", ["protocol"], { _ in [.send(spoilt("Content-Length: -5")), .close] }),
            (
                "length-twice.pdf", ["protocol"],
                { _ in [.send(spoilt("Content-Length: 5\r\nContent-Length: 50")), .close] }
            ),
            (
                "chunk-cut.pdf", ["truncated"],
                { _ in [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n%PDF-1.4 "), .close] }
            ),
            (
                "chunk-size.pdf", ["protocol"],
                { _ in [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n%PDF-1.4 "), .close] }
            ),
            ("garbage.pdf", ["protocol"], { _ in [.send("no HTTP at all\r\n\r\n"), .close] }),
            ("empty.pdf", ["protocol", "reset", "truncated"], { _ in [.close] }),
            (
                "reset.pdf", ["reset"],
                { _ in [.send(Response.bytes(pdf, length: 9999)), .pause(.milliseconds(50)), .reset] }
            ),
            ("stall.pdf", ["timeout"], { _ in [.send(Response.bytes(pdf, length: 9999)), .stall] }),
            ("mute.pdf", ["timeout"], { _ in [.stall] }),
            ("itself.pdf", ["redirect-loop"], { _ in [.send(Response.redirect(to: "/itself.pdf"))] }),
            (
                "endless.pdf", ["redirect-loop"],
                { request in
                    [
                        .send(
                            Response.redirect(
                                to: "/endless.pdf?\(request.target.utf8.count)\(request.target.suffix(90))"))
                    ]
                }
            ),
            ("local.pdf", ["redirect-refused"], { _ in [.send(Response.redirect(to: "file:///etc/passwd"))] }),
            ("gopher.pdf", ["redirect-refused"], { _ in [.send(Response.redirect(to: "gopher://127.0.0.1/"))] }),
        ]

        private static let pdf = Array("%PDF-1.4\n%%EOF\n".utf8)

        private static func spoilt(_ length: String) -> String {
            "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\(length)\r\n\r\n%PDF-1.4\n%%EOF\n"
        }

        @Test("Each fault is a failed item with its own code, and the rest of the job is unharmed", arguments: [1, 16])
        func codes(concurrency: Int) async throws {
            let handler: FaultServer.Handler = { request in
                Self.faults.first { request.path == "/\($0.name)" }?.actions(request) ?? [.send(Response.notFound)]
            }
            try await FaultServer.serving(handler) { faulty in
                try await Loopback.refusing { refusingPort in
                    try await NginxServer.serving(
                        server: "location = /error.pdf { return 500; } location = /denied.pdf { return 403; }"
                    ) { server in
                        var expected: [String: Set<String>] = [
                            "missing.pdf": ["http-status"], "error.pdf": ["http-status"], "denied.pdf": ["http-status"],
                            "refused.pdf": ["connect"], "unknown.pdf": ["dns"],
                        ]
                        for fault in Self.faults { expected[fault.name] = fault.codes }
                        let bad =
                            ["missing.pdf", "error.pdf", "denied.pdf", "http://127.0.0.1:\(refusingPort)/refused.pdf"]
                            + ["http://no-such-host.invalid/unknown.pdf"]
                            + Self.faults.map { "\(faulty.origin)/\($0.name)" }
                        // Behind each that fails stands one that must not be harmed by it.
                        let good = bad.indices.map { "good-\(10 + $0).pdf" }
                        for name in good { try server.site.write(name, "%PDF-1.4\n% \(name)\n%%EOF\n") }
                        try server.site.write("index.html", Response.links(zip(bad, good).flatMap { [$0, $1] }))
                        try await check(server, concurrency, good: good, expected: expected)
                    }
                }
            }
        }

        private func check(
            _ server: NginxServer, _ concurrency: Int, good: [String], expected: [String: Set<String>]
        ) async throws {
            try await Sandbox.with { sandbox in
                try sandbox.write(
                    "faults",
                    """
                    start: ["\(server.origin)/"]
                    download: { extensions: [pdf] }
                    fetch: { concurrency: \(concurrency), retries: 0, timeout: { connect: 2s, idle: 1s, total: 10s } }
                    name: { template: "{stem}.{ext}" }
                    """)
                let outcome = try await sandbox.run("faults", expecting: 1)
                #expect(sandbox.names("faults") == good)
                let items = try sandbox.items("faults")
                for (name, codes) in expected {
                    let item = try #require(items[name] ?? items.values.first { $0.url.contains(name) }, "\(name)")
                    #expect(item.status == "failed", "\(name)")
                    #expect(codes.contains(item.error?.code ?? ""), "\(name): \(String(describing: item.error))")
                    #expect(item.error?.message.isEmpty == false, "\(name)")
                    #expect(item.name == nil, "\(name)")
                }
                for name in good { #expect(items[name]?.status == "downloaded", "\(name)") }
                let report = try sandbox.report("faults")
                #expect(report.run.status == "partial")
                #expect(report.run.exit_status == 1)
                #expect(report.counts.failed == expected.count)
                #expect(report.counts.downloaded == good.count)
                #expect(report.failures.count == expected.count)
                #expect(outcome.outputText.contains("missing.pdf"), "the summary names what failed")
                #expect(try await sandbox.problems().isEmpty)
            }
        }

        @Test("A server that fails now and then is asked again")
        func retries() async throws {
            let attempts = Counter()
            let handler: FaultServer.Handler = { request in
                if request.path == "/" { return [.send(Response.page(["/a.pdf"]))] }
                return attempts.next() < 2
                    ? [.send(Response.bytes(Array("abc".utf8), length: 100)), .close]
                    : [.send(Response.pdf("whole"))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "retry",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        fetch: { retries: 3 }
                        name: { template: "{stem}.{ext}" }
                        """)
                    try await sandbox.run("retry")
                    #expect(try sandbox.root.text("files/retry/a.pdf") == "%PDF-1.4\n% whole\n%%EOF\n")
                    #expect(try sandbox.items("retry")["a.pdf"]?.attempts == 3)
                }
            }
        }

        /// libcurl 7.88 keeps a receive buffer in a handle whose host was unknown, and refuses options to it afterwards.
        @Test("An unknown host harms nothing that comes after it", arguments: [1, 4])
        func afterUnknownHost(concurrency: Int) async throws {
            let unknown = (0..<12).map { "http://no-such-host-\($0).invalid/unknown.pdf" }
            let good = (0..<12).map { "good-\(10 + $0).pdf" }
            let handler: FaultServer.Handler = { request in
                request.path == "/"
                    ? [.send(Response.page(zip(unknown, good).flatMap { [$0, $1] }))]
                    : [.send(Response.pdf(request.path))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "unknown",
                        """
                        start: ["\(server.origin)/"]
                        crawl: { robots: ignore }
                        download: { extensions: [pdf] }
                        fetch: { retries: 0, concurrency: \(concurrency), per-host: \(concurrency) }
                        name: { template: "{stem}.{ext}" }
                        """)
                    try await sandbox.run("unknown", expecting: 1)
                    #expect(sandbox.names("unknown") == good)
                    let failures = try sandbox.report("unknown").failures
                    #expect(failures.count == unknown.count)
                    #expect(failures.allSatisfy { $0.error?.code == "dns" }, "\(failures.map(\.error))")
                }
            }
        }

        @Test("No start page could be read: the job did nothing at all")
        func noStart() async throws {
            try await Loopback.refusing { port in
                try await Sandbox.with { sandbox in
                    try sandbox.write("nothing", "start: [\"http://127.0.0.1:\(port)/\"]\nfetch: { retries: 0 }")
                    try await sandbox.run("nothing", expecting: 3)
                    let report = try sandbox.report("nothing")
                    #expect(report.run.status == "failed")
                    #expect(report.run.exit_status == 3)
                }
            }
        }
    }
}
