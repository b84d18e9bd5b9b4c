import Files
import Foundation
import Model
import Reporting
import Synchronization
import TestSupport
import Testing
import URLs

@Suite struct EventLogTests {
    private let identity = RunIdentity(id: "r", job: "job", manifestSHA256: "00", started: 0)

    /// What standard error and the log file got.
    private func log(
        _ events: [RunEvent], format: LogFormat = .text, isQuiet: Bool = false
    ) async throws -> (printed: String, file: String) {
        try await Folder.temporary { folder in
            let printed = Printed()
            let log = try EventLog(
                identity, in: try Directory(folder.path), format: format, isQuiet: isQuiet, interval: .seconds(3600),
                printer: { bytes in printed.text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } })
            try await log.receive(events[...])
            return (printed.text.withLock { $0 }, try folder.text("r.log"))
        }
    }

    private final class Printed: Sendable {
        let text = Mutex("")
    }

    private func end(_ status: RunStatus) -> RunEvent { .finished(RunEnd(status: status, exitStatus: 0, finished: 1)) }

    private func failure() throws -> RunEvent {
        let url = try #require(WebURL("https://user:secret@h/a?token=abc&x=1"))
        return .itemFailed(url: url, Failure(.dns, "no\u{1b}[31m such\nhost"))
    }

    @Test func aQuietRunThatWentWellPrintsNothingAndLogsEverything() async throws {
        let (printed, file) = try await log([.started(identity), end(.succeeded)], isQuiet: true)
        #expect(printed.isEmpty)
        #expect(file.split(separator: "\n").count == 2)
    }

    @Test func aQuietRunTellsItsFailures() async throws {
        let (printed, _) = try await log([.started(identity), try failure(), end(.partial)], isQuiet: true)
        #expect(printed.split(separator: "\n").count == 2)
    }

    /// Programs filter by these names, so people must be able to read all of them, and none that does not exist.
    @Test func theREADMEListsEveryEvent() throws {
        let readme = try String(
            contentsOfFile: URL(filePath: "../../README.md", relativeTo: URL(filePath: #filePath)).path, encoding: .utf8
        )
        let start = try #require(readme.range(of: "Its `event` is one of"))
        let list = readme[start.upperBound...].prefix { $0 != "(" }
        let names = list.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        #expect(names.sorted() == LogEvent.allCases.map(\.rawValue).sorted())
        let codes = try #require(readme.range(of: "error has one of these codes:")).upperBound
        for code in ErrorCode.allCases {
            #expect(readme[codes...].prefix(400).contains("`\(code.rawValue)`"), "\(code)")
        }
    }

    @Test func aNoteIsALineOfTheLogAsWell() throws {
        let json = note("ends\u{202e}", job: "job", isError: false, .json, isForJournal: true)
        let read = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
        #expect(read?["event"] as? String == "note" && read?["job"] as? String == "job" && read?["run"] is NSNull)
        #expect(!String(decoding: json, as: UTF8.self).contains("\u{202e}"))
        let text = note("careful", isError: true, .text, isForJournal: true)
        #expect(String(decoding: text, as: UTF8.self) == "<3>careful\n")
    }

    @Test(arguments: LogFormat.allCases)
    func oneLineAnEventWithoutSecretsOrEscapes(format: LogFormat) async throws {
        let (printed, _) = try await log([try failure()] + [end(.partial)], format: format)
        let lines = printed.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(!printed.contains("secret") && !printed.contains("abc") && !printed.contains("\u{1b}"))
        #expect(printed.contains("x=1") && printed.contains("dns"))
    }
}
