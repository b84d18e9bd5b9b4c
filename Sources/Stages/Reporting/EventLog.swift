package import Files
import Lanes
package import Model
import Synchronization
import Times
import URLs

/// How the log looks.
package enum LogFormat: String, Sendable, CaseIterable {
    case text, json
}

/// The log: what is worth a line goes to standard error, everything into the run's own log file.
package actor EventLog {
    /// Events that wait for their line in the file are at most so many, and so old in seconds.
    private static let batch = 64
    private static let longestWait = 1.0

    private struct Waiting {
        var events: [(event: RunEvent, time: Double)] = []
        var since = -Double.infinity
    }

    private nonisolated let waiting = Mutex(Waiting())
    private let lane: Lane
    private let run: RunIdentity
    private let format: LogFormat
    private let isQuiet: Bool
    private let isForJournal: Bool
    private let showsProgress: Bool
    private let known: Set<String>
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
    private var clock = LogClock()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - folder: `reports/<job>`, where `<run-id>.log` is written.
    ///   - isQuiet: prints failures only; the file gets everything all the same.
    ///   - known: URLs that failed in the last run, as they are shown, with the codes: no news when it is quiet.
    ///   - isForJournal: standard error is the journal of systemd, which reads priorities before lines.
    ///   - showsProgress: whether lines on how far the run is are printed too.
    ///   - interval: between lines on how far the run is.
    ///   - printer: writes a line to standard error.
    package init(
        _ run: RunIdentity, in folder: Directory, format: LogFormat, isQuiet: Bool, known: Set<String> = [],
        isForJournal: Bool = false, showsProgress: Bool = true, interval: Duration = .seconds(30),
        printer: @escaping @Sendable ([UInt8]) -> Void
    ) throws {
        lane = try Lane("log")
        self.run = run
        self.format = format
        self.isQuiet = isQuiet
        self.known = known
        self.isForJournal = isForJournal
        self.showsProgress = showsProgress
        self.interval = interval
        self.printer = printer
        place = folder.below("\(run.id).json")
        file = LogFile(try folder.create("\(run.id).log"))
    }

    /// Takes events up at once when somebody may be waiting for one of them, else when some have come: a turn of the
    /// log's thread costs more than a line.
    package nonisolated func receive(_ events: ArraySlice<RunEvent>) async throws {
        let now = currentTime()
        let isDue = waiting.withLock { waiting in
            var isDue = false
            for event in events {
                waiting.events.append((event, now))
                if Self.isPrompt(event) { isDue = true }
            }
            let age = now - waiting.since
            guard isDue || waiting.events.count >= Self.batch || age >= Self.longestWait || age < 0 else {
                return false
            }
            waiting.since = now
            return true
        }
        if isDue { try await takeUp() }
    }

    private static func isPrompt(_ event: RunEvent) -> Bool {
        switch event {
        case .fetching, .pageRead, .itemFetched, .item, .received, .stored, .deduplicated, .transfers, .working: false
        case .started, .pageFailed, .itemFailed, .warning, .bundle, .bundleOmitted, .handoff, .finished: true
        }
    }

    private func takeUp() throws {
        let events = waiting.withLock { waiting in
            defer { waiting.events = [] }
            return waiting.events
        }
        for (event, time) in events { try receive(event, at: time) }
    }

    /// Writes what is held back, for a log without an end of a run.
    package func close() throws {
        try takeUp()
        try file.flush()
    }

    private func receive(_ event: RunEvent, at time: Double) throws {
        tally.receive(event)
        if case .transfers(let current) = event { transfers = current }
        if let line = line(event) { try write(line, at: time) }
        if ContinuousClock.now - lastProgress >= interval {
            lastProgress = .now
            try write(LogLine(.info, .progress, progress), at: time)
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

    private func write(_ line: LogLine, at time: Double) throws {
        let bytes = line.rendered(run, format, clock.text(of: time))
        try file.write(bytes)
        if isQuiet, line.isKnown { return }
        let isShown = !isQuiet && line.level != .detail && line.isShown(showsProgress)
        if line.level == .error || line.isUrgent || isShown {
            printer(isForJournal && format == .text ? Array(line.level.priority.utf8) + bytes : bytes)
        }
    }

    private func line(_ event: RunEvent) -> LogLine? {
        switch event {
        case .started: return LogLine(.info, .runStarted, "run \(run.id) started")
        case .fetching(let request): return LogLine(.detail, .fetching, "asks for it", url: request.url.displayed)
        case .pageRead(let url, _, let links, _):
            return LogLine(.detail, .pageRead, "\(shown(links, "link")) found", url: url.displayed)
        case .pageFailed(let url, let failure):
            return line(.pageFailed, url, failure)
        case .itemFetched(let url, let bytes):
            fetched += 1
            return LogLine(.detail, .itemFetched, shown(bytes: bytes), url: url.displayed)
        case .itemFailed(let url, let failure):
            failed += 1
            return line(.itemFailed, url, failure)
        case .item(let record): return self.line(record)
        case .warning(let warning):
            // What ends a run or a pack, or was found damaged, must reach whoever reads only failures.
            let isFailure = [
                "run-failed", "disk-full", "need-failed", "pack-failed", "name-lost", "object-damaged", "login",
                "cookies-lost", "yield-drop", "max-runtime",
            ].contains(warning.code)
            var line = LogLine(
                isFailure ? .error : .warning, .warning, "\(warning.code): \(warning.message)", url: warning.url)
            // Nobody else would be told.
            line.isUrgent = isFailure || warning.code == "notify-failed"
            return line
        case .received, .stored, .deduplicated, .transfers, .working: return nil
        case .bundle(let bundle):
            let size = "\(bundle.entries) entries, \(shown(bytes: bundle.bytes))"
            return LogLine(.info, .bundleWritten, "\(bundle.path): \(size), SHA-256 \(bundle.sha256)")
        case .bundleOmitted(let pack, let reason): return LogLine(.info, .bundleOmitted, "pack \(pack): \(reason)")
        case .handoff(let bundle, let record):
            let reason = record.error.map { ": \($0.message)" } ?? ""
            return LogLine(
                record.status == .failed ? .error : .info, Self.event(record.status),
                "\(bundle.path) \(record.status.phrase) \(record.to)\(reason)")
        case .finished(let end): return finish(end)
        }
    }

    private static func event(_ status: HandoffRecord.Status) -> LogEvent {
        switch status {
        case .delivered: .handoffDelivered
        case .pending: .handoffPending
        case .failed: .handoffFailed
        case .held: .handoffHeld
        }
    }

    private func line(_ event: LogEvent, _ url: WebURL, _ failure: Failure) -> LogLine {
        let url = url.displayed
        var line = LogLine(.error, event, "\(failure.code.rawValue): \(failure.message)", url: url)
        line.isKnown = known.contains("\(failure.code.rawValue) \(url)")
        return line
    }

    private func line(_ record: ItemRecord) -> LogLine {
        let detail = record.name ?? record.reason ?? record.error?.message ?? ""
        return LogLine(.detail, .item, "\(record.status.rawValue) \(detail)", url: record.url)
    }

    private func finish(_ end: RunEnd) -> LogLine {
        let level: LogLine.Level = end.status == .succeeded || end.status == .skipped ? .info : .error
        let counts = tally.counts
        return LogLine(
            level, .runFinished,
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
