import Files
import Foundation
import Model
import Reporting
import TestSupport
import Testing

@Suite struct ReportWriterTests {
    private let identity = RunIdentity(id: "20260101T000000Z-abcdef", job: "job", manifestSHA256: "00", started: 0)
    private let end = RunEnd(status: .partial, exitStatus: 1, finished: 61)

    private func report(_ events: [RunEvent], in folder: Folder) async throws -> RunReport {
        let directory = try Directory(folder.path)
        let writer = try ReportWriter(identity, in: directory)
        try await writer.receive(events[...])
        _ = try await writer.publish(end)
        return try RunReport.read("latest", in: directory)
    }

    private func item(_ url: String, _ status: ItemStatus) -> RunEvent {
        var record = ItemRecord(url: url, status: status)
        if status == .failed { record.error = Failure(.dns, "no such host") }
        return .item(record)
    }

    @Test func countsAddUpToTheLinesOfTheItemsFile() async throws {
        try await Folder.temporary { folder in
            let statuses = ItemStatus.allCases.enumerated().flatMap {
                Array(repeating: $0.element, count: $0.offset + 1)
            }
            let report = try await report(statuses.map { item("https://h/\($0)", $0) }, in: folder)
            let counts = report.counts
            let total =
                counts.downloaded + counts.unchanged + counts.duplicate + counts.skipped + counts.failed + counts.gone
            let lines = try folder.text("\(identity.id).items.jsonl").split(separator: "\n")
            #expect(total == statuses.count && lines.count == total)
            #expect(report.failures.total == counts.failed)
            for line in lines { _ = try JSONDecoder().decode(ItemRecord.self, from: Data(line.utf8)) }
        }
    }

    @Test func everyFieldOfTheContractIsThere() async throws {
        try await Folder.temporary { folder in
            _ = try await report([item("https://h/", .failed)], in: folder)
            let json = try JSONSerialization.jsonObject(with: Data(folder.read("latest.json"))) as? [String: Any]
            let report = try #require(json)
            #expect(
                Set(report.keys) == ["schema", "run", "counts", "bytes", "changes", "failures", "warnings", "bundles"])
            #expect(report["schema"] as? String == "nightjar.run-report/1")
            let run = try #require(report["run"] as? [String: Any])
            #expect(
                Set(run.keys) == ["id", "job", "manifest_sha256", "started", "finished", "status", "exit_status"])
            #expect(run["started"] as? String == "1970-01-01T00:00:00.000Z")
            let failure = try #require((report["failures"] as? [[String: Any]])?.first)
            #expect(failure.keys.count == 21)
        }
    }

    @Test func nothingHasItsNameBeforeTheEnd() async throws {
        try await Folder.temporary { folder in
            let directory = try Directory(folder.path)
            let writer = try ReportWriter(identity, in: directory)
            try await writer.receive((0..<5000).map { item("https://h/\($0)", .failed) }[...])
            #expect(try directory.names().allSatisfy { $0.hasPrefix(".") })
            _ = try await writer.publish(end)
            // What was late to be told makes the report anew, with all that was in it.
            try await writer.receive([.warning(RunWarning(code: "notify-failed", message: "late"))])
            _ = try await writer.publish(end)
            try await writer.close()
            #expect(try RunReport.read("latest", in: directory).warnings.map(\.message) == ["late"])
            #expect(
                try Set(directory.names()) == [
                    "\(identity.id).json", "\(identity.id).items.jsonl", "latest.json", "\(identity.id).html",
                    "latest.html",
                ])
            #expect(try RunReport.read("latest", in: directory).failures.total == 5000)
        }
    }

    @Test func warningsAreBoundedAndTheRestIsCounted() async throws {
        try await Folder.temporary { folder in
            let warnings = (0..<1500).map { RunEvent.warning(RunWarning(code: "w", message: "\($0)")) }
            let report = try await report(warnings, in: folder)
            #expect(report.warnings.count == 1001)
            #expect(report.warnings.last?.message.hasPrefix("500 more") == true)
        }
    }

    @Test func theSummaryFitsADozenLines() async throws {
        try await Folder.temporary { folder in
            let failures = ErrorCode.allCases.map { code in
                var record = ItemRecord(url: "https://h/\u{1b}[2J", status: .failed)
                record.error = Failure(code, "because")
                return RunEvent.item(record)
            }
            let bundles = (0..<9).map { number in
                RunEvent.bundle(
                    BundleRecord(path: "bundles/job/\(number)", format: .zip, entries: 1, bytes: 1, sha256: "00"))
            }
            let omitted = RunEvent.bundleOmitted(pack: "p", reason: "nothing new")
            let warning = RunEvent.warning(RunWarning(code: "w", message: "careful"))
            let text = summary(of: try await report(failures + bundles + [omitted, warning], in: folder), path: "p")
            #expect(text.split(separator: "\n").count <= 12)
            #expect(text.hasPrefix("job: partial in 1 min 1 s, run \(identity.id)\n"))
            #expect(!text.contains("\u{1b}"))
        }
    }

    @Test func aFileThatIsNoReportIsSaidToBeNone() async throws {
        try await Folder.temporary { folder in
            try folder.write("x.json", "{}")
            #expect(throws: ReportError.self) { try RunReport.read("x", in: try Directory(folder.path)) }
        }
    }
}
