import HTTP
package import Model
import Scheduling
import Storing

/// Runs jobs one after the other with one engine and one store.
package struct Runner: Sendable {
    private let root: String
    private let options: RunOptions
    private let interruption: Interruption

    package init(root: String, options: RunOptions, interruption: Interruption) {
        self.root = root
        self.options = options
        self.interruption = interruption
    }

    /// - Returns: the exit status, the highest of the jobs' own.
    /// - Throws: what keeps the store from being opened.
    package func run(_ jobs: [Job]) async throws -> Int32 {
        let store: Store
        do { store = try await Store.open(root) } catch {
            options.complain("nightjar: the store \(root) cannot be opened: \(error)")
            return isDiskFull(error) ? 5 : 3
        }
        var jobs = jobs
        if options.runsOnlyDue {
            jobs = try await DueCheck.plan(jobs, store).due
            if jobs.isEmpty { return 0 }
        }
        let engine = try HTTPEngine(connections: jobs.map(\.fetch.concurrency).max() ?? 1)
        var status: Int32 = 0
        for job in jobs {
            if let reason = interruption.reason {
                status = max(status, reason.exitStatus)
                break
            }
            // While it waited for those before it, another process may have run it.
            if options.runsOnlyDue, try await DueCheck.plan([job], store).due.isEmpty { continue }
            let run = JobRun(
                job: job, store: store, engine: engine, options: options,
                interruption: Interruption(parent: interruption))
            do { status = max(status, try await run.perform().exitStatus) } catch {
                options.complain("nightjar: job \(job.name): \(error)")
                status = max(status, isDiskFull(error) ? 5 : 3)
            }
        }
        engine.shutdown()
        return status
    }
}
