import Files
import Lanes
import Model
import Naming
import Reporting
import Scheduling
import Storing
import Times
import URLs

/// One execution of one job. ``perform()`` reads from top to bottom in the order of the stages.
struct JobRun: Sendable {
    let job: Job
    let store: Store
    let network: Network
    let options: RunOptions
    let interruption: Interruption

    /// - Returns: how the run ended; its report is written by then. Nil when there was nothing to do any more.
    func perform() async throws -> RunEnd? {
        switch try await lock() {
        case .taken(let holder):
            if let reason = interruption.reason {
                return RunEnd(status: .interrupted, exitStatus: reason.exitStatus, finished: currentTime())
            }
            return try await skipAsLocked(holder)
        case .held(let lock):
            defer { withExtendedLifetime(lock) {} }
            // While it waited for its turn, another process may have run it.
            if options.runsOnlyDue, try await DueCheck.plan([job], store).due.isEmpty { return nil }
            let limit = limitTime()
            defer { limit?.cancel() }
            return try await reporting(stages)
        }
    }

    var note: String { "pid \(options.processID), since \(RFC3339.format(currentTime()))\n" }

    /// The job's lock; where the manifest says so, after waiting for whoever has it.
    private func lock() async throws -> FileLock.Attempt {
        let begin = SuspendingClock.now
        var isTold = false
        while true {
            let attempt = try await store.lock(job: job.name, note: note)
            guard case .taken = attempt, case .wait(let longest) = job.overlap, interruption.reason == nil,
                SuspendingClock.now - begin < longest
            else { return attempt }
            if !isTold { options.tell("\(job.name): waits for the end of its last run", job: job.name) }
            isTold = true
            try? await interruption.cancelling { try await Task.sleep(for: .milliseconds(250)) }
        }
    }

    /// Ends the run in order when it takes longer than it may.
    private func limitTime() -> Task<Void, Never>? {
        guard let longest = job.maxRuntime else { return nil }
        let interruption = interruption
        return Task {
            guard (try? await Task.sleep(for: longest, clock: .suspending)) != nil else { return }
            interruption.stop(.runtime(longest))
        }
    }

    /// Runs `body` between the first event and the last, and writes the report of it.
    func reporting(_ body: (RunIdentity, RunEvents) async -> RunEnd) async throws -> RunEnd {
        let started = currentTime()
        let identity = RunIdentity(
            id: makeRunID(at: started), job: job.name, manifestSHA256: job.manifestSHA256, started: started)
        let folder = try await store.folder("reports/\(job.name)")
        try removeTemporaries(of: folder)
        let report = try ReportWriter(identity, in: folder)
        let log = try EventLog(
            identity, in: folder, format: options.logFormat, isQuiet: options.isQuiet,
            known: options.isQuiet ? await failuresBefore() : [], isForJournal: options.isForJournal,
            showsProgress: options.showsProgress, interval: job.log.interval,
            printer: options.printError)
        var folds: [@Sendable (ArraySlice<RunEvent>) async throws -> Void] = [
            { try await log.receive($0) }, { try await report.receive($0) },
        ]
        if let watch = options.watch { folds.append { watch(identity, $0) } }
        let events = RunEvents(mask: ParameterMask(job.log.mask), folds)
        await events.send(.started(identity))
        let notifier = Notifier(
            job: job, network: network, environment: options.environment, interruption: interruption)
        let before = try? await store.catalog.runs(of: job.name, limit: 1).first?.status
        let begun = notifier.begin()

        let reserve = Reserve(".\(identity.id).reserve.tmp", in: folder, bytes: 1 << 20)
        let end = await body(identity, events)
        if let reason = interruption.reason, case .runtime = reason { await events.warn("max-runtime", reason.message) }
        reserve?.release()
        await events.send(.finished(end))
        let fault = await events.finish()
        _ = try await report.publish(end)
        let notice = Notice(identity, end, events.tally, in: folder)
        let warnings = await (begun?.value ?? []) + notifier.tell(notice, before: before ?? nil)
        if !warnings.isEmpty {
            let late = warnings.map { RunEvent.warning($0) }[...]
            try await log.receive(late)
            try await report.receive(late)
            _ = try await report.publish(end)
        }
        try await report.close()
        if let fault { throw fault }
        try options.finished((job: job.name, run: identity.id))
        return end
    }

    /// What the last run failed at, as the log shows it: who is told of it every night reads no mail of ours any more.
    private func failuresBefore() async -> Set<String> {
        let mask = ParameterMask(job.log.mask)
        let failures = (try? await store.catalog.lastFailures(of: job.name, limit: 10_000)) ?? []
        return Set(failures.map { "\($0.code) \(mask.masked(WebURL.displayed($0.url)))" })
    }

    /// Everything between the first event and the last; whatever goes wrong ends in the report.
    private func stages(_ identity: RunIdentity, _ events: RunEvents) async -> RunEnd {
        var run: RunNumber?
        do {
            let zone = try Zone(named: job.timezone)
            // What tables it needs is read while the store is looked after.
            async let namer = namer(identity, zone)
            try await recover(events, at: identity.started)
            try await LateReport(job: job, store: store, folder: try await store.folder("reports/\(job.name)")).write()
            let begun = try await store.catalog.begin(identity)
            run = begun
            let crawl = try await CrawlPass(
                job: job, identity: identity, run: begun, zone: zone, namer: try await namer, store: store,
                network: network,
                events: events, environment: options.environment, interruption: interruption,
                jars: try await store.folder("cookies")
            ).run()
            try await NamingPass(
                job: job, identity: identity, run: begun, namer: try await namer, store: store, events: events,
                interruption: interruption
            ).run()
            let hasCollapsed = try await judge(begun, crawl, events)
            let packsFailed = try await pack(begun, zone, identity, events)
            let handoffsFailed = try await handOff(events)
            let end = self.end(
                crawl, isWhole: packsFailed + handoffsFailed == 0 && !hasCollapsed && !crawl.hasLostCookies,
                events.tally)
            try await store.catalog.end(begun, end, counts: countsJSON(events.tally.counts, events.tally.bytes))
            return end
        } catch {
            let isFull = isDiskFull(error)
            await events.warn(isFull ? "disk-full" : "run-failed", "\(error)")
            let end = RunEnd(status: .failed, exitStatus: isFull ? 5 : 3, finished: currentTime())
            // Where even this fails, the next run finds the row without an end and says so.
            if let run {
                try? await store.catalog.end(run, end, counts: countsJSON(events.tally.counts, events.tally.bytes))
            }
            return end
        }
    }

    private func namer(_ identity: RunIdentity, _ zone: Zone) async throws -> Namer {
        let job = job
        return try await Lane("tables").run { try Namer(of: job, in: identity, zone: zone) }
    }

    /// Settles what a killed run left: its bundle under way, its row, and what lies in quarantine for too long.
    private func recover(_ events: RunEvents, at seconds: Double) async throws {
        try await store.settleAnnouncedBundles(of: job.name, targets: job.handoffs.map(\.to), at: seconds)
        try await store.removeLeftNames(of: job.name)
        for run in try await store.catalog.closeKilledRuns(of: job.name, at: seconds) {
            await events.warn("killed-run", "run \(run) did not come to its end; this one goes on where it stopped")
        }
        try await store.emptyQuarantine(of: job.name, at: seconds)
    }

    /// Holds what the run brought against what is expected of it, before anything goes out.
    /// - Returns: true when it is far less than usual.
    private func judge(_ run: RunNumber, _ crawl: CrawlLoop.Result, _ events: RunEvents) async throws -> Bool {
        // A run that was cut short, or could not begin, says nothing about the source.
        guard interruption.reason == nil, crawl.startsReached > 0 else { return false }
        let yield = events.tally.yield
        let past = try await store.catalog.goodYields(of: job.name)
        let drop = YieldDrop(of: yield, after: past, expecting: job.expect)
        let figures = drop.figures.joined(separator: "; ")
        try await store.catalog.record(yield, of: run, collapse: drop.figures.isEmpty ? nil : figures)
        guard !drop.figures.isEmpty else { return false }
        await events.warn(
            "yield-drop",
            "the run brought less than expected: \(figures); the hand-off is held until a good run, or until "
                + "'nightjar handoff --release \(job.name)' says that this is right")
        return true
    }

    private func pack(
        _ run: RunNumber, _ zone: Zone, _ identity: RunIdentity, _ events: RunEvents
    ) async throws -> Int {
        if let reason = interruption.reason {
            for pack in job.packs { await events.send(.bundleOmitted(pack: pack.id, reason: reason.message)) }
            return 0
        }
        let pass = PackPass(
            job: job, identity: identity, run: run, zone: zone, store: store, events: events,
            environment: options.environment)
        return try await interruption.cancelling { try await pass.run() }
    }

    private func handOff(_ events: RunEvents) async throws -> Int {
        let pass = HandoffPass(job: job, store: store, events: events, environment: options.environment)
        return try await interruption.cancelling { try await pass.run() }
    }

    private func end(_ crawl: CrawlLoop.Result, isWhole: Bool, _ tally: RunTally) -> RunEnd {
        let now = currentTime()
        if let reason = interruption.reason {
            return RunEnd(status: .interrupted, exitStatus: reason.exitStatus, finished: now)
        }
        if crawl.startsReached == 0 { return RunEnd(status: .failed, exitStatus: 3, finished: now) }
        let counts = tally.counts
        let asked = counts.downloaded + counts.unchanged + counts.duplicate + counts.failed + counts.gone
        let isWhole = isWhole && job.expect.maxFailed.allows(counts.failed, of: asked)
        return RunEnd(status: isWhole ? .succeeded : .partial, exitStatus: isWhole ? 0 : 1, finished: now)
    }

    /// The run that has the lock writes the report.
    func skipAsLocked(_ holder: String) async throws -> RunEnd {
        let waited =
            if case .wait(let longest) = job.overlap { " after \(shown(seconds: longest / .seconds(1)))" } else { "" }
        let who = holder.split(separator: "\n").first.map { " (\($0))" } ?? ""
        options.tell(
            "\(job.name): skipped: its last run still goes on\(waited)\(who)", event: .runSkipped, job: job.name)
        return RunEnd(status: .skipped, exitStatus: 4, finished: currentTime())
    }
}
