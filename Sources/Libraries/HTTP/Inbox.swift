import CCurl
import CShims
import Synchronization

/// One call of `perform`, by identity.
final class Ticket: Sendable {
    /// Set before the engine is told, so that a call cancelled before it starts is found out when it starts.
    let isCancelled = Atomic(false)
}

typealias Outcome = Result<HTTPResponse, HTTPError>

/// A request on its way to the engine's thread.
struct Order: Sendable {
    let ticket: Ticket
    let request: HTTPRequest
    let receiver: any HTTPReceiver
    let continuation: CheckedContinuation<Outcome, Never>
}

enum Message: Sendable {
    case start(Order)
    case cancel(Ticket)
    /// The writers have caught up: the body may go on.
    case resume(Ticket)
    /// A sink failed: the rest of the body is not wanted.
    case abort(Ticket, HTTPError)
    case stop
}

/// How the rest of the program speaks to the engine's thread.
final class Inbox: Sendable {
    /// `@unchecked Sendable` is safe: the handle is only used for `curl_multi_wakeup`, the one call that libcurl allows
    /// from any thread, and only under the lock that ``close()`` takes before the handle is freed.
    private struct Waker: @unchecked Sendable {
        let multi: UnsafeMutableRawPointer
    }

    private struct State {
        var messages: [Message] = []
        var waker: Waker?
        var isClosed = false
    }
    private let state = Mutex(State())

    /// From now on messages wake the thread that polls this handle.
    func open(_ multi: UnsafeMutableRawPointer) {
        let waker = Waker(multi: multi)
        state.withLock { $0.waker = waker }
    }

    /// - Returns: false when the engine has ended; nobody will read the message.
    @discardableResult
    func post(_ message: Message) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.messages.append(message)
            // The thread takes all there is at once: one wake-up is enough.
            if state.messages.count == 1, let waker = state.waker { curl_multi_wakeup(waker.multi) }
            return true
        }
    }

    func take() -> [Message] {
        state.withLock { state in
            guard !state.messages.isEmpty else { return [] }
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Nothing is taken any more; what was left unread is given back.
    func close() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            state.waker = nil
            defer { state.messages = [] }
            return state.messages
        }
    }
}
