import Glibc
import Synchronization

/// Adds up what several threads have read, and tells of it now and then.
final class Meter: Sendable {
    private struct State {
        var done: Int64 = 0
        var total: Int64 = 0
        var told = ContinuousClock.now
    }
    private let state = Mutex(State())
    private let tell: @Sendable (Int64, Int64) -> Void

    init(_ tell: @escaping @Sendable (Int64, Int64) -> Void) { self.tell = tell }

    func expect(_ total: Int64) { state.withLock { $0.total = total } }

    func add(_ bytes: Int) {
        let news = state.withLock { state -> (Int64, Int64)? in
            state.done += Int64(bytes)
            guard ContinuousClock.now - state.told >= .milliseconds(500) else { return nil }
            state.told = .now
            return (state.done, max(state.total, state.done))
        }
        if let news { tell(news.0, news.1) }
    }

    var done: Int64 { state.withLock { $0.done } }
}
