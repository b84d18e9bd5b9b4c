import Lanes
import Synchronization

/// Carries one body from the engine's thread to its sink on the writers' threads, in order and within a bound.
final class BodyFlow: Sendable {
    private enum End: Sendable {
        case success(HTTPResponse)
        case failure(HTTPError)
    }

    private struct State {
        var pieces: [[UInt8]] = []
        var end: End?
        var failure: HTTPError?
        /// Bytes handed over and not yet written.
        var pending = 0
        /// A writer is at work, or about to be.
        var isActive = false
        var wantsResume = false
    }

    private let state = Mutex(State())
    private let order: Order
    private let sink: any BodySink
    private let writers: LanePool
    private let inbox: Inbox
    /// Bytes that may wait to be written before the body is paused.
    private let bound: Int

    init(_ order: Order, sink: any BodySink, writers: LanePool, inbox: Inbox, bound: Int) {
        self.order = order
        self.sink = sink
        self.writers = writers
        self.inbox = inbox
        self.bound = bound
    }

    /// True when the body must pause; a `resume` message will come then.
    func isFull() -> Bool {
        state.withLock { state in
            guard state.pending >= bound, state.failure == nil else { return false }
            state.wantsResume = true
            return true
        }
    }

    func send(_ piece: [UInt8]) {
        activate { state in
            state.pieces.append(piece)
            state.pending += piece.count
        }
    }

    /// The last piece and the result; answers the caller once all is written.
    func finish(_ piece: [UInt8], _ response: HTTPResponse) {
        activate { state in
            if !piece.isEmpty { state.pieces.append(piece) }
            state.end = .success(response)
        }
    }

    /// Answers the caller with an error once the sink is left in peace. What an interrupted body has brought is written
    /// before, anything else is dropped.
    func fail(_ piece: [UInt8], _ error: HTTPError) {
        activate { state in
            if !error.kind.isInterruption {
                state.pieces = []
            } else if !piece.isEmpty {
                state.pieces.append(piece)
            }
            state.end = .failure(error)
        }
    }

    private func activate(_ change: (inout State) -> Void) {
        let isIdle = state.withLock { state in
            change(&state)
            defer { state.isActive = true }
            return !state.isActive
        }
        if isIdle { writers.async { self.drain() } }
    }

    private enum Step {
        case write([UInt8])
        case end(Outcome)
        case idle
    }

    private func drain() {
        while true {
            switch nextStep() {
            case .write(let piece): write(piece)
            case .end(let outcome):
                order.continuation.resume(returning: finished(outcome))
                return
            case .idle: return
            }
        }
    }

    private func nextStep() -> Step {
        state.withLock { state in
            if state.failure != nil { state.pieces = [] }
            if !state.pieces.isEmpty { return .write(state.pieces.removeFirst()) }
            switch state.end {
            case .success(let response): return .end(state.failure.map { .failure($0) } ?? .success(response))
            case .failure(let error): return .end(.failure(state.failure ?? error))
            case nil:
                state.isActive = false
                return .idle
            }
        }
    }

    private func write(_ piece: [UInt8]) {
        var failure: HTTPError?
        do { try sink.write(piece) } catch { failure = error }
        let isWaitedFor = state.withLock { state in
            state.pending -= piece.count
            state.failure = state.failure ?? failure
            guard state.wantsResume, state.pending <= bound / 2 else { return false }
            state.wantsResume = false
            return true
        }
        if let failure {
            inbox.post(.abort(order.ticket, failure))
        } else if isWaitedFor {
            inbox.post(.resume(order.ticket))
        }
    }

    private func finished(_ outcome: Outcome) -> Outcome {
        do {
            _ = try outcome.get()
            try sink.finish()
            return outcome
        } catch {
            sink.abandon(error)
            return .failure(error)
        }
    }
}
