import Synchronization

/// What the requests of all jobs under way share: turns at hosts by one ``HostGate``, and one ``Breaker``. The bounds
/// on a host hold over all jobs together.
package final class HostTurns: Sendable {
    struct State {
        var gate = HostGate()
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
    let state = Mutex(State())
    private let begin = SuspendingClock.now

    package init() {}

    var now: Double { (SuspendingClock.now - begin) / .seconds(1) }

    /// Changes the gate and lets go whom it admits.
    @discardableResult
    func move<Value: Sendable>(
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
}
