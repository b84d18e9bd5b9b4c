import Fetching
import HTTP
import Model
import Synchronization
import TestSupport
import Testing

@Suite struct RetryTests {
    /// Gives each request the next answer, the last one for ever.
    private func inTurn(_ answers: [[Action]]) -> FaultServer.Handler {
        let next = Counter()
        return { _ in answers[min(next.take(), answers.count - 1)] }
    }

    private func rules(retries: Int) -> FetchRules {
        var rules = FetchRules.quick
        rules.retries = retries
        return rules
    }

    @Test func triesAgainUntilItWorks() async throws {
        let short: [Action] = [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close]
        let answers: [[Action]] = [
            // On a connection that had been used libcurl itself would ask again; these two are new.
            [.close], [.reset], [.send(Response.bytes([], status: "503 Busy"))], short,
            [.send(Response.bytes([7]))],
        ]
        try await FaultServer.serving(inTurn(answers)) { server in
            let naps = Naps()
            try await Bench.with(rules(retries: 5), pace: naps.pace()) { bench in
                let result = await bench.fetch(server.origin)
                #expect(result.part?.bytes == 1)
                #expect(result.attempts == 5)
                #expect(result.received == 4)
                #expect(server.requests.count == 5)
                #expect(naps.all == [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2)])
                #expect(bench.partNames.count == 1)
            }
        }
    }

    @Test(arguments: [(503, 4), (429, 4), (408, 4), (404, 1), (501, 1), (505, 1), (403, 1), (416, 1)])
    func countsAttempts(_ status: Int, _ attempts: Int) async throws {
        try await FaultServer.serving { _ in
            [.send(Response.bytes([], status: "\(status) x"))]
        } _: { server in
            try await Bench.with(rules(retries: 3)) { bench in
                let result = await bench.fetch(server.origin)
                #expect(result.attempts == attempts)
                #expect(server.requests.count == attempts)
                #expect(result.failure?.code == .httpStatus)
            }
        }
    }

    @Test func refusedConnectionIsTriedAgainAndUnknownHostNot() async throws {
        try await Loopback.refusing { port in
            try await Bench.with(rules(retries: 2)) { bench in
                let refused = await bench.fetch("http://127.0.0.1:\(port)/")
                #expect(refused.failure?.code == .connect)
                #expect(refused.attempts == 3)
                let unknown = await bench.fetch("http://nowhere.invalid/")
                #expect(unknown.failure?.code == .dns)
                #expect(unknown.attempts == 1)
            }
        }
    }

    @Test func waitsAsLongAsTheServerAsks() async throws {
        let answers: [[Action]] = [
            [.send(Response.bytes([], status: "429 x", headers: ["Retry-After: 17"]))],
            [.send(Response.bytes([], status: "503 x", headers: ["Retry-After: Sun, 09 Sep 2001 01:46:50 GMT"]))],
            [.send(Response.bytes([], status: "503 x", headers: ["Retry-After: 1000000000"]))],
            [.send(Response.bytes([1]))],
        ]
        try await FaultServer.serving(inTurn(answers)) { server in
            let naps = Naps()
            try await Bench.with(rules(retries: 3), pace: naps.pace(chance: 0)) { bench in
                #expect(await bench.fetch(server.origin).part != nil)
                #expect(naps.all == [.seconds(17), .seconds(10), .seconds(6 * 3600)])
            }
        }
    }

    @Test func aStallIsATimeout() async throws {
        var rules = rules(retries: 1)
        rules.idleTimeout = .milliseconds(120)
        try await FaultServer.serving { _ in
            [.stall]
        } _: { server in
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin)
                #expect(result.failure?.code == .timeout)
                #expect(result.attempts == 2)
            }
        }
    }

    @Test func othersGoOnWhileOneWaits() async throws {
        var rules = rules(retries: 1)
        rules.concurrency = 1
        let handler: FaultServer.Handler = { request in
            [.send(Response.bytes([1], status: request.target == "/bad" ? "503 x" : "200 OK"))]
        }
        try await FaultServer.serving(handler) { server in
            let pace = Pace(sleep: { _ in try await Task.sleep(for: .seconds(600)) })
            try await Bench.with(rules, pace: pace) { bench in
                let bad = Task { await bench.fetch(server.origin + "/bad") }
                while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
                #expect(await bench.fetch(server.origin + "/good").part != nil)
                bad.cancel()
                #expect(await bad.value.failure?.code == .cancelled)
            }
        }
    }
}

/// Counts from 0.
final class Counter: Sendable {
    private let count = Atomic(0)

    func take() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
}
