package import Files
import Lanes
package import Model
import Synchronization
import Times

/// Writes `<run-id>.json` and `<run-id>.items.jsonl` as the run goes; both get their names when it ends, whole.
package actor ReportWriter {
    private static let warningLimit = 1000
    private static let batch = 256

    private let lane: Lane
    private let folder: Directory
    private let run: RunIdentity
    private let items: AtomicFile
    private let failures: Spool
    /// What was heard and is not written yet.
    private nonisolated let waiting = Mutex<[RunEvent]>([])
    private var pending = JSONText()
    private var tally = RunTally()
    private var warnings: [RunWarning] = []
    private var warningsLeftOut = 0
    private var bundles: [BundleRecord] = []
    private var hasItems = false
    private var page = RunPage()
    private var groups = FailureGroups()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

    /// - Parameter folder: `reports/<job>`.
    package init(_ run: RunIdentity, in folder: Directory) throws {
        lane = try Lane("report")
        self.folder = folder
        self.run = run
        items = try AtomicFile("\(run.id).items.jsonl", in: folder)
        failures = try Spool(".\(run.id).failures.tmp", in: folder)
    }

    /// Takes events up when many have come: a turn of the writer's thread costs more than what it does with an event.
    package nonisolated func receive(_ events: ArraySlice<RunEvent>) async throws {
        let isFull = waiting.withLock { waiting in
            for event in events where Self.isTold(event) { waiting.append(event) }
            return waiting.count >= Self.batch
        }
        if isFull { try await takeUp() }
    }

    private static func isTold(_ event: RunEvent) -> Bool {
        switch event {
        case .started, .fetching, .transfers, .itemFetched, .itemFailed, .pageFailed, .working, .finished: false
        case .pageRead, .item, .received, .stored, .deduplicated, .warning, .bundle, .bundleOmitted, .handoff: true
        }
    }

    private func takeUp() throws {
        let events = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for event in events { try receive(event) }
    }

    private func receive(_ event: RunEvent) throws {
        tally.receive(event)
        switch event {
        case .item(let record): try add(record)
        case .warning(let warning):
            if warnings.count < Self.warningLimit { warnings.append(warning) } else { warningsLeftOut += 1 }
        case .bundle(let bundle): bundles.append(bundle)
        case .handoff(let bundle, let record):
            if let index = bundles.firstIndex(where: { $0.path == bundle.path }) {
                bundles[index].handoffs.append(record)
            } else {
                bundles.append(bundle)
                bundles[bundles.count - 1].handoffs = [record]
            }
        case .bundleOmitted(let pack, let reason):
            warnings.append(RunWarning(code: "bundle-omitted", message: "pack \(pack): \(reason)"))
        default: break
        }
    }

    private func add(_ record: ItemRecord) throws {
        page.add(record)
        if record.status == .failed { groups.add(record) }
        let start = pending.bytes.count
        pending.item(record)
        if record.status == .failed { try failures.append(pending.bytes[start...]) }
        pending.endDocument()
        if pending.bytes.count >= 1 << 16 { try items.write(pending.take()) }
    }

    /// Writes the report and makes it the newest. May be done again, with what was heard since.
    /// - Returns: the report's path.
    package func publish(_ end: RunEnd) throws -> String {
        try takeUp()
        if !hasItems {
            try items.write(pending.take())
            try items.publish()
            hasItems = true
        }
        let name = "\(run.id).json"
        let report = try AtomicFile(name, in: folder)
        try report.write(head(end))
        try failures.copy { try report.write($0) }
        try report.write(tail())
        try report.publish()
        try publishPage(end)
        try folder.replaceLink("latest.json", to: name)
        try folder.replaceLink("latest.html", to: "\(run.id).html")
        return folder.below(name)
    }

    private func publishPage(_ end: RunEnd) throws {
        let file = try AtomicFile("\(run.id).html", in: folder)
        try file.write(page.render(report(end)))
        try file.publish()
    }

    private func report(_ end: RunEnd) -> RunReport {
        var report = RunReport()
        report.run = RunReport.Run(
            id: run.id, job: run.job, manifestSHA256: run.manifestSHA256,
            started: RFC3339.format(run.started, milliseconds: true),
            finished: RFC3339.format(end.finished, milliseconds: true), status: end.status, exitStatus: end.exitStatus)
        report.counts = tally.counts
        report.bytes = tally.bytes
        report.changes = tally.changes
        report.failures = groups
        report.warnings = warnings
        report.bundles = bundles
        return report
    }

    /// Removes what only the making of the report needs.
    package func close() throws { try failures.remove() }

    private func head(_ end: RunEnd) -> [UInt8] {
        var json = JSONText()
        json.open("{")
        json.field("schema", "nightjar.run-report/1")
        json.key("run")
        json.object { json in
            json.field("id", run.id)
            json.field("job", run.job)
            json.field("manifest_sha256", run.manifestSHA256)
            json.field("started", RFC3339.format(run.started, milliseconds: true))
            json.field("finished", RFC3339.format(end.finished, milliseconds: true))
            json.field("status", end.status.rawValue)
            json.field("exit_status", Int(end.exitStatus))
        }
        json.key("counts")
        json.counts(tally.counts)
        json.key("bytes")
        json.bytes(tally.bytes)
        json.key("changes")
        json.changes(tally.changes)
        json.key("failures")
        json.open("[")
        return json.bytes
    }

    private func tail() -> [UInt8] {
        if warningsLeftOut > 0 {
            warnings.append(RunWarning(code: "more-warnings", message: "\(warningsLeftOut) more are in the log"))
        }
        var json = JSONText()
        json.close("]")
        json.key("warnings")
        json.array { for warning in warnings { $0.warning(warning) } }
        json.key("bundles")
        json.array { for bundle in bundles { $0.bundle(bundle) } }
        json.close("}")
        json.newline()
        return json.bytes
    }
}
