import CCurl
import CShims
import Glibc
import Lanes
import Synchronization

/// Fetches over HTTP with libcurl: one thread runs every transfer, a few more write bodies, and tasks await.
///
/// Any number of tasks may call ``perform(_:receiver:)`` at once; at most `connections` requests are in flight and
/// connections open at any moment, the others wait in order.
package final class HTTPEngine: Sendable {
    private let inbox = Inbox()
    private let lane: Lane
    private let ended = Semaphore()
    private let isShutDown = Atomic(false)

    /// - Parameters:
    ///   - connections: most connections open and requests in flight.
    ///   - writers: threads that sinks are called on.
    package init(connections: Int, writers: Int = 4) throws(HTTPError) {
        guard nj_curl_global_init() == CURLE_OK else {
            throw HTTPError(.unavailable, "libcurl cannot be initialised; is the installation whole?")
        }
        let pool: LanePool
        do {
            lane = try Lane("http")
            pool = try LanePool("http-writer", threads: writers)
        } catch { throw HTTPError(.unavailable, "\(error)") }
        let started = Semaphore()
        let isRunning = Box(false)
        lane.async { [inbox, ended] in
            let loop = EngineLoop(inbox, writers: pool, connections: connections)
            isRunning.value.store(loop != nil, ordering: .releasing)
            started.post()
            loop?.run()
            ended.post()
        }
        started.wait()
        guard isRunning.value.load(ordering: .acquiring) else {
            throw HTTPError(.unavailable, "no memory left for the fetch engine")
        }
    }

    deinit { shutdown() }

    /// Fetches one resource.
    ///
    /// The receiver says what becomes of the body as soon as the head is there. A status of any kind is an answer, not
    /// an error. When the task is cancelled the transfer ends at once, also one that has not started yet. When this
    /// returns or throws, the receiver and its sink are not called any more.
    package func perform(_ request: HTTPRequest, receiver: any HTTPReceiver) async throws(HTTPError) -> HTTPResponse {
        let ticket = Ticket()
        let outcome: Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let order = Order(ticket: ticket, request: request, receiver: receiver, continuation: continuation)
                if !inbox.post(.start(order)) {
                    continuation.resume(
                        returning: .failure(HTTPError(.unavailable, "the fetch engine was shut down")))
                }
            }
        } onCancel: {
            ticket.isCancelled.store(true, ordering: .releasing)
            inbox.post(.cancel(ticket))
        }
        return try outcome.get()
    }

    /// Ends the engine's thread and fails what is in flight. Blocks for a moment; may be called twice.
    package func shutdown() {
        guard !isShutDown.exchange(true, ordering: .acquiringAndReleasing) else { return }
        inbox.post(.stop)
        ended.wait()
    }
}

/// A flag that two threads hold.
private final class Box: Sendable {
    let value: Atomic<Bool>

    init(_ value: Bool) { self.value = Atomic(value) }
}
