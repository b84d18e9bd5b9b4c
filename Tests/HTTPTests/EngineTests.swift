import Glibc
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite struct EngineTests {
    @Test func collectsABody() async throws {
        let engine = try HTTPEngine(connections: 4)
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1, 2, 3], headers: ["X: y"]))]
        } _: { server in
            let response = try await engine.perform(.local(server.origin + "/a?b"), receiver: Receiver.collecting)
            #expect(response.head.status == 200)
            #expect(response.head.value("x") == Array("y".utf8))
            #expect(response.body == [1, 2, 3])
            #expect(response.received == 3)
            #expect(response.newConnections == 1)
            #expect(response.peer?.addressClass == .loopback)
            #expect(server.requests.map(\.target) == ["/a?b"])
        }
    }

    @Test func reusesConnections() async throws {
        let engine = try HTTPEngine(connections: 4)
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { server in
            for _ in 0..<20 {
                _ = try await engine.perform(.local(server.origin), receiver: Receiver.collecting)
            }
            #expect(server.greatestConnections == 1)
        }
    }

    @Test func streamsALargeBodyInOrder() async throws {
        let engine = try HTTPEngine(connections: 4)
        let content = SeededBytes.bytes(9_000_001, seed: 7)
        try await FaultServer.serving { _ in
            [.send(Response.bytes(content))]
        } _: { server in
            let sink = MemorySink()
            let response = try await engine.perform(
                .local(server.origin), receiver: Receiver(plan: .stream(sink, limit: nil)))
            #expect(response.received == 9_000_001)
            sink.state.withLock { state in
                #expect(state.bytes == content)
                #expect(state.isFinished)
                #expect(!state.hasOverlapped)
                #expect(state.writes < 100)
            }
        }
    }

    @Test func slowSinkHoldsTheBodyBack() async throws {
        let engine = try HTTPEngine(connections: 4)
        let content = SeededBytes.bytes(6_000_000, seed: 8)
        try await FaultServer.serving { _ in
            [.send(Response.bytes(content))]
        } _: { server in
            let sink = MemorySink(onWrite: pause)
            var request = HTTPRequest.local(server.origin)
            // Shorter than the writing takes: time that our own disk needs is not the server's.
            request.idleTimeout = .seconds(1)
            let response = try await engine.perform(request, receiver: Receiver(plan: .stream(sink, limit: nil)))
            #expect(response.received == 6_000_000)
            sink.state.withLock { #expect($0.bytes == content) }
        }
    }

    @Test func sinkErrorEndsTheTransfer() async throws {
        let engine = try HTTPEngine(connections: 4)
        try await FaultServer.serving { _ in
            [.send(Response.bytes(SeededBytes.bytes(5_000_000, seed: 1)))]
        } _: {
            server in
            let sink = MemorySink { () throws(HTTPError) in throw HTTPError(.diskFull, "no space") }
            let error = await engine.failure(.local(server.origin), .stream(sink, limit: nil))
            #expect(error?.kind == .diskFull)
            sink.state.withLock { #expect(!$0.isFinished) }
        }
    }

    @Test func emptyBodyStillFinishesTheSink() async throws {
        let engine = try HTTPEngine(connections: 4)
        try await FaultServer.serving { _ in
            [.send(Response.bytes([]))]
        } _: { server in
            let sink = MemorySink()
            _ = try await engine.perform(.local(server.origin), receiver: Receiver(plan: .stream(sink, limit: nil)))
            sink.state.withLock { #expect($0.isFinished && $0.bytes.isEmpty) }
        }
    }

    @Test func cutsAStreamAtItsLimit() async throws {
        let engine = try HTTPEngine(connections: 4)
        try await FaultServer.serving { _ in
            [.send(Response.bytes(SeededBytes.bytes(3_000_000, seed: 1)))]
        } _: {
            server in
            let sink = MemorySink()
            let response = try await engine.perform(
                .local(server.origin), receiver: Receiver(plan: .stream(sink, limit: 1_000_000, cuts: true)))
            #expect(response.isCut)
            sink.state.withLock { #expect($0.bytes == SeededBytes.bytes(1_000_000, seed: 1) && $0.isFinished) }
        }
    }

    @Test func discardsAndKeepsTheConnectionForShortBodies() async throws {
        let engine = try HTTPEngine(connections: 4)
        let handler: FaultServer.Handler = { request in
            [.send(Response.bytes(.init(repeating: 1, count: request.target == "/long" ? 1_000_000 : 1000)))]
        }
        try await FaultServer.serving(handler) { server in
            let plan = Receiver(plan: .discard(reading: 4096))
            let short = try await engine.perform(.local(server.origin + "/short"), receiver: plan)
            #expect(!short.isCut)
            let next = try await engine.perform(.local(server.origin + "/long"), receiver: plan)
            #expect(next.newConnections == 0)
            #expect(next.isCut)
            #expect(next.received < 1_000_000)
        }
    }

    @Test func neverOpensMoreThanItsConnections() async throws {
        let engine = try HTTPEngine(connections: 3)
        try await FaultServer.serving { _ in
            [.pause(.milliseconds(5)), .send(Response.bytes([1]))]
        } _: { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        _ = try await engine.perform(.local(server.origin), receiver: Receiver.collecting)
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.greatestInFlight <= 3)
            #expect(server.greatestConnections <= 3)
        }
    }

    @Test func resolvesAsTold() async throws {
        let engine = try HTTPEngine(connections: 4)
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { server in
            var request = HTTPRequest.local("http://files.example:\(server.port)/")
            request.resolve = ["files.example:\(server.port):127.0.0.1"]
            _ = try await engine.perform(request, receiver: Receiver.collecting)
            #expect(server.requests.first?["host"] == "files.example:\(server.port)")
            // The next request is not helped by what this one was told.
            request.resolve = []
            #expect(await engine.failure(request)?.kind == .dns)
        }
    }

    @Test func endsWhatIsInFlightWhenShutDown() async throws {
        let engine = try HTTPEngine(connections: 1)
        try await FaultServer.serving { _ in
            [.stall]
        } _: { server in
            async let first = engine.failure(.local(server.origin))
            async let second = engine.failure(.local(server.origin))
            while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
            engine.shutdown()
            #expect(await first?.kind == .unavailable)
            #expect(await second?.kind == .unavailable)
            #expect(await engine.failure(.local(server.origin))?.kind == .unavailable)
        }
    }
}

@Sendable private func pause() {
    var time = timespec(tv_sec: 0, tv_nsec: 60_000_000)
    nanosleep(&time, nil)
}
