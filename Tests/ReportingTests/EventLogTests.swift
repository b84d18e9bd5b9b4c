import Files
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

    @Test(arguments: LogFormat.allCases)
    func oneLineAnEventWithoutSecretsOrEscapes(format: LogFormat) async throws {
        let (printed, _) = try await log([try failure()] + [end(.partial)], format: format)
        let lines = printed.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(!printed.contains("secret") && !printed.contains("abc") && !printed.contains("\u{1b}"))
        #expect(printed.contains("x=1") && printed.contains("dns"))
    }
}
