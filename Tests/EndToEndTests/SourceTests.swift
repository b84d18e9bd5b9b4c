import TestSupport
import Testing

extension EndToEnd {
    @Suite("Starts that are no HTML", .timeLimit(.minutes(1)))
    struct SourceTests {
        @Test(
            "A feed, a sitemap, its index and a list of URLs are read for links, whatever type they come with",
            arguments: ["feed", "map.xml", "index.xml", "list.txt"])
        func sources(start: String) async throws {
            try await NginxServer.serving { server in
                let origin = server.origin
                for name in ["a.bin", "b.bin"] { try server.site.write(name, "content of \(name)") }
                let urls = ["a.bin", "b.bin"].map { "\(origin)/\($0)" }
                let map = "<urlset>\(urls.map { "<url><loc>\($0)</loc></url>" }.joined())</urlset>"
                try server.site.write("map.xml", map)
                try server.site.write(
                    "index.xml", "<sitemapindex><sitemap><loc>\(origin)/map.xml</loc></sitemap></sitemapindex>")
                try server.site.write("list.txt", urls.joined(separator: "\n"))
                let items = urls.map { "<item><enclosure url=\"\($0)\"/></item>" }.joined()
                try server.site.write("feed", "<?xml version=\"1.0\"?><rss><channel>\(items)</channel></rss>")
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "sources",
                        """
                        start: ["\(origin)/\(start)"]
                        download: { extensions: [bin] }
                        name: { template: "{stem}.{ext}" }
                        """)
                    try await sandbox.run()
                    #expect(sandbox.names("sources").sorted() == ["a.bin", "b.bin"])
                }
            }
        }

        @Test("A text that is no list of URLs is what is downloaded")
        func plainText() async throws {
            try await NginxServer.serving { server in
                try server.site.write("notes.txt", "https://h.example/ is worth a visit\n")
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "notes",
                        """
                        start: ["\(server.origin)/notes.txt"]
                        name: { template: "{stem}.{ext}" }
                        """)
                    try await sandbox.run()
                    #expect(sandbox.names("notes") == ["notes.txt"])
                }
            }
        }
    }
}
