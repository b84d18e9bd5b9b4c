import Synchronization

/// Makes tasks wait for their turn by a ``HostGate``.
final class Turnstile: Sendable {
    private struct State {
        var gate: HostGate
        var next = 0
        /// Tickets whose tasks are about to wait.
        var arriving: Set<Int> = []
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]

        mutating func take(_ tickets: [Int]) -> [CheckedContinuation<Bool, Never>] {
            tickets.compactMap { waiting.removeValue(forKey: $0) }
        }
    }
    private let state: Mutex<State>

    init(total: Int, perHost: Int) { state = Mutex(State(gate: HostGate(total: total, perHost: perHost))) }

    /// Waits until a request to the host may start; each turn is given back by ``leave(_:)``.
    /// - Returns: false when the task was cancelled instead; there is no turn then.
    func enter(_ host: String) async -> Bool {
        let ticket = state.withLock { state in
            state.next += 1
            state.arriving.insert(state.next)
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (admitted, isCancelled) = state.withLock { state in
                    guard state.arriving.remove(ticket) != nil else { return (state.take([]), true) }
                    state.waiting[ticket] = continuation
                    let tickets = state.gate.arrive(ticket, at: host)
                    return (state.take(tickets), false)
                }
                for waiter in admitted { waiter.resume(returning: true) }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                if state.arriving.remove(ticket) != nil { return nil as CheckedContinuation<Bool, Never>? }
                guard let waiter = state.waiting.removeValue(forKey: ticket) else { return nil }
                state.gate.abandon(ticket)
                return waiter
            }
            waiter?.resume(returning: false)
        }
    }

    func leave(_ host: String) {
        let admitted = state.withLock { state in
            let tickets = state.gate.leave(host)
            return state.take(tickets)
        }
        for waiter in admitted { waiter.resume(returning: true) }
    }
}
