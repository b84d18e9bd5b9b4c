import Files
import HTTP
import Lanes
package import Manifests
import Model
package import Processes
import Reporting
import Scheduling
import Storing
import Times

/// The scheduler for those without cron: sleeps until the next time of any job, runs what is due, and takes manifests
/// as they change.
package struct Daemon: Sendable {
    /// What the daemon is told from outside.
    package enum Word: Sendable {
        /// SIGHUP, or a manifest has changed.
        case reload
        /// SIGINT or SIGTERM.
        case stop(Int32)
    }

    enum Event: Sendable {
        case word(Word)
        case ended(JobTurns.Ended)
        case tick
    }

    let root: String
    let options: RunOptions
    let service: ServiceManager
    let load: @Sendable () -> ManifestResult
    let events = AsyncStream<Event>.makeStream()
    let interruption = Interruption()
    /// Longest sleep: a clock that was set, or a machine that slept, is noticed after that.
    static let longestSleep = 20.0
    /// A job that could not even be recorded is not started again and again.
    static let pause = 60.0

    /// - Parameter load: reads the manifests; called again for each reload.
    package init(
        root: String, options: RunOptions, service: ServiceManager, load: @escaping @Sendable () -> ManifestResult
    ) {
        self.root = root
        var options = options
        options.runsOnlyDue = true
        self.options = options
        self.service = service
        self.load = load
    }

    package func tell(_ word: Word) { events.continuation.yield(.word(word)) }

    /// Runs until it is told to stop.
    /// - Returns: the exit status: 0 after an orderly end.
    package func run() async throws -> Int32 {
        var known = KnownJobs()
        let first = try await read()
        for diagnostic in first.diagnostics { options.complain("\(diagnostic)") }
        if first.hasErrors { return 2 }
        _ = known.take(first)
        let store = try await Store.open(root)
        guard case .held(let lock) = try await store.lockDaemon(note: "pid \(options.processID)\n") else {
            options.complain("nightjar: another daemon looks after \(root) already")
            return 4
        }
        defer { withExtendedLifetime(lock) {} }
        var watch = try DaemonWatch(self, store)
        service.ready("\(shown(known.jobs.count, "job"))")
        options.tell("nightjar: looks after \(shown(known.jobs.count, "job"))")
        var diagnostics = first.diagnostics.map { "\($0)" }
        for await event in events.stream {
            watch.stopTimer()
            switch event {
            case .tick: break
            case .ended(let ended): await watch.ended(ended)
            case .word(.stop(let signal)):
                service.stopping()
                options.tell("nightjar: ends in order")
                interruption.stop(.signal(signal))
            case .word(.reload): try await reload(&known, &diagnostics, &watch)
            }
            if interruption.reason != nil, watch.isIdle { break }
            await watch.look(at: known.jobs)
            service.alive()
            watch.startTimer()
        }
        watch.close()
        return 0
    }

    private func read() async throws -> ManifestResult {
        let load = load
        return try await Lane("manifests").run { load() }
    }

    private func reload(
        _ known: inout KnownJobs, _ diagnostics: inout [String], _ watch: inout DaemonWatch
    ) async throws {
        service.reloading()
        let result = try await read()
        let before = known.fingerprint
        let kept = known.take(result)
        let now = result.diagnostics.map { "\($0)" }
        // An editor may touch a file many times; what is wrong is told once.
        if now != diagnostics {
            for line in now { options.complain(line) }
            if !kept.isEmpty {
                options.complain("nightjar: warning: as they were before stay: \(kept.joined(separator: ", "))")
            }
        }
        diagnostics = now
        if known.fingerprint != before {
            options.tell("nightjar: looks after \(shown(known.jobs.count, "job")) now")
            watch.forget()
        }
        service.ready("\(shown(known.jobs.count, "job"))")
    }
}
