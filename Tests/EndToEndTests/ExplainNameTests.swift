import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd {
    @Suite("nightjar explain name", .timeLimit(.minutes(2)))
    struct ExplainNameTests {
        private struct Question: Encodable {
            var url: String
            var content_type: String?
            var content_disposition: String?
            var body_base64: String?
            var template: String?
            var at: String?
            var timezone: String?
            var types: [[String: String]]?
            var charset: String?
            var download: String?
        }

        private struct Answer: Decodable {
            let name, `extension`, extension_source, filename, error: String?
        }

        private func answers(
            _ lines: [String], expecting status: Int32 = 0, isolation: isolated (any Actor)? = #isolation
        ) async throws -> [Answer] {
            try await Folder.temporary { folder in
                try folder.write("questions", lines.map { $0 + "\n" }.joined())
                var program = Program.nightjar(["explain", "name", "--batch"])
                program.inputFile = "\(folder.path)/questions"
                let outcome = try await program.run()
                #expect(outcome.ending == .exited(status), "\(outcome)")
                return try outcome.output.split(separator: UInt8(ascii: "\n")).map {
                    try JSONDecoder().decode(Answer.self, from: Data($0))
                }
            }
        }

        @Test("One line out for each line in; header text stands for bytes")
        func lines() async throws {
            let url = "\"url\": \"https://a.test/get.php?id=7\""
            let found = try await answers(
                [
                    "{\(url), \"content_type\": \"application/pdf\", \"at\": \"2026-11-30T23:30:00Z\"}",
                    "{\(url), \"template\": \"{date:yyyyMMdd}.{ext}\", \"at\": \"2026-11-30T23:30:00Z\","
                        + " \"timezone\": \"Asia/Seoul\", \"content_type\": \"x/ms-excel\","
                        + " \"types\": [{\"match\": \"ms-excel\", \"extension\": \"xls\"}]}",
                    // UTF-8 and EUC-KR, byte by byte; then text that is no Latin-1.
                    "{\(url), \"template\": \"{stem}.{ext}\", \"content_disposition\": \"filename=\\\"caf\u{C3}\u{A9}.pdf\\\"\"}",
                    "{\(url), \"template\": \"{stem}.{ext}\", \"charset\": \"euc-kr\","
                        + " \"content_disposition\": \"filename=\\\"\\u00ba\\u00b8\\u00b0\\u00ed\\u00bc\\u00ad.hwp\\\"\"}",
                    "{\(url), \"template\": \"{stem}.{ext}\", \"content_disposition\": \"filename=\\\"보고서.hwp\\\"\"}",
                    "{\(url), \"template\": \"{stem}.{ext}\", \"download\": \"a.csv\", \"body_base64\": \"YSxiCjEsMgo=\"}",
                ])
            #expect(
                found.map(\.name) == [
                    "20261130233000-get.pdf", "20261201.xls", "café.pdf", "보고서.hwp", "보고서.hwp", "a.csv",
                ])
            #expect(
                found.map(\.extension_source) == ["type", "types", "disposition", "disposition", "disposition", "url"])
            #expect(found.map(\.filename) == [nil, nil, "café.pdf", "보고서.hwp", "보고서.hwp", nil])
        }

        @Test("What is no question gets an error")
        func wrong() async throws {
            let found = try await answers(
                [
                    "{}", "{\"url\": \"x\"}", "{\"url\": \"http://h/\", \"template\": \"{nonsense}\"}",
                    "{\"url\": \"http://h/\", \"at\": \"yesterday\"}",
                    "{\"url\": \"http://h/\", \"timezone\": \"No/Zone\"}",
                    "{\"url\": \"http://h/\", \"types\": [5]}",
                ], expecting: 1)
            #expect(found.count == 6 && found.allSatisfy { $0.error?.isEmpty == false && $0.name == nil })
        }

        private struct Case: Sendable {
            let path: String
            let type: String?
            let disposition: String?
            let body: [UInt8]
        }

        /// Two hundred resources of all sorts.
        private static let cases: [Case] = {
            let types: [String?] = [
                "application/pdf", "application/octet-stream", nil, "application/vnd.ms-excel", "application/zip",
                "text/plain; charset=utf-8", "image/jpeg", "application/x-msdownload", "nonsense", "text/csv",
            ]
            let dispositions: [String?] = [
                nil, "attachment", "attachment; filename=\"a b.pdf\"", "attachment; filename*=UTF-8''%EB%B3%B4.hwp",
                "attachment; filename=../../x.csv", "inline; filename=y.php", "filename=\"caf\u{E9}.txt\"",
            ]
            let bodies: [String] = ["%PDF-1.4\n%%EOF\n", "a,b\n1,2\n", "GIF89a\u{1}", "{\"a\": 1}", "plain words\n"]
            let names = ["get.php?id=", "report.pdf?n=", "x?file=a.docx&n=", "data.tar.gz?", "plain/", "down.do?n="]
            return (0..<200).map { index in
                Case(
                    path: "/\(index)/\(names[index % names.count])\(index)", type: types[index % types.count],
                    disposition: dispositions[index % dispositions.count],
                    body: Array((bodies[index % bodies.count] + "\(index)").utf8))
            }
        }()

        @Test("A run gives the names that it explains, on 200 cases")
        func sameAsRun() async throws {
            let handler: FaultServer.Handler = { request in
                guard let index = Int(request.target.dropFirst().prefix { $0.isNumber }) else {
                    return [.send(Response.page(Self.cases.map { "f:" + $0.path }))]
                }
                let one = Self.cases[index]
                var head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(one.body.count)\r\n".utf8)
                if let type = one.type { head += Array("Content-Type: \(type)\r\n".utf8) }
                if let text = one.disposition {
                    head +=
                        Array("Content-Disposition: ".utf8) + text.unicodeScalars.map { UInt8($0.value) } + [13, 10]
                }
                return [.send(head + [13, 10] + one.body)]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "same",
                        """
                        start: ["\(server.origin)/"]
                        download: { schemes: ["f:"], reject-types: [] }
                        name: { template: "{url-id}-{stem}.{ext}" }
                        """)
                    try await sandbox.run("same")
                    let encoder = JSONEncoder()
                    let questions = try Self.cases.map { one in
                        let question = Question(
                            url: server.origin + one.path, content_type: one.type, content_disposition: one.disposition,
                            body_base64: Data(one.body).base64EncodedString(), template: "{url-id}-{stem}.{ext}")
                        return String(decoding: try encoder.encode(question), as: UTF8.self)
                    }
                    let explained = try await answers(questions)
                    let id = try sandbox.report("same").run.id
                    var items: [String: Item] = [:]
                    for line in try sandbox.root.text("reports/same/\(id).items.jsonl").split(separator: "\n") {
                        let item = try Item(json: Array(line.utf8))
                        items[item.url] = item
                    }
                    #expect(items.count == 200)
                    for (one, answer) in zip(Self.cases, explained) {
                        let item = items[server.origin + one.path]
                        #expect(item?.name == answer.name, "\(one)")
                        #expect(item?.extension_source == answer.extension_source, "\(one)")
                    }
                }
            }
        }
    }
}
