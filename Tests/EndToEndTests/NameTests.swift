import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Names on disk", .timeLimit(.minutes(1)))
    struct NameTests {
        @Test("The same names at concurrency 1 and 32, whatever comes first")
        func deterministic() async throws {
            let paths = (0..<40).map { "/dir-\($0)/report.pdf" }
            let handler: FaultServer.Handler = { request in
                guard let number = paths.firstIndex(of: request.path) else { return [.send(Response.page(paths))] }
                // The first asked for come last.
                return [
                    .pause(.milliseconds((40 - number) * 2)), .send(Response.pdf("\(number)")),
                ]
            }
            try await FaultServer.serving(handler) { server in
                var seen: [[String: String]] = []
                for concurrency in [1, 32] {
                    try await Sandbox.with { sandbox in
                        try sandbox.write(
                            "names",
                            """
                            start: ["\(server.origin)/"]
                            download: { extensions: [pdf] }
                            fetch: { concurrency: \(concurrency), per-host: \(concurrency) }
                            name: { template: "{stem}.{ext}" }
                            """)
                        try await sandbox.run("names")
                        let names = sandbox.names("names")
                        #expect(names.count == paths.count)
                        var contents: [String: String] = [:]
                        for name in names { contents[name] = try sandbox.root.text("files/names/\(name)") }
                        seen.append(contents)
                    }
                }
                #expect(seen.first == seen.last)
                #expect(seen.first?["report.pdf"] == "%PDF-1.4\n% 0\n%%EOF\n", "the first link has the plain name")
            }
        }

        @Test("Names that somebody else's files have are passed over, in every batch of names")
        func foreignFiles() async throws {
            let paths = (1...600).map { "/file.bin?\($0)" }
            let handler: FaultServer.Handler = { request in
                guard let number = paths.firstIndex(of: request.target) else { return [.send(Response.page(paths))] }
                // Some of the same batch and some of the last are copies of the one whose name somebody else's file has.
                let isCopy = (100..<103).contains(number) || number >= 590
                let content = SeededBytes.bytes(64, seed: isCopy ? 99 : number)
                return [.send(Response.bytes(content, type: "application/octet-stream"))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "foreign",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [bin] }
                        fetch: { concurrency: 16, per-host: 16 }
                        name: { template: "{stem}.{ext}" }
                        """)
                    for number in [100, 300] {
                        try sandbox.root.write("files/foreign/file-\(number).bin", "somebody's own")
                    }
                    try await sandbox.run("foreign")
                    let wanted = Set(["file.bin"] + (2...602).map { "file-\($0).bin" })
                    #expect(Set(sandbox.names("foreign")).symmetricDifference(wanted).isEmpty)
                    #expect(try sandbox.root.text("files/foreign/file-300.bin") == "somebody's own")
                    let duplicates = try sandbox.items("foreign").values.compactMap(\.duplicate_of)
                    #expect(duplicates.count == 13)
                    for original in Set(duplicates) {
                        #expect(
                            try sandbox.root.read("files/foreign/\(original)") == SeededBytes.bytes(64, seed: 99),
                            "what they are said to be copies of is not the file that was passed over")
                    }
                }
            }
        }

        @Test("Content that shared a name gets its own when that goes to other content")
        func releasedNames() async throws {
            let contents = Mutex(["a": "A", "b": "A", "c": "A"])
            let handler: FaultServer.Handler = { request in
                let name = request.path.split(separator: "/").last.map(String.init) ?? ""
                let stem = String(name.prefix(1))
                guard name.hasSuffix(".pdf"), let content = contents.withLock({ $0[stem] }) else {
                    return [.send(Response.page(["/a.pdf", "/b.pdf", "/c.pdf"]))]
                }
                return [.send(Response.pdf(content, headers: ["ETag: \"\(content)\""]))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "shared",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        dedupe: skip
                        name: { template: "{stem}.{ext}", on-change: replace }
                        """)
                    try await sandbox.run("shared")
                    #expect(sandbox.names("shared") == ["a.pdf"])
                    contents.withLock { $0["a"] = "B" }
                    try await sandbox.run("shared")
                    #expect(Set(sandbox.names("shared")) == ["a.pdf", "b.pdf"])
                    #expect(try sandbox.root.text("files/shared/a.pdf").contains("B"))
                    #expect(try sandbox.root.text("files/shared/b.pdf").contains("A"))
                    let items = try sandbox.items("shared")
                    #expect(items["b.pdf"]?.name == "b.pdf")
                    #expect(items["c.pdf"]?.duplicate_of == "b.pdf")
                    contents.withLock { $0 = ["a": "A", "b": "B", "c": "A"] }
                    try await sandbox.run("shared")
                    for (name, content) in [("a", "A"), ("b", "B")] {
                        #expect(
                            try sandbox.root.text("files/shared/\(name).pdf").contains(content), "they changed places")
                    }
                    #expect(try await sandbox.problems().isEmpty)
                }
            }
        }

        @Test("A name is told by the header, the URL, the type or the content")
        func sources() async throws {
            try await NginxServer.serving(
                server: """
                    location /bare/ { default_type application/pdf; }
                    location /query { default_type application/pdf; return 200 "%PDF-1.4 query"; }
                    location /korean/ {
                        default_type application/pdf;
                        add_header Content-Disposition "attachment; filename*=UTF-8''%EB%B3%B4%EA%B3%A0%EC%84%9C.pdf";
                    }
                    """
            ) { server in
                try server.site.write("bare/annual", "%PDF-1.4\n% bare\n%%EOF\n")
                try server.site.write("korean/7", "%PDF-1.4\n% korean\n%%EOF\n")
                try server.site.write("plain/a%20b.pdf", "%PDF-1.4\n% plain\n%%EOF\n")
                try server.site.write("index.html", Response.links(["bare/annual", "korean/7", "plain/a%2520b.pdf"]))
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "sources",
                        """
                        start: ["\(server.origin)/"]
                        download: { types: [application/pdf], extensions: [pdf] }
                        name: { template: "{stem}.{ext}" }
                        """)
                    try await sandbox.run("sources")
                    let names = sandbox.names("sources")
                    #expect(names.count == 3)
                    #expect(names.contains { $0.utf8.elementsEqual("annual.pdf".utf8) })
                    #expect(names.contains { $0.utf8.elementsEqual("보고서.pdf".utf8) }, "\(names)")
                    let items = try sandbox.items("sources")
                    #expect(items["annual"]?.extension_source == "type")
                    #expect(items["7"]?.extension_source == "disposition")
                }
            }
        }

        /// Values of Content-Disposition that want to be somewhere else, or something else.
        private static let hostile: [[UInt8]] =
            [
                "filename=\"../../../../../../tmp/nightjar-escaped\"", "filename=\"..\\\\..\\\\escaped.bin\"",
                "filename=\"/etc/nightjar-escaped\"", "filename=\"C:\\\\escaped.bin\"",
                "filename=\"\\\\\\\\host\\\\share\\\\x\"",
                "filename*=UTF-8''..%2F..%2F..%2Fescaped.bin", "filename*=UTF-8''%2E%2E%2Fescaped", "filename=\"..\"",
                "filename=\".\"", "filename=\"...\"", "filename=\"\"", "filename=\"   \"", "filename=\".bashrc\"",
                "filename=\".htaccess\"", "filename*=UTF-8''a%00b.bin", "filename*=UTF-8''a%0D%0Ab.bin",
                "filename*=UTF-8''a%1B%5B31m.bin", "filename*=UTF-8''%E2%80%AEnib.exe", "filename=\"CON\"",
                "filename=\"a:b\"",
                "filename=\"-rf\"", "filename=\"catalog.sqlite\"", "filename=\"../../catalog.sqlite\"",
                "filename=\"../latest.json\"", "filename=\"" + String(repeating: "n", count: 3000) + ".bin\"",
                "filename*=UTF-8''" + String(repeating: "%EB%B3%B4", count: 300) + ".bin", "filename=\"run.sh\"",
                "filename=\"x\"; filename=\"../y\"", "filename*=UTF-8''%C3%28.bin", "filename=\"a/b/c.bin\"",
            ].map { Array("attachment; \($0)".utf8) } + [
                Array("attachment; filename=\"".utf8) + [0xff, 0xfe, 0x2f, 0x2e, 0x22]
            ]

        @Test("No header's name leads out of the job's folder or is more than one harmless file")
        func hostileNames() async throws {
            let handler: FaultServer.Handler = { request in
                guard let number = Int(request.path.dropFirst().prefix { $0.isNumber }) else {
                    return [.send(Response.page(Self.hostile.indices.map { "\($0).bin" }))]
                }
                let body = Array("content \(number)".utf8)
                let head =
                    "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: \(body.count)\r\n"
                let disposition = Array("Content-Disposition: ".utf8) + Self.hostile[number] + Array("\r\n\r\n".utf8)
                return [.send(Array(head.utf8) + disposition + body)]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("hostile", "start: [\"\(server.origin)/\"]\ndownload: { extensions: [bin] }")
                    try await sandbox.run("hostile")
                    try checkTree(sandbox)
                    #expect(try await sandbox.problems() == [])
                }
            }
        }

        private func checkTree(_ sandbox: Sandbox) throws {
            let files = Folder("\(sandbox.root.path)/files").tree()
            #expect(files.first?.name == "hostile")
            #expect(files.count == Self.hostile.count + 1, "one file each, and no folder below the job's")
            for file in files.dropFirst() {
                let name = file.name.dropFirst("hostile/".count)
                #expect(file.isFile, "\(file.name)")
                #expect(name.utf8.count <= 255)
                #expect(file.mode & 0o111 == 0, "\(name) can be executed")
                #expect(!name.hasPrefix(".") && !name.contains("/") && !name.contains("\\") && !name.contains(":"))
                let isHarmless = name.unicodeScalars.allSatisfy {
                    !($0.value < 0x20 || (0x7f..<0xa0).contains($0.value) || (0x202a...0x202e).contains($0.value))
                }
                #expect(isHarmless, "\(Array(name.utf8))")
            }
            #expect(Set(sandbox.folder.names) == ["root", "jobs"])
            #expect(!Folder("/tmp").exists("nightjar-escaped") && !Folder("/etc").exists("nightjar-escaped"))
            #expect(try sandbox.report("hostile").counts.failed == 0)
        }
    }
}
