import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Names from run to run", .timeLimit(.minutes(1)))
    struct NameRuleTests {
        @Test("Changed content gets a new name, or with on-change: replace the old one")
        func onChange() async throws {
            try await NginxServer.serving { server in
                try server.site.write("index.html", Response.links(["a.bin", "b/A.bin"]))
                try server.site.write("b/A.bin", "the other")
                try server.site.write("a.bin", "first")
                try await Sandbox.with { sandbox in
                    for rule in ["version", "replace"] {
                        try sandbox.write(
                            rule,
                            """
                            start: ["\(server.origin)/"]
                            download: { extensions: [bin] }
                            name: { template: "{stem}.{ext}", on-change: \(rule) }
                            """)
                    }
                    try await sandbox.run()
                    #expect(sandbox.names("version").sorted() == ["A-2.bin", "a.bin"])
                    try server.site.write("a.bin", "second one")
                    try server.site.write("b/A.bin", "the other, changed")
                    try await sandbox.run()
                    #expect(sandbox.names("version").sorted() == ["A-2.bin", "A-4.bin", "a-3.bin", "a.bin"])
                    #expect(sandbox.names("replace").sorted() == ["A-2.bin", "a.bin"])
                    #expect(try sandbox.root.text("files/version/a.bin") == "first")
                    #expect(try sandbox.root.text("files/replace/a.bin") == "second one")
                    #expect(try sandbox.root.text("files/replace/A-2.bin") == "the other, changed")
                    #expect(try await sandbox.problems() == [])
                    try await sandbox.run()
                    #expect(try sandbox.report("replace").counts.unchanged == 2)
                }
            }
        }

        @Test("Bytes of a header in the page's encoding are read in it")
        func charset() async throws {
            let korean: [UInt8] = [0xBA, 0xB8, 0xB0, 0xED, 0xBC, 0xAD]
            let handler: FaultServer.Handler = { request in
                guard request.path == "/get" else {
                    let body = "<meta charset=euc-kr><a href='/get' download>x</a>"
                    return [.send(Response.bytes(Array(body.utf8), type: "text/html"))]
                }
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: 4\r\n"
                let disposition = Array("Content-Disposition: attachment; filename=\"".utf8) + korean
                return [.send(Array(head.utf8) + disposition + Array(".pdf\"\r\n\r\n%PDF".utf8))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "korean",
                        """
                        start: ["\(server.origin)/"]
                        download: { types: [pdf] }
                        name: { template: "{stem}.{ext}" }
                        """)
                    try await sandbox.run("korean")
                    let names = sandbox.names("korean")
                    #expect(names.map { Array($0.utf8) } == [Array("보고서.pdf".utf8)], "\(names)")
                }
            }
        }

        @Test("Files and folders of one name are both kept, and no planted link is followed")
        func folders() async throws {
            try await NginxServer.serving { server in
                try server.site.write(
                    "index.html", Response.links(["a.bin", "one/x.bin", "linked/y.bin", "one/two/x.bin"]))
                for name in ["a.bin", "one/x.bin", "linked/y.bin", "one/two/x.bin"] {
                    try server.site.write(name, "content of \(name)")
                }
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "tree",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [bin] }
                        name: { template: "{path}/{stem}.{ext}" }
                        """)
                    try sandbox.folder.write("outside/mine", "")
                    try sandbox.root.write("files/tree/one/two", "a file of somebody's")
                    symlink("../../../outside", "\(sandbox.root.path)/files/tree/linked")
                    try await sandbox.run("tree")
                    #expect(try sandbox.root.text("files/tree/a.bin") == "content of a.bin")
                    #expect(try sandbox.root.text("files/tree/one/x.bin") == "content of one/x.bin")
                    #expect(try sandbox.root.text("files/tree/linked_/y.bin") == "content of linked/y.bin")
                    #expect(try sandbox.root.text("files/tree/one_/two/x.bin") == "content of one/two/x.bin")
                    #expect(Folder("\(sandbox.folder.path)/outside").names == ["mine"])
                }
            }
        }
    }
}
