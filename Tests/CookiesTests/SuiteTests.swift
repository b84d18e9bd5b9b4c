@testable import Cookies
import Foundation
import Testing
import URLs

private let suite =
    (ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"].map { URL(filePath: $0) }
    ?? URL(filePath: #filePath).appending(path: "../../../../shared/suites").standardized)
    .appending(path: "cookies-http-state")

/// The working group's own cases of RFC 6265 (abarth/http-state), without a server: a jar takes what a file says that
/// the server sends, and is asked for the next request.
@Suite("Cookies, by the working group's cases", .enabled(if: FileManager.default.fileExists(atPath: suite.path)))
struct CookieSuiteTests {
    private static let origin = "http://home.example.org:8888"

    @Test("Every case of the parser's folder, but the known ones")
    func parser() throws {
        let folder = suite.appending(path: "parser")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix("-test") && !$0.hasPrefix("disabled-") }.map { String($0.dropLast(5)) }.sorted()
        var wrong: [String] = []
        for name in names {
            let lines = try Data(contentsOf: folder.appending(path: "\(name)-test")).split(separator: 0x0a)
            let expected = try Data(contentsOf: folder.appending(path: "\(name)-expected"))
            var jar = CookieJar()
            var target = "\(Self.origin)/cookie-parser-result?\(name)"
            let source = try url("\(Self.origin)/cookie-parser?\(name)")
            for line in lines {
                let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { continue }
                let value = Array(trimmed([UInt8](parts[1])[...]))
                switch String(decoding: parts[0], as: UTF8.self).lowercased() {
                case "set-cookie": _ = jar.receive([value], from: source, now: fixedNow)
                case "location": target = String(decoding: value, as: UTF8.self)
                default: break
                }
            }
            let destination = try #require(WebURL(target, base: source), "\(name): \(target)")
            let header = jar.header(for: destination, now: fixedNow).map { Array("Cookie: ".utf8) + $0 } ?? []
            let wanted = expected.split(separator: 0x0a).first.map { [UInt8]($0) } ?? []
            if header != wanted {
                wrong.append(
                    "\(name): \(String(decoding: header, as: UTF8.self)), not \(String(decoding: wanted, as: UTF8.self))"
                )
            }
        }
        #expect(names.count >= 150)
        #expect(wrong.count * 50 <= names.count, "\(wrong.count) of \(names.count): \(wrong.joined(separator: "\n"))")
    }

    private struct Row: Decodable {
        struct Pair: Decodable { let name, value: String }
        let test: String
        let received: [String]
        let sent: [Pair]
        let sentTo: String?

        enum CodingKeys: String, CodingKey {
            case test, received, sent
            case sentTo = "sent-to"
        }
    }

    @Test("Every row of parser.json, but the known ones")
    func rows() throws {
        let rows = try JSONDecoder().decode([Row].self, from: Data(contentsOf: suite.appending(path: "parser.json")))
        var wrong: [String] = []
        for row in rows where !row.test.hasPrefix("DISABLED") {
            var jar = CookieJar()
            let source = try url("\(Self.origin)/cookie-parser?\(row.test.lowercased())")
            for field in row.received { _ = jar.receive([Array(field.utf8)], from: source, now: fixedNow) }
            let target = row.sentTo ?? "\(Self.origin)/cookie-parser-result?\(row.test.lowercased())"
            let destination = try #require(WebURL(target, base: source))
            let header = jar.header(for: destination, now: fixedNow).map { String(decoding: $0, as: UTF8.self) } ?? ""
            let wanted = row.sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            if header != wanted { wrong.append("\(row.test): \(header), not \(wanted)") }
        }
        #expect(rows.count >= 150)
        #expect(wrong.count * 50 <= rows.count, "\(wrong.count) of \(rows.count): \(wrong.joined(separator: "\n"))")
    }

    private struct DateRow: Decodable {
        let test: String
        let expected: String?
    }

    @Test("Dates", arguments: ["examples.json", "bsd-examples.txt"])
    func dates(file: String) throws {
        let text = try String(contentsOf: suite.appending(path: "dates/\(file)"), encoding: .utf8)
        let json = text.split(separator: "\n").filter { !$0.hasPrefix("//") }.joined(separator: "\n")
        let rows = try JSONDecoder().decode([DateRow].self, from: Data(json.utf8))
        #expect(rows.count >= 15)
        for row in rows {
            let found = CookieDate.parse(Array(row.test.utf8)[...])
            let wanted = row.expected.flatMap { CookieDate.parse(Array($0.utf8)[...]) }
            #expect(found == wanted, "\(row.test): \(String(describing: found)), not \(String(describing: wanted))")
        }
    }
}
