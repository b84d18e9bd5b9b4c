import TestSupport
import Testing

extension EndToEnd {
    @Suite("Bounded memory", .timeLimit(.minutes(3)))
    struct MemoryTests {
        private static let mebibyte = 1 << 20

        /// Where there is room for the copies: in memory where that is large, else on disk.
        private static let roomy = ["/dev/shm", "/tmp"].first { Folder($0).freeBytes > 6 << 30 }

        @Test(
            "2 GiB in large files take less than 100 MiB of memory",
            .enabled(if: MemoryTests.roomy != nil, "6 GiB must be free for this"))
        func largeFiles() async throws {
            try await NginxServer.serving { server in
                let names = (0..<8).map { "large-\($0).pdf" }
                for name in names {
                    try server.site.writeSparse(
                        name, head: Array("%PDF-1.4\n% \(name)".utf8), bytes: 256 * Self.mebibyte)
                }
                try server.site.write("index.html", Response.links(names))
                try await Sandbox.with(in: Self.roomy) { sandbox in
                    try sandbox.write(
                        "large",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        name: { template: "{stem}.{ext}" }
                        pack: [{ format: tar.zst, level: 1, name: "{job}.{ext}" }]
                        """)
                    let outcome = try await sandbox.run("large", timeout: .seconds(150))
                    #expect(outcome.peakMemory < 100 * Self.mebibyte)
                    #expect(outcome.peakMemory > 5 * Self.mebibyte, "the measurement itself")
                    let report = try sandbox.report("large")
                    #expect(report.counts.downloaded == 8)
                    #expect(report.bytes.received >= 2048 * Self.mebibyte)
                    for name in names {
                        #expect(sandbox.root.size("files/large/\(name)") == 256 * Self.mebibyte)
                    }
                }
            }
        }

        @Test("A page of 20,000 links takes less than 100 MiB")
        func manyLinks() async throws {
            try await NginxServer.serving { server in
                try server.site.write(
                    "index.html", Response.links((0..<20_000).map { "elsewhere/page-\($0).html" } + ["a.pdf"]))
                try server.site.write("a.pdf", "%PDF-1.4")
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "wide",
                        """
                        start: ["\(server.origin)/"]
                        crawl: { depth: 1, pages: 10, follow: { exclude: ["*elsewhere*"] } }
                        download: { extensions: [pdf] }
                        """)
                    let outcome = try await sandbox.run("wide")
                    #expect(outcome.peakMemory < 100 * Self.mebibyte)
                    #expect(sandbox.names("wide").count == 1)
                }
            }
        }
    }
}
