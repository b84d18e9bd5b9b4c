import TestSupport
import Testing

extension EndToEnd {
    @Suite("Content that is not what was asked for", .timeLimit(.minutes(1)))
    struct RefusalTests {
        private static let page = "<!DOCTYPE html><html><title>Sign in</title><form>Password</form></html>"
        private static let pdf = "%PDF-1.4\n1 0 obj <<>> endobj\nstartxref\n9\n%%EOF\n"

        private static func response(_ type: String, _ body: String) -> [Action] {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
            return [.send(head + "Last-Modified: Tue, 01 Jan 2019 00:00:00 GMT\r\n\r\n" + body)]
        }

        @Test("A page that is called a document is never named, and lies in quarantine with the reason")
        func pageInstead() async throws {
            let handler: FaultServer.Handler = { request in
                switch request.path {
                case "/lie.pdf": Self.response("application/pdf", Self.page)
                case "/generic.pdf": Self.response("application/octet-stream", Self.page + " ")
                case "/honest.pdf": Self.response("text/html", Self.page + "  ")
                case "/good.pdf": Self.response("application/pdf", Self.pdf)
                case "/table.xls": Self.response("application/vnd.ms-excel", "<table><tr><td>1</td></tr></table>")
                default:
                    [.send(Response.page(["lie.pdf", "generic.pdf", "honest.pdf", "good.pdf", "table.xls"]))]
                }
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "lies", "start: [\"\(server.origin)/\"]\ndownload: { extensions: [pdf, xls] }")
                    try await sandbox.run("lies", expecting: 1)
                    let items = try sandbox.items("lies")
                    for name in ["lie.pdf", "generic.pdf", "honest.pdf"] {
                        #expect(items[name]?.error?.code == "type-mismatch", "\(name)")
                        #expect(items[name]?.name == nil && items[name]?.sha256 == nil)
                    }
                    #expect(items["good.pdf"]?.status == "downloaded")
                    #expect(items["table.xls"]?.status == "downloaded", "a spreadsheet is often HTML by intent")
                    #expect(sandbox.names("lies").count == 2)
                    #expect(sandbox.root.files("objects").filter { !$0.name.hasPrefix(".") }.count == 2)
                    let quarantine = Folder("\(sandbox.root.path)/quarantine/lies")
                    #expect(quarantine.names.filter { $0.hasSuffix(".refused") }.count == 3)
                    let notes = try quarantine.names.filter { $0.hasSuffix(".txt") }.map { try quarantine.text($0) }
                    #expect(notes.count == 3 && notes.allSatisfy { $0.contains("type-mismatch") })
                    #expect(notes.contains { $0.contains("/lie.pdf") })
                    // A week counts from the refusal: the next run leaves them.
                    try await sandbox.run("lies", expecting: 1)
                    #expect(quarantine.names.filter { $0.hasSuffix(".refused") }.count == 3)
                }
            }
        }

        @Test("Pages are kept where the manifest asks for them")
        func pagesWanted() async throws {
            let handler: FaultServer.Handler = { request in
                request.path == "/lie.pdf"
                    ? Self.response("application/pdf", Self.page) : [.send(Response.page(["lie.pdf"]))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "kept",
                        "start: [\"\(server.origin)/\"]\ndownload: { extensions: [pdf], reject-types: [] }")
                    try await sandbox.run("kept")
                    #expect(sandbox.names("kept").count == 1)
                }
            }
        }

        @Test("With test: container a cut file is a failed item")
        func damaged() async throws {
            let handler: FaultServer.Handler = { request in
                switch request.path {
                case "/cut.pdf": Self.response("application/pdf", "%PDF-1.4\n1 0 obj <<>> endobj\n")
                case "/cut.zip": Self.response("application/zip", "PK\u{3}\u{4}" + String(repeating: "\0", count: 40))
                case "/error.zip": Self.response("application/zip", "{\"error\": \"quota\"}")
                case "/good.pdf": Self.response("application/pdf", Self.pdf)
                default: [.send(Response.page(["cut.pdf", "cut.zip", "error.zip", "good.pdf"]))]
                }
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    let start = "start: [\"\(server.origin)/\"]\n"
                    try sandbox.write("tested", start + "download: { extensions: [pdf, zip], test: container }")
                    try sandbox.write("untested", start + "download: { extensions: [pdf, zip] }")
                    try await sandbox.run("tested", expecting: 1)
                    let items = try sandbox.items("tested")
                    for name in ["cut.pdf", "cut.zip", "error.zip"] {
                        #expect(items[name]?.error?.code == "damaged", "\(name)")
                    }
                    #expect(sandbox.names("tested").count == 1)
                    #expect(sandbox.root.files("quarantine/tested").filter { $0.name.hasSuffix(".refused") }.count == 3)
                    try await sandbox.run("untested")
                    #expect(sandbox.names("untested").count == 4)
                }
            }
        }

        @Test("A missing database of file types is told before anything is fetched")
        func missingMagic() async throws {
            try await FaultServer.serving({ _ in [.send(Response.page([]))] }) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("magic", "start: [\"\(server.origin)/\"]")
                    var program = sandbox.runProgram(["magic"])
                    program.environment["MAGIC"] = "\(sandbox.folder.path)/nothing"
                    let outcome = try await program.run()
                    #expect(outcome.ending == .exited(3), "\(outcome)")
                    #expect(outcome.errorText.contains("libmagic"), "\(outcome)")
                    #expect(server.requests.isEmpty)
                }
            }
        }
    }
}
