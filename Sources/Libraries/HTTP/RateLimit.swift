import Synchronization

/// A bound on bytes a second that transfers share: a bucket that fills with time. What was received is taken out, also
/// more than is there, and nobody goes on until the debt is paid.
package final class RateLimit: Sendable {
    private struct State {
        var available = 0.0
        var last: SuspendingClock.Instant
    }
    private let state: Mutex<State>
    private let bytesPerSecond: Double
    private let parent: RateLimit?
    /// What a busy moment left unused may be caught up with, as seconds of the rate.
    private static let memory = 0.25

    /// - Parameter parent: a bound that holds over this one and others together.
    package init(bytesPerSecond: Int64, within parent: RateLimit? = nil) {
        self.bytesPerSecond = Double(max(bytesPerSecond, 1))
        self.parent = parent
        state = Mutex(State(last: .now))
    }

    func take(_ bytes: Int) {
        state.withLock { $0.available -= Double(bytes) }
        parent?.take(bytes)
    }

    /// How long until something may be received again; nil when it may be now.
    func wait(_ now: SuspendingClock.Instant) -> Duration? {
        let own = state.withLock { state -> Duration? in
            let passed = (now - state.last) / .seconds(1)
            state.last = now
            state.available = min(state.available + passed * bytesPerSecond, bytesPerSecond * Self.memory)
            return state.available > 0 ? nil : .seconds(max(-state.available / bytesPerSecond, 0.001))
        }
        guard let outer = parent?.wait(now) else { return own }
        return max(own ?? .zero, outer)
    }
}
