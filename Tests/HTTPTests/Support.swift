import HTTP
import Synchronization

/// Does the same with every body.
struct Receiver: HTTPReceiver {
    let plan: BodyPlan

    func head(_ head: HTTPHead) -> BodyPlan { plan }

    static let collecting = Receiver(plan: .collect(limit: 1 << 20))
}

/// Remembers what it is given; may be slow, or fail.
final class MemorySink: BodySink {
    struct State {
        var bytes: [UInt8] = []
        var writes = 0
        var isFinished = false
        var isAbandoned = false
        var isBusy = false
        var hasOverlapped = false
    }
    let state = Mutex(State())
    let onWrite: @Sendable () throws(HTTPError) -> Void

    init(onWrite: @escaping @Sendable () throws(HTTPError) -> Void = {}) { self.onWrite = onWrite }

    func write(_ bytes: [UInt8]) throws(HTTPError) {
        state.withLock { state in
            state.hasOverlapped = state.hasOverlapped || state.isBusy
            state.isBusy = true
        }
        defer { state.withLock { $0.isBusy = false } }
        try onWrite()
        state.withLock { state in
            state.bytes += bytes
            state.writes += 1
        }
    }

    func finish() throws(HTTPError) { state.withLock { $0.isFinished = true } }

    func abandon(_ error: HTTPError) { state.withLock { $0.isAbandoned = true } }
}

extension HTTPRequest {
    /// A request to loopback, with patience for a busy machine.
    static func local(_ url: String) -> HTTPRequest {
        var request = HTTPRequest(url: url)
        request.permitted = .all
        request.connectTimeout = .seconds(30)
        request.idleTimeout = .seconds(30)
        request.totalTimeout = .seconds(120)
        return request
    }
}

extension HTTPEngine {
    /// The error that a request ends in, nil when it succeeds.
    func failure(_ request: HTTPRequest, _ plan: BodyPlan = .collect(limit: 1 << 20)) async -> HTTPError? {
        do {
            _ = try await perform(request, receiver: Receiver(plan: plan))
            return nil
        } catch { return error }
    }
}
