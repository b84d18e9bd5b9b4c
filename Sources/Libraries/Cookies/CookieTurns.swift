import Files
import Glibc
import Lanes
import Synchronization

/// Turns for hosts whose cookies change with every answer: in a pool at most four requests to them are under way at
/// once, of one run at a time.
///
/// Such a server takes the last few values. However slow one request is, those that were sent since its cookie was read
/// are then fewer than these, in this run and in all others that share the pool.
final class CookieTurns: Sendable {
    /// One request's turn, to be given back once.
    final class Turn: Sendable {
        fileprivate let isOver = Atomic(false)
    }
    private typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        enum Phase {
            case closed, opening, open
        }
        /// Where answers change a cookie, and how many have not since the last that did.
        var calm: [String: Int] = [:]
        var phase = Phase.closed
        var started = 0
        var underWay = 0
        var waiters: [Waiter] = []
    }
    private let state = Mutex(State())
    private let lock: AccessLock
    private let lane: Lane

    static let batch = 4
    /// After so many answers without a change a host's cookies count as steady again.
    private static let longestCalm = 32
    /// Who holds the lock for longer waits for a server that does not answer.
    private static let patience = Duration.seconds(120)

    init(_ lock: AccessLock) throws(LaneError) {
        self.lock = lock
        lane = try Lane("cookie-turns")
    }

    /// An answer gave a cookie another value, in this run or in another one.
    /// - Parameter domain: a host, or a domain that hosts lie below.
    func changed(_ domain: String) { state.withLock { $0.calm[domain] = 0 } }

    /// An answer of the host left its cookies as they were.
    func left(_ host: String) {
        state.withLock { state in
            for (domain, calm) in state.calm where Self.covers(domain, host) {
                state.calm[domain] = calm < Self.longestCalm ? calm + 1 : nil
            }
        }
    }

    private static func covers(_ domain: String, _ host: String) -> Bool {
        domain == host || host.hasSuffix("." + domain)
    }

    /// Waits for a turn, where the host needs one.
    func enter(_ host: String) async -> Turn? {
        guard state.withLock({ $0.calm.keys.contains { Self.covers($0, host) } }) else { return nil }
        await withCheckedContinuation { continuation in
            let (isAdmitted, opens) = state.withLock { state -> (Bool, Bool) in
                if state.phase == .open, state.started < Self.batch {
                    state.started += 1
                    state.underWay += 1
                    return (true, false)
                }
                state.waiters.append(continuation)
                guard state.phase == .closed else { return (false, false) }
                state.phase = .opening
                return (false, true)
            }
            if isAdmitted { continuation.resume() }
            if opens { lane.async { self.open() } }
        }
        return Turn()
    }

    /// What the request's answer has set is known to all.
    func leave(_ turn: Turn?) {
        guard let turn, !turn.isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let (isOver, hasNext) = state.withLock { state -> (Bool, Bool) in
            state.underWay -= 1
            guard state.underWay == 0 else { return (false, false) }
            state.phase = state.waiters.isEmpty ? .closed : .opening
            return (true, !state.waiters.isEmpty)
        }
        guard isOver else { return }
        lane.async {
            self.lock.release()
            // The other runs look for the lock every few milliseconds.
            if hasNext { self.open(after: .milliseconds(6)) }
        }
    }

    /// On the lane.
    private func open(after pause: Duration = .zero) {
        if pause > .zero { usleep(UInt32(pause / .microseconds(1))) }
        // Without the lock it is as if there were no other run, which is better than none at all.
        try? lock.acquire(alone: true, patience: Self.patience)
        let admitted = state.withLock { state in
            let admitted = Array(state.waiters.prefix(Self.batch))
            state.waiters.removeFirst(admitted.count)
            state.phase = .open
            state.started = admitted.count
            state.underWay = admitted.count
            return admitted
        }
        for waiter in admitted { waiter.resume() }
    }
}
