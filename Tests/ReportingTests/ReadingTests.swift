import Files
import Foundation
import JSON
import Model
import TestSupport
import Testing

@testable import Reporting

@Suite struct ReadingTests {
    /// Members and elements of a text, fed in pieces of every size.
    private func parts(_ text: String, step: Int) throws -> [String] {
        var splitter = JSONSplitter(elementsOf: ["list"])
        var found: [String] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: step) {
            try splitter.feed(bytes[start..<min(start + step, bytes.count)]) { name, value in
                found.append("\(name)=" + String(decoding: value, as: UTF8.self).trimmingCharacters(in: .whitespaces))
            }
        }
        return found
    }

    @Test(arguments: [1, 2, 3, 7, 1000]) func anObjectIsTakenApart(step: Int) throws {
        let text =
            #"{"a": 1, "b" : {"list": [1, "}"]}, "list": [ {"x": "],"}, "\"[" , 3,[4,{"y":5}]], "c\"d": [],"list":[]}"#
        #expect(
            try parts(text, step: step) == [
                "a=1", #"b={"list": [1, "}"]}"#, #"list={"x": "],"}"#, #"list="\"[""#, "list=3", #"list=[4,{"y":5}]"#,
                #"c\"d=[]"#,
            ])
    }

    @Test(arguments: ["x", "{1}", "\"a\"", "{\"a\" x"]) func whatIsNoObjectIsSaidToBeNone(text: String) {
        #expect(throws: ReportError.Reason.self) { try parts(text, step: 1) }
    }

    @Test func anItemIsReadBackAsItWasWritten() throws {
        var record = ItemRecord(url: "https://h/ü\"\\\n", status: .failed)
        record.finalURL = "https://h/2"
        record.referrer = "https://h/p"
        record.reason = "why"
        record.httpStatus = 404
        record.contentType = "text/html"
        record.name = "n"
        record.extension = "pdf"
        record.extensionSource = .content
        record.bytes = 5_000_000_000
        record.sha256 = "aa"
        record.duplicateOf = "d"
        record.change = .changed
        record.stale = true
        record.redirects = ["https://h/1"]
        record.attempts = 3
        record.resumedFrom = 7
        record.started = "2026-01-01T00:00:00.000Z"
        record.seconds = 1.25
        record.error = Failure(.timeout, "slow")
        var json = JSONText()
        json.item(record)
        #expect(ItemRecord(try JSONValue(parsing: json.bytes)) == record)
    }

    @Test func failuresAreGroupedByErrorAndHost() {
        var groups = FailureGroups()
        for (host, code, count) in [("a", ErrorCode.dns, 1), ("b", .dns, 3), ("a", .timeout, 2)] {
            for number in 0..<count {
                var record = ItemRecord(url: "https://\(host)/\(number)", status: .failed)
                record.error = Failure(code, "because")
                groups.add(record)
            }
        }
        #expect(
            groups.sorted.map { "\($0.code) \($0.host) \($0.count) \($0.first.url)" } == [
                "dns b 3 https://b/0", "timeout a 2 https://a/0", "dns a 1 https://a/0",
            ])
        #expect(groups.total == 6)
    }

    @Test func groupsAreBounded() {
        var groups = FailureGroups()
        for number in 0..<3000 { groups.add(ItemRecord(url: "https://h\(number)/", status: .failed)) }
        #expect(groups.sorted.count == 1000 && groups.others == 2000 && groups.total == 3000)
    }

    @Test func twoRunsAreCompared() async throws {
        try await Folder.temporary { folder in
            func write(_ run: String, _ items: [(String, ItemStatus, String?)]) throws {
                var json = JSONText()
                for (url, status, sha256) in items {
                    var record = ItemRecord(url: "https://h/\(url)", status: status)
                    record.sha256 = sha256.map { String(repeating: $0, count: 64) }
                    json.item(record)
                    json.endDocument()
                }
                try folder.write("\(run).items.jsonl", String(decoding: json.bytes, as: UTF8.self))
            }
            try write(
                "1",
                [
                    ("same", .downloaded, "a"), ("other", .downloaded, "a"), ("lost", .downloaded, "b"),
                    ("dead", .failed, nil), ("once", .failed, nil), ("vanished", .unchanged, "c"),
                    ("broke", .downloaded, "d"),
                ])
            try write(
                "2",
                [
                    ("fresh", .duplicate, "a"), ("same", .unchanged, "a"), ("other", .downloaded, "b"),
                    ("dead", .failed, nil), ("once", .downloaded, "e"), ("vanished", .gone, nil),
                    ("broke", .failed, nil), ("left", .skipped, nil),
                ])
            var found: [String] = []
            try RunDiff.compare("1", with: "2", in: try Directory(folder.path)) {
                found.append("\($0.kind.rawValue) \($0.url.dropFirst(10))")
            }
            #expect(
                found == [
                    "new fresh", "changed other", "failing-again dead", "new once", "gone lost", "gone vanished",
                ])
        }
    }
}
