import TestSupport
import Testing

extension EndToEnd {
    @Suite("Published checksums", .timeLimit(.minutes(1)))
    struct ChecksumTests {
        private func site(_ server: NginxServer) async throws {
            for name in ["good.bin", "bad.bin", "unlisted.bin"] { try server.site.write(name, "content of \(name)") }
            try server.site.write("index.html", Response.links(["good.bin", "bad.bin", "unlisted.bin"]))
            let digest = try await sha256(["\(server.site.path)/good.bin"])[0]
            let wrong = String(repeating: "0", count: 64)
            try server.site.write("SHA256SUMS", "\(digest)  good.bin\n\(wrong) *./bad.bin\n")
        }

        private func manifest(_ server: NginxServer, _ checksums: String) -> String {
            """
            start: ["\(server.origin)/"]
            download: { extensions: [bin] }
            fetch: { retries: 0, checksums: \(checksums) }
            name: { template: "{stem}.{ext}" }
            """
        }

        @Test(
            "What differs fails and goes to quarantine, the rest is kept",
            arguments: ["auto", "SHA256SUMS", "[\"{url}.sha256\", SHA256SUMS]"])
        func lists(checksums: String) async throws {
            try await NginxServer.serving { server in
                try await site(server)
                try await Sandbox.with { sandbox in
                    try sandbox.write("sums", manifest(server, checksums))
                    try await sandbox.run(expecting: 1)
                    #expect(sandbox.names("sums").sorted() == ["good.bin", "unlisted.bin"])
                    let items = try sandbox.items("sums")
                    #expect(items["bad.bin"]?.error?.code == "checksum")
                    #expect(sandbox.root.files("quarantine/sums").count == 2)
                    let warned = try sandbox.report("sums").warnings.filter { $0.code == "checksum-missing" }
                    #expect(warned.count == (checksums == "auto" ? 0 : 1))
                    let asked = try server.log().map(\.path).filter { $0 == "/SHA256SUMS" }
                    #expect(asked.count == 1)
                    // Content that is known is not asked about again.
                    try server.clearLog()
                    try await sandbox.run(expecting: 1)
                    #expect(try server.log().filter { $0.path.hasPrefix("/good.bin.") }.isEmpty)
                }
            }
        }

        @Test("Sidecars of each kind are found by themselves")
        func sidecars() async throws {
            try await NginxServer.serving { server in
                try server.site.write("index.html", Response.links(["a.bin", "b.bin", "c.bin"]))
                for name in ["a.bin", "b.bin", "c.bin"] { try server.site.write(name, "content of \(name)") }
                let path = server.site.path
                let md5 = try await Program.tool("md5sum", ["\(path)/a.bin"]).run().outputText.prefix(32)
                try server.site.write("a.bin.md5", "\(md5)\n")
                let sha512 = try await Program.tool("sha512sum", ["\(path)/b.bin"]).run().outputText.prefix(128)
                try server.site.write("b.bin.sha512", "\(sha512)  b.bin\n")
                try server.site.write("c.bin.md5", "\(md5)  c.bin\n")
                try await Sandbox.with { sandbox in
                    try sandbox.write("sides", manifest(server, "auto"))
                    try await sandbox.run(expecting: 1)
                    #expect(sandbox.names("sides").sorted() == ["a.bin", "b.bin"])
                    #expect(try sandbox.items("sides")["c.bin"]?.error?.message.contains("md5") == true)
                }
            }
        }

        @Test("A source that the manifest names and nobody can read leaves nothing unchecked")
        func unreadable() async throws {
            try await NginxServer.serving(server: "location = /broken { return 500; }") { server in
                try await site(server)
                try await Sandbox.with { sandbox in
                    for source in ["/broken", "index.html", "\(server.origin)/none"] {
                        try sandbox.write("sums", manifest(server, source))
                        try await sandbox.run(expecting: 1)
                        #expect(sandbox.names("sums").isEmpty)
                        #expect(try sandbox.items("sums")["good.bin"]?.error?.code == "checksum")
                    }
                }
            }
        }
    }
}
