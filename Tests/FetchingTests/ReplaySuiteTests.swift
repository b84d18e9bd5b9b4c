import Codings
import FoundationEssentials
import Model
import Synchronization
import TestSupport
import Testing

@testable import Fetching

/// Answers of other projects' test servers, replayed byte for byte. One server for all rows: the path names the row.
@Suite struct ReplaySuiteTests {
    // MARK: llhttp

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

    // MARK: curl

    private struct CurlRow: Decodable {
        struct Reply: Decodable {
            let section: String
            let raw_base64: String?
            let unexpanded: Bool?

            var raw: [UInt8] { Array(Data(base64Encoded: raw_base64 ?? "") ?? Data()) }
        }
        let test: String
        let name: String
        let server: [String]
        let command: String?
        let curl_exit: Int?
        let replies: [Reply]

        var number: String { String(test.dropFirst(4)) }
        /// How many URLs one command asks for.
        var urls: Int {
            (command ?? "").split(separator: "http://").count - ((command ?? "").hasPrefix("http://") ? 0 : 1)
        }
        var options: Set<String> {
            let words = (command ?? "").split(separator: " ")
            return Set(words.filter { $0.hasPrefix("-") }.map(String.init))
        }
    }

    /// Options that change nothing of what a server is asked, or of what its answer is.
    private static let plainOptions: Set<String> = [
        "-o", "-O", "-J", "--output-dir", "-L", "--location", "--follow", "-i", "-D", "-s", "-sS", "-S", "-w",
        "--write-out", "--compressed", "-f", "--fail", "--silent", "--no-progress-meter", "--show-headers",
        "--show-error", "--include", "--remote-name-all", "-JO", "--dump-header", "-g", "--remove-on-error", "--output",
        "--create-dirs", "--path-as-is", "--no-include", "-A", "--url", "--no-http0.9",
    ]
    /// What curl's exit says of an answer that cannot be trusted.
    private static let failing: Set<Int> = [1, 8, 18, 22, 52, 56, 61, 100]

    /// Framing that curl takes and Nightjar refuses, each with its reason.
    private static let stricter: [String: String] = [
        "test395": "a length beyond 2^63 can only be a lie", "test770": "a list is no length (RFC 9110, 8.6)",
        "test1482": "chunked twice is a coding that nobody asked for",
        "test1483": "two transfer codings where one was asked for",
        "test1494": "identity is no transfer coding any more (RFC 9112, 7)",
    ]

    @Test(.enabled(if: suiteExists("curl-http/index.json"), "no suite curl-http"))
    func curlAgrees() async throws {
        let rows = try JSONDecoder().decode([CurlRow].self, from: suiteData("curl-http/index.json")).filter { row in
            row.server == ["http"] && row.options.isSubset(of: Self.plainOptions) && !row.replies.isEmpty
                && row.replies.allSatisfy { $0.unexpanded != true && $0.raw_base64 != nil }
                && Self.stricter[row.test] == nil && row.urls == 1
                && (row.curl_exit == 0 || Self.failing.contains(row.curl_exit ?? 0))
        }
        var wrong: [String] = []
        var count = 0
        for row in rows {
            guard
                let expected = Expectation(
                    row.replies.map { ($0.section, $0.raw) }, number: row.number, exit: row.curl_exit ?? 0)
            else { continue }
            count += 1
            let (result, body) = try await fetch(row)
            let isRight: Bool =
                switch expected {
                case .failure: result.part == nil
                case .body(let content): body == content
                }
            if !isRight {
                wrong.append(
                    "\(row.test) \(row.name): \(result.failure?.message ?? "\(body?.count ?? -1) bytes"), \(expected)")
            }
        }
        #expect(count >= 90)
        #expect(wrong.isEmpty, "\(wrong.count) of \(count): \(wrong.joined(separator: "\n"))")
    }

    /// What must come of a row, worked out from its answers without Nightjar's own reading of them.
    private enum Expectation: CustomStringConvertible {
        case failure
        case body([UInt8])

        var description: String {
            switch self {
            case .failure: "failure expected"
            case .body(let bytes): "\(bytes.count) bytes expected"
            }
        }

        /// Nil when the answers alone do not tell.
        init?(_ replies: [(section: String, raw: [UInt8])], number: String, exit: Int) {
            if exit != 0 {
                self = .failure
                return
            }
            var section = "data"
            for _ in 0..<12 {
                guard let raw = replies.first(where: { $0.section == section })?.raw, let answer = Answer(raw) else {
                    return nil
                }
                switch answer.status {
                case 301, 302, 303, 307, 308:
                    guard let location = answer["location"] else {
                        self = .failure
                        return
                    }
                    guard let next = Self.section(of: location, number: number), next != section else { return nil }
                    section = next
                case 200, 201, 202, 203, 299:
                    guard let body = answer.body else { return nil }
                    self = .body(body)
                    return
                default:
                    self = .failure
                    return
                }
            }
            return nil
        }

        /// Which answer a path asks for: the test's number, with four more digits for another section.
        static func section(of path: String, number: String) -> String? {
            let path = path.replacing("%TESTNUMBER", with: number)
            let runs = path.prefix { $0 != "?" && $0 != "#" }.split { !$0.isASCII || !$0.isNumber }
            guard let run = runs.last(where: { $0.hasPrefix(number) }) else { return nil }
            let rest = run.dropFirst(number.count)
            if rest.isEmpty { return "data" }
            guard rest.count == 4, let section = Int(rest) else { return nil }
            return section == 0 ? "data" : "data\(section)"
        }
    }

    /// A well-formed answer, read the plain way.
    private struct Answer {
        let status: Int
        private var fields: [(String, String)] = []
        private let rest: [UInt8]

        init?(_ raw: [UInt8]) {
            var raw = raw[...]
            while true {
                let end =
                    raw.firstRange(of: [13, 10, 13, 10]) ?? raw.firstRange(of: [10, 10])
                    ?? raw.firstRange(of: [10, 13, 10])
                guard let end else { return nil }
                let head = String(decoding: raw[..<end.lowerBound], as: UTF8.self).split { $0.isNewline }
                guard let first = head.first, first.hasPrefix("HTTP/") else { return nil }
                let words = first.split(separator: " ")
                guard words.count > 1, let status = Int(words[1]) else { return nil }
                raw = raw[end.upperBound...]
                if status < 200 { continue }
                self.status = status
                for line in head.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    guard parts.count == 2 else { continue }
                    let value = parts[1].drop { $0 == " " || $0 == "\t" }
                    fields.append((parts[0].lowercased(), String(value)))
                }
                rest = Array(raw)
                return
            }
        }

        subscript(name: String) -> String? { fields.first { $0.0 == name }?.1 }

        var body: [UInt8]? {
            var body = rest
            if self["transfer-encoding"]?.contains("chunked") == true {
                guard let joined = dechunked else { return nil }
                body = joined
            } else if let length = self["content-length"].flatMap({ Int($0) }) {
                guard length <= body.count else { return nil }
                body = Array(body.prefix(length))
            }
            guard let coding = self["content-encoding"] else { return body }
            guard let codings = try? ContentCoding.list([Array(coding.utf8)]),
                let decoder = try? BodyDecoder(codings, limit: 1 << 24)
            else { return nil }
            var content: [UInt8] = []
            try? body.withUnsafeBytes { try decoder.decode($0) { content += Array($0) } }
            return content
        }

        private var dechunked: [UInt8]? {
            var bytes: [UInt8] = []
            var rest = rest[...]
            while let end = rest.firstIndex(of: 10) {
                let line = String(decoding: rest[..<end], as: UTF8.self).prefix { $0.isHexDigit }
                guard let size = Int(line, radix: 16) else { return nil }
                rest = rest[(end + 1)...]
                if size == 0 { return bytes }
                guard rest.count >= size else { return nil }
                bytes += rest.prefix(size)
                rest = rest.dropFirst(size)
                guard let next = rest.firstIndex(of: 10) else { return nil }
                rest = rest[(next + 1)...]
            }
            return nil
        }
    }

    private func fetch(_ row: CurlRow) async throws -> (FetchResult, [UInt8]?) {
        let answers = Dictionary(row.replies.map { ($0.section, $0.raw) }, uniquingKeysWith: { first, _ in first })
        let number = row.number
        let port = Mutex<UInt16>(0)
        let handler: FaultServer.Handler = { request in
            guard let section = Expectation.section(of: request.target, number: number), let raw = answers[section]
            else {
                return [.send(Response.notFound)]
            }
            let text = [("%TESTNUMBER", number), ("%HTTPPORT", "\(port.withLock { $0 })"), ("%HOSTIP", "127.0.0.1")]
            return [.send(text.reduce(raw) { replacing($1.0, with: $1.1, in: $0) }), .close]
        }
        return try await FaultServer.serving(handler) { server in
            port.withLock { $0 = server.port }
            var rules = FetchRules.quick
            rules.idleTimeout = .seconds(2)
            return try await Bench.with(rules) { bench in
                let result = await bench.fetch("\(server.origin)/\(number)")
                return (result, try result.part.map { try bench.folder.read($0.name) })
            }
        }
    }

    // MARK: Both

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

private func replacing(_ mark: String, with text: String, in bytes: [UInt8]) -> [UInt8] {
    var rest = bytes[...]
    var result: [UInt8] = []
    while let found = rest.firstRange(of: Array(mark.utf8)) {
        result += rest[..<found.lowerBound] + Array(text.utf8)
        rest = rest[found.upperBound...]
    }
    return result + rest
}
