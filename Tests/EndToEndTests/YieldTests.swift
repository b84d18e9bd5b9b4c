import TestSupport
import Testing

extension EndToEnd {
    @Suite("Runs that bring too little", .timeLimit(.minutes(1)))
    struct YieldTests {
        private func manifest(_ server: NginxServer, _ more: String) -> String {
            """
            start: ["\(server.origin)/"]
            download: { extensions: [pdf] }
            fetch: { retries: 0 }
            name: { template: "{stem}.{ext}" }
            pack: [{ format: tar, name: "{job}-{run}.{ext}" }]
            \(more)
            """
        }

        private func offer(_ count: Int, on server: NginxServer) throws {
            let names = (0..<count).map { "item-\($0).pdf" }
            try server.offer(names)
        }

        @Test("A collapsed run is partial, says the figures, and does not become the measure")
        func drop() async throws {
            try await NginxServer.serving { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("drop", manifest(server, "expect: { max-drop: 50% }"))
                    for _ in 0..<2 {
                        try offer(10, on: server)
                        try await sandbox.run("drop")
                    }
                    for _ in 0..<2 {
                        try offer(4, on: server)
                        let outcome = try await sandbox.run("drop", expecting: 1)
                        let report = try sandbox.report("drop")
                        #expect(report.run.status == "partial")
                        let warning = try #require(report.warnings.first { $0.code == "yield-drop" })
                        #expect(warning.message.contains("4 items, and the median of the last 2 good runs is 10: 60%"))
                        #expect(outcome.outputText.contains("yield-drop") || outcome.outputText.contains("60%"))
                    }
                    try offer(9, on: server)
                    try await sandbox.run("drop")
                    #expect(sandbox.names("drop").count == 10, "what the source dropped is kept")
                }
            }
        }

        @Test("Fewer items than the least is an alarm from the first run on")
        func least() async throws {
            try await NginxServer.serving { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("least", manifest(server, "expect: { min-items: 3 }"))
                    try offer(2, on: server)
                    try await sandbox.run("least", expecting: 1)
                    #expect(try sandbox.report("least").warnings.contains { $0.code == "yield-drop" })
                    try offer(3, on: server)
                    try await sandbox.run("least")
                }
            }
        }

        @Test("Some failures still count as success", arguments: [("1", 0), ("25%", 0), ("24%", 1), ("0", 1)])
        func failures(bound: String, status: Int32) async throws {
            try await NginxServer.serving { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("few", manifest(server, "expect: { max-failed: \(bound) }"))
                    let names = (0..<3).map { "item-\($0).pdf" }
                    for name in names { try server.site.write(name, "%PDF-1.4\n% \(name)\n%%EOF\n") }
                    try server.site.write("index.html", Response.links(names + ["missing.pdf"]))
                    try await sandbox.run("few", expecting: status)
                    let report = try sandbox.report("few")
                    #expect(report.counts.failed == 1, "it is told all the same")
                    #expect(report.run.status == (status == 0 ? "succeeded" : "partial"))
                }
            }
        }
    }
}
