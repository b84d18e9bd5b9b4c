import TestSupport
import Testing

/// 1,000 links on 20 pages that hang together by "next"; the last 200 have the content of the first 200.
private struct LargeSite {
    static let count = 1000
    static let unique = 800
    static let pages = 20

    static func name(_ number: Int) -> String { "item-\(1000 + number).pdf" }

    static func content(_ number: Int) -> [UInt8] {
        let seed = number % unique
        return SeededBytes.pdf(500 + seed * 7, seed: seed)
    }

    static var uniqueBytes: Int { (0..<unique).reduce(0) { $0 + content($1).count } }
    static var duplicateBytes: Int { (unique..<count).reduce(0) { $0 + content($1).count } }

    static func write(to site: Folder) throws {
        for number in 0..<count { try site.write("files/\(name(number))", content(number)) }
        let perPage = count / pages
        for page in 0..<pages {
            var links = (0..<perPage).map { "files/\(name(page * perPage + $0))" }
            if page + 1 < pages { links.append("page-\(page + 2).html") }
            try site.write("page-\(page + 1).html", Response.links(links))
        }
    }

    /// nginx answers 503 to whoever asks for more than `limit` things at once.
    static func serving(limit: Int, _ body: (NginxServer) async throws -> Void) async throws {
        try await NginxServer.serving(
            main: "limit_conn_zone $server_name zone=all:1m;", server: "limit_conn all \(limit);"
        ) { server in
            try write(to: server.site)
            try await body(server)
        }
    }
}

extension EndToEnd {
    @Suite("A thousand links", .timeLimit(.minutes(2)))
    struct ManyLinksTests {
        private func manifest(_ server: NginxServer, perHost: Int, packs: Bool = true) -> String {
            let pack = """
                pack:
                  - format: tar.zst
                    name: "{job}.{ext}"
                  - format: zip
                    name: "{job}.{ext}"
                """
            return """
                start: ["\(server.origin)/page-1.html"]
                crawl: { depth: 30, pages: 50 }
                download: { extensions: [pdf] }
                fetch: { concurrency: 16, per-host: \(perHost), retries: 0 }
                name: { template: "{stem}.{ext}" }
                \(packs ? pack : "")
                """
        }

        @Test("All are there, once, as the origin has them; a second run takes nothing, a third what is new")
        func threeRuns() async throws {
            try await LargeSite.serving(limit: 16) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("many", manifest(server, perHost: 16))
                    try await sandbox.run("many")
                    try checkFirst(sandbox, server)
                    try await checkBundles(sandbox)
                    #expect(try await sandbox.problems().isEmpty)

                    try server.clearLog()
                    let bundles = sandbox.root.files("bundles/many").map(\.name)
                    let second = try await sandbox.run("many")
                    try checkSecond(sandbox, server, second)
                    #expect(sandbox.root.files("bundles/many").map(\.name) == bundles)

                    try server.site.write("files/\(LargeSite.name(5))", "%PDF-1.4 new content")
                    try await sandbox.run("many")
                    let counts = try sandbox.report("many").counts
                    #expect(counts.downloaded == 1)
                    #expect(counts.unchanged == LargeSite.count - 1)
                    let third = try sandbox.report("many").bundles
                    #expect(third.map(\.format).sorted() == ["tar.zst", "zip"])
                    #expect(third.allSatisfy { $0.entries == 3 }, "the file and the two lists")
                    #expect(try await sandbox.problems().isEmpty)
                }
            }
        }

        private func checkFirst(_ sandbox: Sandbox, _ server: NginxServer) throws {
            let files = sandbox.root.files("files/many")
            #expect(files.map(\.name) == (0..<LargeSite.count).map(LargeSite.name))
            for number in 0..<LargeSite.count {
                let bytes = try sandbox.root.read("files/many/\(LargeSite.name(number))")
                #expect(bytes == LargeSite.content(number), "\(LargeSite.name(number))")
            }
            #expect(sandbox.root.files("objects").count == LargeSite.unique)
            for (first, second) in zip(files, files.dropFirst(LargeSite.unique)) {
                #expect(first.inode == second.inode, "\(second.name) is stored twice")
            }
            let report = try sandbox.report("many")
            #expect(report.schema == "nightjar.run-report/1")
            #expect(report.run.status == "succeeded")
            #expect(report.run.exit_status == 0)
            #expect(report.counts.pages == LargeSite.pages)
            #expect(report.counts.downloaded == LargeSite.unique)
            #expect(report.counts.duplicate == LargeSite.count - LargeSite.unique)
            #expect(report.counts.failed == 0)
            #expect(report.bytes.stored == LargeSite.uniqueBytes)
            #expect(report.bytes.deduplicated == LargeSite.duplicateBytes)
            #expect(sandbox.root.files("partial").isEmpty)

            let log = try server.log()
            #expect(log.allSatisfy { $0.status != 503 }, "more requests in flight than allowed")
            #expect(log.map(\.connections).max() ?? 0 <= 16)
            #expect(log.filter { $0.path.hasPrefix("/files/") }.count == LargeSite.count)
        }

        private func checkBundles(_ sandbox: Sandbox) async throws {
            let bundles = try sandbox.report("many").bundles
            #expect(bundles.map(\.format).sorted() == ["tar.zst", "zip"])
            for bundle in bundles {
                let path = "\(sandbox.root.path)/\(bundle.path)"
                let target = try sandbox.folder.folder("read-back-\(bundle.format)")
                let tool =
                    try bundle.format == "zip"
                    ? Program.tool("unzip", ["-q", path, "-d", target.path])
                    : Program.tool("bsdtar", ["-xf", path, "-C", target.path])
                let unpacked = try await tool.run()
                #expect(unpacked.ending == .exited(0), "\(unpacked)")
                for number in 0..<LargeSite.count {
                    #expect(try target.read(LargeSite.name(number)) == LargeSite.content(number))
                }
                #expect(target.files().count == LargeSite.count + 2)
                let sums = try await Program.tool(
                    "sh", ["-c", "cd \"$1\" && sha256sum --check --quiet SHA256SUMS", "sh", target.path]
                ).run()
                #expect(sums.ending == .exited(0), "\(sums)")
                #expect(try await sha256([path]) == [bundle.sha256])
            }
        }

        private func checkSecond(_ sandbox: Sandbox, _ server: NginxServer, _ outcome: Outcome) throws {
            let log = try server.log()
            let files = log.filter { $0.path.hasPrefix("/files/") }
            #expect(files.count == LargeSite.count)
            #expect(files.allSatisfy { $0.status == 304 && $0.bodyBytes == 0 })
            let report = try sandbox.report("many")
            #expect(report.run.status == "succeeded")
            #expect(report.counts.unchanged == LargeSite.count)
            #expect(report.counts.downloaded == 0)
            #expect(report.counts.duplicate == 0)
            #expect(report.bytes.received <= log.reduce(0) { $0 + $1.bodyBytes })
            #expect(report.bytes.stored == 0)
            #expect(report.bundles.isEmpty)
            #expect(report.warnings.filter { $0.code == "bundle-omitted" }.count == 2, "both packs say why")
            #expect(outcome.outputText.contains("unchanged"))
        }

        @Test("A host gets no more at once than per-host allows")
        func perHost() async throws {
            try await LargeSite.serving(limit: 4) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("many", manifest(server, perHost: 4, packs: false))
                    try await sandbox.run("many")
                    let log = try server.log()
                    #expect(log.allSatisfy { $0.status != 503 }, "more requests in flight than allowed")
                    #expect(log.map(\.connections).max() ?? 0 <= 4)
                    #expect(sandbox.names("many").count == LargeSite.count)
                }
            }
        }

        @Test("What is allowed at once is used, and not more", arguments: [16, 4])
        func bounds(perHost: Int) async throws {
            let names = (0..<96).map { "/f/\($0).pdf" }
            let handler: FaultServer.Handler = { request in
                if request.path == "/" { return [.send(Response.page(names))] }
                return [.pause(.milliseconds(20)), .send(Response.pdf(request.path))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "wide",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        fetch: { concurrency: 16, per-host: \(perHost) }
                        """)
                    try await sandbox.run("wide")
                    #expect(server.greatestConnections <= perHost)
                    #expect(server.greatestInFlight == perHost)
                    #expect(sandbox.names("wide").count == names.count)
                }
            }
        }
    }
}
