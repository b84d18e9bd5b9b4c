import Synchronization

/// Makes tasks wait for their turn by a ``HostGate``, and keeps them from hosts that a ``Breaker`` leaves alone.
final class Turnstile: Sendable {
    private struct State {
        var gate: HostGate
        var breaker = Breaker()
        var next = 0
        /// Tickets whose tasks are about to wait.
        var arriving: Set<Int> = []
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        /// When somebody will look whether a host's time has come.
        var alarm = Double.infinity

        mutating func take(_ tickets: [Int]) -> [CheckedContinuation<Bool, Never>] {
            tickets.compactMap { waiting.removeValue(forKey: $0) }
        }

        /// - Returns: when to look again, if nobody does by then.
        mutating func newAlarm() -> Double? {
            guard let wake = gate.nextWake, wake < alarm else { return nil }
            alarm = wake
            return wake
        }
    }
    private let state: Mutex<State>
    private let begin = SuspendingClock.now

    init(total: Int, perHost: Int, delay: Duration = .zero) {
        state = Mutex(State(gate: HostGate(total: total, perHost: perHost, delay: delay / .seconds(1))))
    }

    private var now: Double { (SuspendingClock.now - begin) / .seconds(1) }

    /// Waits until a request to the host may start; each turn is given back by ``leave(_:_:)``.
    /// - Parameter isReturning: the caller has waited already for what the host had asked.
    /// - Returns: false when the task was cancelled instead; there is no turn then.
    func enter(_ host: String, isReturning: Bool = false) async -> Bool {
        let ticket = state.withLock { state in
            state.next += 1
            state.arriving.insert(state.next)
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = move { state, now in
                    guard state.arriving.remove(ticket) != nil else { return ([], true) }
                    state.waiting[ticket] = continuation
                    return (state.gate.arrive(ticket, at: host, isReturning: isReturning, now: now), false)
                }
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

    func leave(_ host: String, _ sign: HostGate.Sign = .none) {
        move { state, now in (state.gate.leave(host, sign, now: now), ()) }
    }

    /// Asks for at least that many seconds between two starts to a host.
    func slow(_ host: String, to seconds: Double) { state.withLock { $0.gate.slow(host, to: seconds) } }

    /// Changes the gate and lets go whom it admits.
    @discardableResult
    private func move<Value: Sendable>(
        _ change: @Sendable (inout State, _ now: Double) -> (admitted: [Int], Value)
    ) -> Value {
        let now = now
        let (waiters, value, alarm) = state.withLock { state in
            let (tickets, value) = change(&state, now)
            return (state.take(tickets), value, state.newAlarm())
        }
        for waiter in waiters { waiter.resume(returning: true) }
        if let alarm { wake(at: alarm) }
        return value
    }

    private func wake(at alarm: Double) {
        let duration = Duration.seconds(max(alarm - now, 0) + 0.0005)
        Task { [weak self] in
            try? await Task.sleep(for: duration, clock: .suspending)
            self?.move { state, now in
                state.alarm = .infinity
                return (state.gate.wake(now), ())
            }
        }
    }

    // MARK: Hosts that do not answer

    func refusal(of host: String) -> (seconds: Double, failures: Int)? {
        let now = now
        return state.withLock { $0.breaker.refusal(of: host, now: now) }
    }

    func connected(_ host: String) { state.withLock { $0.breaker.connected(host) } }

    func failed(_ host: String, isLast: Bool) {
        let now = now
        state.withLock { $0.breaker.failed(host, isLast: isLast, now: now) }
    }
}
