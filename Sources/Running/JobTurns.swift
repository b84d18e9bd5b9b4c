import Model
import Scheduling
import Storing

/// Takes the turn of one job: runs it, or leaves it out with the reason.
struct JobTurns: Sendable {
    let store: Store
    let network: Network
    let options: RunOptions
    let interruption: Interruption

    struct Ended: Sendable {
        let job: String
        let ending: JobQueue.Ending
        /// What it adds to the exit status.
        let status: Int32
    }

    func take(_ turn: JobQueue.Turn) async -> Ended {
        switch turn {
        case .run(let job, let needs):
            return await ended(job) { run in
                for need in needs {
                    switch try await state(of: need) {
                    case .succeeded: continue
                    case .underWay:
                        // Whatever started this looks again soon, and the job is still due then.
                        if options.runsOnlyDue { return nil }
                        return try await run.skip(.needUnderWay(need))
                    case .failed(let reason):
                        if try await isTold(job) { return nil }
                        return try await run.skip(.needFailedBefore(need, reason))
                    }
                }
                return try await run.perform()
            }
        case .skip(let job, let need):
            return await ended(job) { run in
                if try await isTold(job) { return nil }
                return try await run.skip(.needFailed(need))
            }
        }
    }

    private func ended(_ job: Job, _ body: (JobRun) async throws -> RunEnd?) async -> Ended {
        let run = JobRun(
            job: job, store: store, network: network, options: options,
            interruption: Interruption(parent: interruption))
        do {
            guard let end = try await body(run) else { return Ended(job: job.name, ending: .forgotten, status: 0) }
            let ending: JobQueue.Ending = end.status == .succeeded ? .succeeded : .failed
            return Ended(job: job.name, ending: ending, status: end.exitStatus)
        } catch {
            options.complain("nightjar: job \(job.name): \(error)")
            return Ended(job: job.name, ending: .failed, status: isDiskFull(error) ? 5 : 3)
        }
    }

    // MARK: Needs that are no part of this

    private enum NeedState {
        case succeeded, underWay
        case failed(String)
    }

    private func state(of need: String) async throws -> NeedState {
        guard let state = try await store.states(of: [need]).first, let last = state.last else {
            return .failed("never ran")
        }
        switch last.status {
        case .succeeded: return .succeeded
        case .partial: return .failed("was only partly successful in its last run (\(last.id))")
        case .failed: return .failed("failed in its last run (\(last.id))")
        case .interrupted: return .failed("was interrupted in its last run (\(last.id))")
        case .skipped: return .failed("was itself skipped the last time (\(last.id))")
        case nil: return state.runner == nil ? .failed("was killed in its last run (\(last.id))") : .underWay
        }
    }

    /// A job that is skipped stays due, since its need may yet succeed; that is told once for each time.
    private func isTold(_ job: Job) async throws -> Bool {
        guard options.runsOnlyDue, let last = try await store.catalog.runs(of: job.name, limit: 1).first else {
            return false
        }
        let since = try await DueCheck.plan([job], store).entries.first?.dueSince
        return last.status == .skipped && last.started >= since ?? .infinity
    }
}
