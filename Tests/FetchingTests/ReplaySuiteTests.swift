import FoundationEssentials
import Model
import TestSupport
import Testing

@testable import Fetching

/// Answers of other projects' test servers, replayed byte for byte. One server for all rows: the path names the row.
@Suite struct ReplaySuiteTests {
    private struct LLHTTP: Decodable {
        struct Row: Decodable {
            struct Meta: Decodable { let type: String? }
            struct Fault: Decodable { let reason: String? }
            let file: String
            let name: String
            let meta: Meta
            let raw_base64: String
            let log: String?
            let error: Fault?

            var raw: [UInt8] { Array(Data(base64Encoded: raw_base64) ?? Data()) }
            /// A strict reader must refuse it.
            var mustFail: Bool { error != nil || meta.type?.hasPrefix("response-lenient") == true }
        }
        let cases: [Row]
    }

    /// Framing that libcurl reads as RFC 9112 allows a lenient reader to, and that cuts or joins no body.
    private static let tolerated: [(raw: String, reason: String)] = [
        ("HTTP/1.1 200 OK\nContent-Length: 0", "a line feed alone ends a line (RFC 9112, 2.2)"),
        ("HTTP/1.1 200 OK\nFoo: abc", "a line feed alone ends a line (RFC 9112, 2.2)"),
        ("HTTP/1.1  200 OK", "more than one blank in the status line (RFC 9112, 4)"),
        ("HTTP/1.1 204 No content\r\nConnection: close", "bytes behind an answer that has ended"),
        ("Server: Microsoft-IIS/6.0\r\nX-Powered-By", "a field with a blank in its name is dropped, not read"),
        ("Transfer-Encoding: chunked\r\n\r\n25  \r\n", "blanks behind a chunk's size"),
    ]

    @Test(.enabled(if: suiteExists("llhttp/responses.json"), "no suite llhttp"))
    func whatLLHTTPRefusesIsNeverPublished() async throws {
        let rows = try JSONDecoder().decode(LLHTTP.self, from: suiteData("llhttp/responses.json")).cases
        let results = try await replay(rows.map(\.raw))
        var wrong: [String] = []
        var count = 0
        for (row, result) in zip(rows, results) where row.mustFail {
            let text = String(decoding: row.raw, as: UTF8.self)
            if Self.tolerated.contains(where: { text.contains($0.raw) }) { continue }
            count += 1
            if result.part != nil { wrong.append("\(row.name): \(text.prefix(120).debugDescription)") }
        }
        #expect(count >= 14)
        #expect(wrong.count * 50 <= count, "\(wrong.count) of \(count): \(wrong)")
        // Of what it accepts, nothing but the first answer's body is ever published.
        for (row, result) in zip(rows, results) where !row.mustFail {
            guard let bytes = result.part?.bytes else { continue }
            #expect(bytes <= Int64(row.raw.count), "\(row.name)")
        }
    }

    /// Fetches each answer as an item.
    private func replay(_ answers: [[UInt8]]) async throws -> [FetchResult] {
        let handler: FaultServer.Handler = { request in
            guard let index = Int(request.path.dropFirst()), answers.indices.contains(index) else {
                return [.send(Response.notFound)]
            }
            return [.send(answers[index]), .close]
        }
        return try await FaultServer.serving(handler) { server in
            var rules = FetchRules.quick
            rules.idleTimeout = .seconds(2)
            return try await Bench.with(rules) { bench in
                var results: [FetchResult] = []
                for index in answers.indices { results.append(await bench.fetch("\(server.origin)/\(index)")) }
                return results
            }
        }
    }
}
