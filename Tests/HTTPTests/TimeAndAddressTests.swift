import Glibc
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite struct TimeAndAddressTests {
    @Test func idleBeforeTheAnswer() async throws {
        try await expect(.idleTimeout, "has not answered", [.stall]) { $0.idleTimeout = .milliseconds(150) }
    }

    @Test func idleWithinTheBody() async throws {
        let start = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123"
        try await expect(.idleTimeout, "has sent nothing", [.send(start), .stall]) {
            $0.idleTimeout = .milliseconds(150)
        }
    }

    @Test func trickleRunsIntoTheTotal() async throws {
        let body = Response.bytes(.init(repeating: 65, count: 1000))
        let trickle = Action.trickle(body, size: 1, pause: .milliseconds(20))
        try await expect(.totalTimeout, "in all", [trickle]) {
            $0.idleTimeout = .seconds(30)
            $0.totalTimeout = .milliseconds(300)
        }
    }

    @Test func silentTLSRunsIntoTheConnectTimeout() async throws {
        let engine = try HTTPEngine(connections: 2)
        let (socket, port) = try Loopback.bound(listens: true)
        defer { close(socket) }
        var request = HTTPRequest.local("https://127.0.0.1:\(port)/")
        request.connectTimeout = .milliseconds(200)
        #expect(await engine.failure(request)?.kind == .connectTimeout)
    }

    @Test func cancellationEndsATransfer() async throws {
        let engine = try HTTPEngine(connections: 1)
        try await FaultServer.serving { _ in
            [.stall]
        } _: { server in
            let running = Task { await engine.failure(.local(server.origin)) }
            let waiting = Task { await engine.failure(.local(server.origin)) }
            while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
            waiting.cancel()
            #expect(await waiting.value?.kind == .cancelled)
            running.cancel()
            #expect(await running.value?.kind == .cancelled)
            let late = Task { await engine.failure(.local(server.origin)) }
            late.cancel()
            #expect(await late.value?.kind == .cancelled)
        }
    }

    @Test func cancellationLeavesTheSinkInPeace() async throws {
        let engine = try HTTPEngine(connections: 1)
        let start = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "x", count: 500_000)
        try await FaultServer.serving { _ in
            [.send(start), .stall]
        } _: { server in
            let sink = MemorySink()
            let task = Task { await engine.failure(.local(server.origin), .stream(sink, limit: nil)) }
            while sink.state.withLock({ $0.writes }) == 0 { try await Task.sleep(for: .milliseconds(2)) }
            task.cancel()
            let error = await task.value
            #expect(error?.kind == .cancelled)
            #expect((error?.received ?? 0) > 0)
            sink.state.withLock { #expect(!$0.isFinished && !$0.isBusy) }
        }
    }

    @Test func refusesAddressesThatAreNotPermitted() async throws {
        let engine = try HTTPEngine(connections: 2)
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { server in
            var request = HTTPRequest.local(server.origin)
            request.permitted = .public
            let error = await engine.failure(request)
            #expect(error?.kind == .addressRefused)
            #expect(error?.message.contains("127.0.0.1") == true)
            request.url = "http://localhost:\(server.port)/"
            #expect(await engine.failure(request)?.kind == .addressRefused)
            // A connection that another request was permitted to open serves this one no better.
            request.permitted = .all
            request.url = server.origin
            #expect(await engine.failure(request) == nil)
            request.permitted = .public
            #expect(await engine.failure(request)?.kind == .addressRefused)
            #expect(server.requests.count == 1)
        }
    }

    @Test func throughAProxyOnlyLiteralAddressesAreChecked() async throws {
        let engine = try HTTPEngine(connections: 2)
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { server in
            var request = HTTPRequest.local("http://files.example/a")
            request.permitted = .public
            request.proxy = server.origin
            #expect(await engine.failure(request) == nil)
            #expect(server.requests.map(\.target) == ["http://files.example/a"])
            request.url = "http://10.0.0.1:8080/"
            #expect(await engine.failure(request)?.kind == .addressRefused)
            request.url = "http://[::1]/"
            #expect(await engine.failure(request)?.kind == .addressRefused)
        }
    }

    private func expect(
        _ kind: HTTPError.Kind, _ words: String, _ actions: [Action], _ change: (inout HTTPRequest) -> Void
    ) async throws {
        let engine = try HTTPEngine(connections: 2)
        try await FaultServer.serving { _ in
            actions
        } _: { server in
            var request = HTTPRequest.local(server.origin)
            change(&request)
            let error = await engine.failure(request)
            #expect(error?.kind == kind)
            #expect(error?.message.contains(words) == true)
        }
    }
}
