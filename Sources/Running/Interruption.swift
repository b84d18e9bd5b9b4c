import Lanes
import Reporting
import Synchronization

/// Why a run ends before its work is done.
package enum StopReason: Sendable, Hashable {
    /// SIGINT (2) or SIGTERM (15).
    case signal(Int32)
    case diskFull(String)
    /// The job's `max-runtime` is over.
    case runtime(Duration)

    package var message: String {
        switch self {
        case .signal(2): "the run was interrupted (SIGINT)"
        case .signal: "the run was told to end (SIGTERM)"
        case .diskFull(let message): "the disk ran short: \(message)"
        case .runtime(let longest):
            "the run took longer than max-runtime allows (\(shown(seconds: longest / .seconds(1))))"
        }
    }

    var exitStatus: Int32 {
        switch self {
        case .signal(let number): 128 + number
        case .diskFull: 5
        case .runtime: 1
        }
    }
}

/// Tells whatever works to come to an orderly end; the first reason stays.
package final class Interruption: Sendable {
    private struct State {
        var reason: StopReason?
        var actions: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }
    private let state = Mutex(State())
    private let parent: Interruption?

    /// - Parameter parent: stops this one too when it is stopped.
    package init(parent: Interruption? = nil) { self.parent = parent }

    package var reason: StopReason? { state.withLock { $0.reason } ?? parent?.reason }

    package func stop(_ reason: StopReason) {
        let actions = state.withLock { state -> [@Sendable () -> Void] in
            guard state.reason == nil else { return [] }
            state.reason = reason
            return Array(state.actions.values)
        }
        for action in actions { action() }
    }

    /// Runs `work` in a task that is cancelled when the word to stop comes.
    func cancelling<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let task = Task(executorPreference: currentTaskExecutor) { try await work() }
        let ids = register { task.cancel() }
        defer { ids.forEach { $0() } }
        return try await task.value
    }

    private func register(_ action: @escaping @Sendable () -> Void) -> [@Sendable () -> Void] {
        let (id, isStopped) = state.withLock { state in
            state.next += 1
            state.actions[state.next] = action
            return (state.next, state.reason != nil)
        }
        if isStopped { action() }
        return [{ [self] in state.withLock { $0.actions[id] = nil } }] + (parent?.register(action) ?? [])
    }
}
