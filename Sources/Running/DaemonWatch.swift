import HTTP
import Model
import Processes
import Reporting
import Scheduling
import Storing
import Times

/// What the daemon remembers between two looks at the clock.
struct DaemonWatch {
    private let daemon: Daemon
    private let store: Store
    private let metrics: Metrics
    private var queue = JobQueue(forgetsEndings: true)
    private var underWay: [String: Job] = [:]
    /// Made when a first job starts, gone when the last has ended.
    private var turns: JobTurns?
    private var timer: Task<Void, Never>?
    /// When the next job is due, in seconds since 1970; nil asks the catalog at the next look.
    private var next: Double?
    /// For which of its times a job was started last, and when by the clock that is never set.
    private var started: [String: (since: Double, at: ContinuousClock.Instant)] = [:]
    private var lastLook = (wall: currentTime(), steady: ContinuousClock.now)

    init(_ daemon: Daemon, _ store: Store) throws {
        self.daemon = daemon
        self.store = store
        metrics = try Metrics(store: store, options: daemon.options)
        daemon.events.continuation.yield(.tick)
    }

    var isIdle: Bool { underWay.isEmpty }

    /// The manifests have changed.
    mutating func forget() { next = nil }

    mutating func ended(_ ended: JobTurns.Ended) async {
        queue.ended(ended.job, ended.ending)
        let job = underWay.removeValue(forKey: ended.job)
        await metrics.write(after: job)
        if underWay.isEmpty { close() }
        next = nil
    }

    mutating func close() {
        turns?.network.engine.shutdown()
        turns = nil
        stopTimer()
    }

    /// Starts what is due.
    mutating func look(at jobs: [Job]) async {
        noteClock()
        guard daemon.interruption.reason == nil else { return }
        let now = currentTime()
        if next.map({ $0 <= now }) ?? true { await plan(jobs, now) }
        while underWay.count < daemon.options.jobsAtOnce, let turn = queue.next() { start(turn, jobs) }
    }

    /// A clock that was set makes everything that was computed by it worthless.
    private mutating func noteClock() {
        let (wall, steady) = (currentTime(), ContinuousClock.now)
        let jump = wall - lastLook.wall - (steady - lastLook.steady) / .seconds(1)
        lastLook = (wall, steady)
        guard abs(jump) > 2 else { return }
        daemon.options.tell("nightjar: the clock was set by \(Int(max(-1e9, min(1e9, jump.rounded())))) s")
        next = nil
    }

    private mutating func plan(_ jobs: [Job], _ now: Double) async {
        let entries: [DueJob]
        do { entries = try await DueCheck.plan(jobs, store).entries } catch {
            daemon.options.complain("nightjar: what is due cannot be found out: \(error)")
            next = now + Daemon.pause
            return
        }
        let steady = ContinuousClock.now
        var soonest = entries.compactMap(\.next).min() ?? .infinity
        let due = entries.filter { entry in
            guard let since = entry.dueSince, underWay[entry.job.name] == nil else { return false }
            if let last = started[entry.job.name], last.since == since {
                let rest = Daemon.pause - (steady - last.at) / .seconds(1)
                if rest > 0 {
                    soonest = min(soonest, now + rest)
                    return false
                }
            }
            started[entry.job.name] = (since, steady)
            return true
        }
        queue.add(due.sorted { ($0.dueSince ?? 0) < ($1.dueSince ?? 0) }.map(\.job))
        // A job that could not run is looked at again.
        if !due.isEmpty { soonest = min(soonest, now + Daemon.pause) }
        next = soonest
        daemon.service.status(
            "\(shown(jobs.count, "job"))"
                + (soonest.isFinite ? ", next at \(RFC3339.format(soonest))" : ", none with a time to come"))
    }

    private mutating func start(_ turn: JobQueue.Turn, _ jobs: [Job]) {
        let job =
            switch turn {
            case .run(let job, _), .skip(let job, _): job
            }
        let turns: JobTurns
        do { turns = try self.turns ?? newTurns(jobs + [job]) } catch {
            daemon.options.complain("nightjar: job \(job.name): \(error)")
            return queue.ended(job.name, .forgotten)
        }
        self.turns = turns
        underWay[job.name] = job
        // What needs this job may start as soon as it has ended.
        for other in jobs where other.needs.contains(job.name) { started[other.name] = nil }
        let events = daemon.events.continuation
        Task { events.yield(.ended(await turns.take(turn))) }
    }

    private func newTurns(_ jobs: [Job]) throws -> JobTurns {
        JobTurns(
            store: store, network: try Network(for: jobs, atOnce: daemon.options.jobsAtOnce), options: daemon.options,
            interruption: daemon.interruption)
    }

    // MARK: Sleep

    /// Wakes the daemon at the next time of a job, but not too late for a clock that is set or a watchdog.
    mutating func startTimer() {
        var seconds = min(max((next ?? .infinity) - currentTime(), 0.05), Daemon.longestSleep)
        if let watchdog = daemon.service.watchdog { seconds = min(seconds, watchdog / .seconds(1) / 3) }
        let events = daemon.events.continuation
        timer = Task { [seconds] in
            guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
            events.yield(.tick)
        }
    }

    mutating func stopTimer() {
        timer?.cancel()
        timer = nil
    }
}
