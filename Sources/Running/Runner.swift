import HTTP
package import Model
import Scheduling
import Storing

/// Runs jobs, some at once, with one engine and one store.
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
        let jobs = options.runsOnlyDue ? try await DueCheck.plan(jobs, store).due : jobs
        let metrics = try Metrics(store: store, options: options)
        if jobs.isEmpty {
            await metrics.write(after: nil)
            return 0
        }
        let network = try Network(for: jobs, atOnce: options.jobsAtOnce)
        let turns = JobTurns(store: store, network: network, options: options, interruption: interruption)
        let status = await run(jobs, turns, metrics)
        network.engine.shutdown()
        return status
    }

    private func run(_ jobs: [Job], _ turns: JobTurns, _ metrics: Metrics) async -> Int32 {
        var queue = JobQueue(jobs)
        var status: Int32 = 0
        await withTaskGroup(of: JobTurns.Ended.self) { group in
            var underWay = 0
            while true {
                while underWay < options.jobsAtOnce, interruption.reason == nil, let turn = queue.next() {
                    underWay += 1
                    group.addTask { await turns.take(turn) }
                }
                guard let ended = await group.next() else { return }
                underWay -= 1
                queue.ended(ended.job, ended.ending)
                status = max(status, ended.status)
                await metrics.write(after: jobs.first { $0.name == ended.job })
            }
        }
        if let reason = interruption.reason, !queue.isEmpty { status = max(status, reason.exitStatus) }
        return status
    }
}
