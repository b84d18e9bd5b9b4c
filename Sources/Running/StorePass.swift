import Files
package import Model
import Packing
import Reporting
import Storing
import Times

/// Work on what the store already holds, without a run: packs and hands off under the job's lock, and logs it beside
/// the job's reports.
package struct StorePass: Sendable {
    private let root: String
    private let options: RunOptions
    private let interruption: Interruption
    /// Told of each bundle that was written and each hand-off.
    private let tell: @Sendable (String) -> Void

    package init(
        root: String, options: RunOptions, interruption: Interruption, tell: @escaping @Sendable (String) -> Void
    ) {
        self.root = root
        self.options = options
        self.interruption = interruption
        self.tell = tell
    }

    /// Packs a job's files by its manifest, then hands off what is owed.
    /// - Returns: the exit status.
    package func pack(_ job: Job) async throws -> Int32 {
        guard !job.packs.isEmpty else {
            options.complain("nightjar: job \(job.name): the manifest has no 'pack', so there is nothing to write")
            return 2
        }
        return try await locked(job) { store, identity, events in
            for path in try await store.forgetLostBundles(of: job.name, at: identity.started) {
                await events.warn(
                    "bundle-lost", "\(path) is no longer whole or not there; what it held is packed again")
            }
            let pass = PackPass(
                job: job, identity: identity, run: nil, zone: try Zone(named: job.timezone), store: store,
                events: events, environment: options.environment)
            let packsFailed = try await pass.run()
            let handoff = HandoffPass(job: job, store: store, events: events, environment: options.environment)
            return packsFailed + (try await handoff.run())
        }
    }

    /// Hands off what a job owes.
    /// - Parameters:
    ///   - again: a bundle that goes to every target once more, delivered or not, and replaces what is there.
    ///   - releases: lets go what an alarm holds back.
    /// - Returns: the exit status.
    package func handOff(_ job: Job, again: String?, releases: Bool) async throws -> Int32 {
        guard !job.handoffs.isEmpty else {
            options.complain(
                "nightjar: job \(job.name): the manifest has no 'handoff', so there is nowhere to deliver to")
            return 2
        }
        return try await locked(job) { store, identity, events in
            if releases {
                let hold = try await store.catalog.releaseHandoff(of: job.name)
                tell(hold.map { "released: \($0.reason) (run \($0.run))" } ?? "nothing was held")
            }
            if let again {
                let isKnown = try await store.catalog.owe(
                    again, of: job.name, to: job.handoffs.map(\.to), at: identity.started)
                guard isKnown else {
                    throw Failure(.io, "job \(job.name) has no bundle '\(again)'; they lie below bundles/\(job.name)")
                }
            }
            return try await HandoffPass(
                job: job, store: store, events: events, environment: options.environment, again: again
            ).run()
        }
    }

    private func locked(
        _ job: Job, _ work: @escaping @Sendable (Store, RunIdentity, RunEvents) async throws -> Int
    ) async throws -> Int32 {
        let store = try await Store.open(root)
        let note = "pid \(options.processID), since \(RFC3339.format(currentTime()))\n"
        switch try await store.lock(job: job.name, note: note) {
        case .taken(let holder):
            options.complain("nightjar: job \(job.name) is at work (\(holder.split(separator: "\n").first ?? ""))")
            return 4
        case .held(let lock):
            defer { withExtendedLifetime(lock) {} }
            return try await logged(job, store, work)
        }
    }

    private func logged(
        _ job: Job, _ store: Store, _ work: @escaping @Sendable (Store, RunIdentity, RunEvents) async throws -> Int
    ) async throws -> Int32 {
        let started = currentTime()
        let identity = RunIdentity(
            id: makeRunID(at: started), job: job.name, manifestSHA256: job.manifestSHA256, started: started)
        let folder = try await store.folder("reports/\(job.name)")
        let log = try EventLog(
            identity, in: folder, format: options.logFormat, isQuiet: options.isQuiet,
            isForJournal: options.isForJournal, printer: options.printError)
        let events = RunEvents([
            { try await log.receive($0) }, { [tell] in $0.compactMap(\.line).forEach(tell) },
            { [watch = options.watch] in watch?(identity, $0) },
        ])
        var status: Int32
        do {
            try await store.settleAnnouncedBundles(of: job.name, targets: job.handoffs.map(\.to), at: started)
            let failed = try await interruption.cancelling { try await work(store, identity, events) }
            status = failed == 0 ? 0 : 1
        } catch {
            await events.warn(isDiskFull(error) ? "disk-full" : "run-failed", "\(error)")
            status = isDiskFull(error) ? 5 : 1
        }
        if let reason = interruption.reason { status = reason.exitStatus }
        if let fault = await events.finish() { throw fault }
        try await log.close()
        return status
    }
}

extension RunEvent {
    /// What people who asked for this work want to read on standard output.
    fileprivate var line: String? {
        switch self {
        case .bundle(let bundle):
            "\(bundle.path)  \(bundle.entries) entries, \(bundle.bytes) bytes, SHA-256 \(bundle.sha256)"
        case .bundleOmitted(let pack, let reason): "pack \(pack): \(reason)"
        case .handoff(let bundle, let record): "\(bundle.path)  \(record.status.rawValue)  \(record.to)"
        default: nil
        }
    }
}
