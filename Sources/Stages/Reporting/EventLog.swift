package import Files
import Lanes
package import Model
import Times
import URLs

/// How the log looks.
package enum LogFormat: String, Sendable, CaseIterable {
    case text, json
}

/// The log: what is worth a line goes to standard error, everything into the run's own log file.
package actor EventLog {
    private let lane: Lane
    private let run: RunIdentity
    private let format: LogFormat
    private let isQuiet: Bool
    private let isForJournal: Bool
    private let showsProgress: Bool
    private let interval: Duration
    private let file: LogFile
    private let place: String
    private let printer: @Sendable ([UInt8]) -> Void
    private var tally = RunTally()
    private var isFinished = false
    private var fetched = 0
    private var failed = 0
    private var transfers: [TransferProgress] = []
    private var lastProgress = ContinuousClock.now

    package nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - folder: `reports/<job>`, where `<run-id>.log` is written.
    ///   - isQuiet: prints failures only; the file gets everything all the same.
    ///   - isForJournal: standard error is the journal of systemd, which reads priorities before lines.
    ///   - showsProgress: whether lines on how far the run is are printed too.
    ///   - interval: between lines on how far the run is.
    ///   - printer: writes a line to standard error.
    package init(
        _ run: RunIdentity, in folder: Directory, format: LogFormat, isQuiet: Bool, isForJournal: Bool = false,
        showsProgress: Bool = true, interval: Duration = .seconds(30), printer: @escaping @Sendable ([UInt8]) -> Void
    ) throws {
        lane = try Lane("log")
        self.run = run
        self.format = format
        self.isQuiet = isQuiet
        self.isForJournal = isForJournal
        self.showsProgress = showsProgress
        self.interval = interval
        self.printer = printer
        place = folder.below("\(run.id).json")
        file = LogFile(try folder.create("\(run.id).log"))
    }

    package func receive(_ events: ArraySlice<RunEvent>) throws {
        for event in events { try receive(event) }
    }

    /// Writes what is held back, for a log without an end of a run.
    package func close() throws { try file.flush() }

    private func receive(_ event: RunEvent) throws {
        tally.receive(event)
        if case .transfers(let current) = event { transfers = current }
        if let line = line(event) { try write(line) }
        if ContinuousClock.now - lastProgress >= interval {
            lastProgress = .now
            try write(LogLine(.info, "progress", progress))
        }
        if case .finished = event { isFinished = true }
        // After the end only what was late to be told comes.
        if isFinished { try file.flush() }
    }

    private var progress: String {
        "\(shown(tally.counts.pages, "page")) read, \(shown(fetched, "item")) fetched, \(failed) failed, "
            + "\(shown(bytes: tally.bytes.received + underWay)) received, \(transfers.count) under way"
    }

    /// What the downloads under way have brought so far.
    private var underWay: Int64 {
        transfers.reduce(0) { $0 + $1.received - $1.resumedFrom }
    }

    private func write(_ line: LogLine) throws {
        let bytes = line.rendered(run, format)
        try file.write(bytes)
        let isShown = !isQuiet && line.level != .detail && line.isShown(showsProgress)
        if line.level == .error || line.isUrgent || isShown {
            printer(isForJournal && format == .text ? Array(line.level.priority.utf8) + bytes : bytes)
        }
    }

    private func line(_ event: RunEvent) -> LogLine? {
        switch event {
        case .started: return LogLine(.info, "run-started", "run \(run.id) started")
        case .fetching(let request): return LogLine(.detail, "fetching", "asks for it", url: request.url.displayed)
        case .pageRead(let url, _, let links, _):
            return LogLine(.detail, "page-read", "\(shown(links, "link")) found", url: url.displayed)
        case .pageFailed(let url, let failure):
            return LogLine(.error, "page-failed", "\(failure.code.rawValue): \(failure.message)", url: url.displayed)
        case .itemFetched(let url, let bytes):
            fetched += 1
            return LogLine(.detail, "item-fetched", shown(bytes: bytes), url: url.displayed)
        case .itemFailed(let url, let failure):
            failed += 1
            return LogLine(.error, "item-failed", "\(failure.code.rawValue): \(failure.message)", url: url.displayed)
        case .item(let record): return self.line(record)
        case .warning(let warning):
            // What ends a run or a pack, or was found damaged, must reach whoever reads only failures.
            let isFailure = [
                "run-failed", "disk-full", "need-failed", "pack-failed", "name-lost", "object-damaged", "login",
                "cookies-lost",
            ].contains(warning.code)
            var line = LogLine(
                isFailure ? .error : .warning, "warning", "\(warning.code): \(warning.message)", url: warning.url)
            // Nobody else would be told.
            line.isUrgent = isFailure || warning.code == "notify-failed"
            return line
        case .received, .stored, .deduplicated, .transfers, .working: return nil
        case .bundle(let bundle):
            let size = "\(shown(bundle.entries, "file")), \(shown(bytes: bundle.bytes))"
            return LogLine(.info, "bundle-written", "\(bundle.path): \(size), SHA-256 \(bundle.sha256)")
        case .bundleOmitted(let pack, let reason): return LogLine(.info, "bundle-omitted", "pack \(pack): \(reason)")
        case .handoff(let bundle, let record):
            let reason = record.error.map { ": \($0.message)" } ?? ""
            return LogLine(
                record.status == .failed ? .error : .info, "handoff-\(record.status.rawValue)",
                "\(bundle.path) \(record.status.phrase) \(record.to)\(reason)")
        case .finished(let end): return finish(end)
        }
    }

    private func line(_ record: ItemRecord) -> LogLine {
        let detail = record.name ?? record.reason ?? record.error?.message ?? ""
        return LogLine(.detail, "item", "\(record.status.rawValue) \(detail)", url: record.url)
    }

    private func finish(_ end: RunEnd) -> LogLine {
        let level: LogLine.Level = end.status == .succeeded || end.status == .skipped ? .info : .error
        let counts = tally.counts
        return LogLine(
            level, "run-finished",
            "\(end.status.rawValue): \(counts.downloaded) downloaded, \(counts.duplicate) duplicate, "
                + "\(counts.unchanged) unchanged, \(counts.skipped) skipped, \(counts.gone) gone, "
                + "\(counts.failed) failed in \(shown(seconds: end.finished - run.started)); report: \(place)")
    }
}

extension HandoffRecord.Status {
    fileprivate var phrase: String {
        switch self {
        case .delivered: "was delivered to"
        case .pending: "is still to go to"
        case .failed: "could not be delivered to"
        case .held: "is held back from"
        }
    }
}

private struct LogLine {
    enum Level: String {
        /// For the file alone.
        case detail
        case info, warning, error

        /// As sd-daemon(3) has it.
        var priority: String {
            switch self {
            case .error: "<3>"
            case .warning: "<4>"
            case .info: "<6>"
            case .detail: "<7>"
            }
        }
    }
    let level: Level
    /// A stable name that programs may filter by.
    let event: String
    let message: String
    let url: String?
    /// Printed also when only failures are.
    var isUrgent = false

    init(_ level: Level, _ event: String, _ message: String, url: String? = nil) {
        self.level = level
        self.event = event
        self.message = message
        self.url = url
    }

    func isShown(_ showsProgress: Bool) -> Bool { showsProgress || "\(event)" != "progress" }

    func rendered(_ run: RunIdentity, _ format: LogFormat) -> [UInt8] {
        let time = RFC3339.format(currentTime())
        switch format {
        case .text:
            var line: [UInt8] = []
            line.reserveCapacity(256)
            for part in [time, " ", run.job, ": "] { line += part.utf8 }
            if level == .error || level == .warning { line += "\(level.rawValue): ".utf8 }
            if let url {
                line += shown(url).utf8
                line += ": ".utf8
            }
            line += shown(message).utf8
            line.append(UInt8(ascii: "\n"))
            return line
        case .json:
            var json = JSONText()
            json.object { json in
                json.field("time", time)
                json.field("level", level.rawValue)
                json.field("run", run.id)
                json.field("job", run.job)
                json.field("event", event)
                json.field("message", message)
                if let url { json.field("url", url) }
            }
            json.newline()
            return json.bytes
        }
    }
}

/// Collects small lines, so that twenty thousand items do not cost twenty thousand writes.
private final class LogFile {
    private let file: Descriptor
    private var pending: [UInt8] = []

    init(_ file: consuming Descriptor) { self.file = file }

    func write(_ line: [UInt8]) throws {
        pending += line
        if pending.count >= 1 << 14 { try flush() }
    }

    func flush() throws {
        try file.write(pending)
        pending.removeAll(keepingCapacity: true)
    }
}
