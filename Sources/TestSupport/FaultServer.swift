import Files
import Glibc
import Lanes
import Synchronization

/// An HTTP server on loopback that misbehaves as told, byte for byte, and remembers what it saw.
///
/// Every connection has a thread of its own: a delay on one holds up no other, and none holds up the tests.
package final class FaultServer: Sendable {
    package typealias Handler = @Sendable (Request) -> [Action]

    package let port: UInt16
    private let listener: Int32
    private let handler: Handler
    private let answersRobots: Bool
    private struct State {
        var connections: Set<Int32> = []
        var inFlight = 0
        var greatestConnections = 0
        var greatestInFlight = 0
        var requests: [Request] = []
        var isStopped = false
    }
    private let state = Mutex(State())

    /// Serves while `body` runs.
    /// - Parameters:
    ///   - answersRobots: `/robots.txt` is answered with 404 and not counted.
    ///   - handler: what to do for a request; after the actions the connection waits for the next request, unless one
    ///     of them ended it.
    package static func serving<Result>(
        answersRobots: Bool = true, _ handler: @escaping Handler, isolation: isolated (any Actor)? = #isolation,
        _ body: (FaultServer) async throws -> sending Result
    ) async throws -> sending Result {
        let server = try FaultServer(handler, answersRobots)
        defer { server.stop() }
        return try await body(server)
    }

    private init(_ handler: @escaping Handler, _ answersRobots: Bool) throws {
        self.handler = handler
        self.answersRobots = answersRobots
        (listener, port) = try Loopback.bound(listens: true)
        try Lane("fault-accept").async { [self] in acceptConnections() }
    }

    package var origin: String { "http://127.0.0.1:\(port)" }

    /// Every request so far, in the order of arrival.
    package var requests: [Request] { state.withLock { $0.requests } }

    /// The most connections that were open at once.
    package var greatestConnections: Int { state.withLock { $0.greatestConnections } }

    /// The most requests that were being answered at once.
    package var greatestInFlight: Int { state.withLock { $0.greatestInFlight } }

    private func stop() {
        let open = state.withLock { state in
            state.isStopped = true
            return state.connections
        }
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in open { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    private func acceptConnections() {
        defer { close(listener) }
        while true {
            let socket = accept(listener, nil, nil)
            guard socket >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            let isWelcome = state.withLock { state in
                guard !state.isStopped else { return false }
                state.connections.insert(socket)
                // Asked of the kernel, since our threads may not have seen yet that a client has closed.
                let established = state.connections.count(where: isEstablished)
                state.greatestConnections = max(state.greatestConnections, established)
                return true
            }
            guard isWelcome, let lane = try? Lane("fault-serve") else {
                close(socket)
                continue
            }
            lane.async { [self] in serve(Connection(socket: socket)) }
        }
    }

    private func serve(_ connection: Connection) {
        var connection = connection
        serving: while let request = connection.nextRequest() {
            if answersRobots, request.path == "/robots.txt" {
                guard connection.perform(.send(Response.notFound)) else { break }
                continue
            }
            state.withLock { state in
                state.requests.append(request)
                state.inFlight += 1
                state.greatestInFlight = max(state.greatestInFlight, state.inFlight)
            }
            var actions = handler(request)
            let last = actions.popLast()
            for action in actions where !connection.perform(action) {
                state.withLock { $0.inFlight -= 1 }
                break serving
            }
            // Before the last bytes go: with them the client may send its next request.
            state.withLock { $0.inFlight -= 1 }
            if let last, !connection.perform(last) { break }
        }
        state.withLock { state in
            state.connections.remove(connection.socket)
            close(connection.socket)
        }
    }
}

/// The state of the connection by the kernel's word.
private func isEstablished(_ socket: Int32) -> Bool {
    var info = tcp_info()
    var length = socklen_t(MemoryLayout<tcp_info>.size)
    guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0 else { return false }
    return Int(info.tcpi_state) == Int(TCP_ESTABLISHED)
}
