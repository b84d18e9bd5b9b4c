import Codings
import Cookies
import FoundationEssentials
import Model
import Testing
import TestSupport
import Times
import URLs

@testable import Fetching
@testable import HTTP

/// Single fields as other projects read them.
@Suite struct FieldSuiteTests {
    private struct Table: Decodable {
        struct Row: Decodable {
            let test: String
            let field: String
            let inputs: [String]
            let expected: Shape
            let notes: [String]
        }
        let cases: [Row]
    }

    /// What our reading of a field makes of the suite's row; nil for fields that this stage does not read.
    private func isRight(_ row: Table.Row) -> Bool? {
        guard let place = WebURL("https://h.example/") else { return nil }
        let input = Array(row.inputs.joined(separator: ", ").utf8)
        switch row.field {
        case "Content-Range":
            let range = ContentRange(Array((row.inputs.first ?? "").utf8))
            let total = row.expected["complete_length"]
            // Only bytes are asked for; contradictions and what is beyond 2^63 are no range.
            let unit = row.expected["unit"].text?.lowercased()
            let isUsable = unit == "bytes" && !row.notes.contains("RANGE_INVALID") && (total.number ?? 0) < 9e18
            guard isUsable else { return range == nil }
            return range?.range.map { Double($0.lowerBound) } == row.expected["first_byte_pos"].number
                && range?.range.map { Double($0.upperBound) } == row.expected["last_byte_pos"].number
                && range?.total.map(Double.init) == total.number
        case "Retry-After":
            return Retrying.seconds(retryAfter: input, now: 0) != nil
        case "Date", "Last-Modified", "Expires", "If-Modified-Since":
            let found = HTTPDate.parse(row.inputs.first ?? "", now: 1_796_025_600)
            return found == row.expected.number
        case "Content-Encoding":
            let known: Set = ["gzip", "x-gzip", "deflate", "br", "zstd", "identity", ""]
            let tokens = input.split(separator: UInt8(ascii: ",")).map { token in
                String(decoding: token.filter { $0 > 0x20 }, as: UTF8.self).lowercased()
            }
            let found = try? ContentCoding.list([input])
            return (found != nil) == tokens.allSatisfy(known.contains)
        case "ETag":
            var headers = HeaderFields()
            headers.append(name: "etag", value: input)
            let origin = PartOrigin(url: place, answered: place, headers: headers, total: 1)
            // Weak and unquoted ones must not be gone on with.
            return (origin.validator != nil) == (row.notes.isEmpty && input.first == UInt8(ascii: "\""))
        case "Strict-Transport-Security":
            guard row.notes.contains(where: { $0.hasPrefix("HSTS_VALID") || $0 == "HSTS_INVALID" }) else { return nil }
            let policy = HSTSPolicy(Array((row.inputs.first ?? "").utf8))
            // What is sent without TLS is read by nobody; that is no matter of its form.
            let isValid = row.notes.contains("HSTS_VALID") || row.notes.contains("HSTS_OVER_HTTP")
            guard isValid else { return policy == nil }
            return policy.map { Double($0.maxAge) } == row.expected["max-age"].number
        case "Content-Length":
            let head = try? head(row.inputs.map { "Content-Length: \($0)" })
            guard case .number(let length) = row.expected, length < 9e18 else { return head == nil }
            return head.map { $0.contentLength.map(Double.init) == length } ?? false
        case "Transfer-Encoding":
            // Chunked is the one coding that needs no asking; a parameter of it is of no meaning to us.
            let codings = row.inputs.map { $0.lowercased() }
            let isPlain = codings == ["chunked"] || codings == ["identity"]
            return ((try? head(row.inputs.map { "Transfer-Encoding: \($0)" })) != nil) == isPlain
        case "Location":
            return (WebURL(utf8: input, base: place) == nil) == row.notes.contains("LOCATION_BAD_URI")
        case "Content-MD5":
            var headers = HeaderFields()
            headers.append(name: "content-md5", value: input)
            return DigestClaim(headers) != nil
        case "Set-Cookie": return isRightCookie(row)
        default: return nil
        }
    }

    /// Whether the jar takes what a browser would take.
    private func isRightCookie(_ row: Table.Row) -> Bool? {
        guard let source = WebURL("https://www.example.com/foo/bar"), case .list(let cookies) = row.expected else {
            return nil
        }
        var jar = CookieJar()
        _ = jar.receive(row.inputs.map { Array($0.utf8) }, from: source, now: 1_600_000_000)
        let isRefused = row.notes.contains { $0.contains("_PREFIX_") || $0.hasSuffix("TOO_LARGE") }
        var wanted: [String: String] = [:]
        for cookie in cookies where !isRefused {
            guard let name = cookie[0].text, let value = cookie[1].text else { return nil }
            guard case .list(let attributes) = cookie[2] else { return nil }
            let isForeign = attributes.contains { $0[0].text == "Domain" && $0[1].text != "example.com" }
            // A cookie without a name is taken by none of those who write cookies.txt.
            let isOver =
                name.isEmpty
                || attributes.contains { $0[0].text == "Max-Age" && $0[1].number ?? 1 <= 0 }
            wanted[name] = isForeign || isOver ? nil : value
        }
        let found = jar.cookies.map {
            (String(decoding: $0.identity.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
        }
        return Dictionary(found, uniquingKeysWith: { $1 }) == wanted
    }

    /// A head with these lines, as the engine reads it.
    private func head(_ lines: [String]) throws -> HTTPHead? {
        var reader = HeadReader()
        var head: HTTPHead?
        for line in ["HTTP/1.1 200 OK"] + lines + [""] {
            try Array((line + "\r\n").utf8).withUnsafeBufferPointer { bytes in
                if case .head(let complete) = try reader.line(bytes) { head = complete }
            }
        }
        return head
    }

    @Test(.enabled(if: suiteExists("http-fields-httplint/fields.json"), "no suite http-fields-httplint"))
    func httplintAgrees() throws {
        let rows = try JSONDecoder().decode(Table.self, from: suiteData("http-fields-httplint/fields.json")).cases
        var wrong: [String] = []
        var count = 0
        for row in rows {
            guard let isRight = isRight(row) else { continue }
            count += 1
            if !isRight { wrong.append("\(row.field) \(row.test) \(row.inputs)".prefix(200).description) }
        }
        #expect(count >= 140)
        #expect(wrong.count * 50 <= count, "\(wrong.count) of \(count): \(wrong)")
    }

    private struct Retries: Decodable {
        let retry_after_clock: String
        let retry_after_sleep: [[Shape]]
        let retry_after_invalid: [String]
        let should_strip_auth: [[Shape]]
    }

    @Test(.enabled(if: suiteExists("redirect-retry/redirect_retry.json"), "no suite redirect-retry"))
    func requestsAndURLLib3Agree() throws {
        let suite = try JSONDecoder().decode(Retries.self, from: suiteData("redirect-retry/redirect_retry.json"))
        let now = try #require(RFC3339.parse(suite.retry_after_clock))
        for row in suite.retry_after_sleep {
            // The head's reader takes blanks away.
            let value = (row[0].text ?? "").utf8.filter {
                ![0x20, 0x09].contains($0) || row[0].text?.contains(",") == true
                    || row[0].text?.contains("Jun") == true
            }
            let found = Retrying.seconds(retryAfter: Array(value), now: now)
            // A date that is now asks for no wait.
            #expect(found == row[1].number ?? 0, "\(row)")
        }
        for value in suite.retry_after_invalid {
            #expect(Retrying.seconds(retryAfter: Array(value.utf8), now: now) == nil, "\(value)")
        }
        for row in suite.should_strip_auth {
            guard let from = row[0].text, let to = row[1].text, case .flag(let isStripped) = row[2] else {
                Issue.record("\(row)")
                continue
            }
            let login = try #require(BasicLogin(url(from.replacing("://", with: "://user:secret@"))))
            #expect((login.authorization(for: try url(to)) == nil) == isStripped, "\(from) \(to)")
        }
    }
}
