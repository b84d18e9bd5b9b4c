import Synchronization

/// Makes the tasks of one job wait for their turn, and keeps them from hosts that are left alone for a while.
final class Turnstile: Sendable {
    private let turns: HostTurns
    private let job: Int

    /// - Parameter turns: shared with other jobs; a job by itself has its own.
    init(total: Int, perHost: Int, delay: Duration = .zero, among turns: HostTurns = HostTurns()) {
        self.turns = turns
        job = turns.state.withLock { $0.gate.join(total: total, perHost: perHost, delay: delay / .seconds(1)) }
    }

    deinit {
        let job = job
        turns.move { state, now in (state.gate.part(job, now: now), ()) }
    }

    /// Waits until a request to the host may start; each turn is given back by ``leave(_:_:)``.
    /// - Parameter isReturning: the caller has waited already for what the host had asked.
    /// - Returns: false when the task was cancelled instead; there is no turn then.
    func enter(_ host: String, isReturning: Bool = false) async -> Bool {
        let (turns, job) = (turns, job)
        let ticket = turns.state.withLock { state in
            state.next += 1
            state.arriving.insert(state.next)
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = turns.move { state, now in
                    guard state.arriving.remove(ticket) != nil else { return ([], true) }
                    state.waiting[ticket] = continuation
                    return (state.gate.arrive(ticket, at: host, of: job, isReturning: isReturning, now: now), false)
                }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            let waiter = turns.state.withLock { state in
                if state.arriving.remove(ticket) != nil { return nil as CheckedContinuation<Bool, Never>? }
                guard let waiter = state.waiting.removeValue(forKey: ticket) else { return nil }
                state.gate.abandon(ticket)
                return waiter
            }
            waiter?.resume(returning: false)
        }
    }

    func leave(_ host: String, _ sign: HostGate.Sign = .none) {
        let job = job
        turns.move { state, now in (state.gate.leave(host, sign, of: job, now: now), ()) }
    }

    /// Asks for at least that many seconds between two starts to a host.
    func slow(_ host: String, to seconds: Double) { turns.state.withLock { $0.gate.slow(host, to: seconds) } }

    // MARK: Hosts that do not answer

    func refusal(of host: String) -> (seconds: Double, failures: Int)? {
        let now = turns.now
        return turns.state.withLock { $0.breaker.refusal(of: host, now: now) }
    }

    func connected(_ host: String) { turns.state.withLock { $0.breaker.connected(host) } }

    func failed(_ host: String, isLast: Bool) {
        let now = turns.now
        turns.state.withLock { $0.breaker.failed(host, isLast: isLast, now: now) }
    }
}

/// A turn at a host, given back once: by whoever is first to know that the request is over.
final class HeldPlace: Sendable {
    private let turnstile: Turnstile
    private let host: String
    private let isLeft = Atomic(false)

    init(_ turnstile: Turnstile, _ host: String) {
        self.turnstile = turnstile
        self.host = host
    }

    func leave(_ sign: HostGate.Sign) {
        if !isLeft.exchange(true, ordering: .relaxed) { turnstile.leave(host, sign) }
    }
}
