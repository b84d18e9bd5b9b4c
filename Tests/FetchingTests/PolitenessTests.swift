import HTTP
import Model
import Synchronization
import TestSupport
import Testing

@testable import Fetching

@Suite struct PolitenessTests {
    private func all(_ bench: Bench, _ urls: [String]) async -> [FetchResult] {
        await withTaskGroup(of: FetchResult.self) { group in
            for url in urls { group.addTask { await bench.fetch(url) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func leavesTimeBetweenTwoStarts() async throws {
        var rules = FetchRules.quick
        rules.delay = .milliseconds(80)
        let starts = Mutex<[SuspendingClock.Instant]>([])
        try await FaultServer.serving { _ in
            starts.withLock { $0.append(.now) }
            return [.send(Response.bytes([1]))]
        } _: { server in
            try await Bench.with(rules) { bench in
                let results = await all(bench, (0..<5).map { "\(server.origin)/\($0)" })
                #expect(results.allSatisfy { $0.part != nil })
                let times = starts.withLock { $0 }
                // The server's own threads may wake up late, so only the whole is exact.
                let last = try #require(times.last)
                #expect(last - times[0] >= .milliseconds(4 * 80 - 20))
            }
        }
    }

    @Test func aHostThatRefusesIsLeftAlone() async throws {
        try await Loopback.refusing { port in
            try await Bench.with { bench in
                for _ in 0..<5 {
                    let result = await bench.fetch("http://127.0.0.1:\(port)/")
                    #expect(result.failure?.code == .connect && result.attempts == 1)
                }
                let result = await bench.fetch("http://127.0.0.1:\(port)/")
                #expect(result.failure?.code == .connect)
                #expect(result.attempts == 0)
                #expect(result.failure?.message.contains("left alone") == true)
            }
        }
    }

    @Test func retryAfterHoldsUpTheWholeHost() async throws {
        var rules = FetchRules.quick
        rules.perHost = 1
        rules.retries = 1
        let isFirst = Atomic(true)
        let times = Mutex<[SuspendingClock.Instant]>([])
        let handler: FaultServer.Handler = { _ in
            times.withLock { $0.append(.now) }
            guard isFirst.exchange(false, ordering: .relaxed) else { return [.send(Response.bytes([1]))] }
            return [.send(Response.bytes([], status: "429 Slow", headers: ["Retry-After: 1"]))]
        }
        try await FaultServer.serving(handler) { server in
            try await Bench.with(rules, pace: Pace()) { bench in
                let results = await all(bench, (0..<4).map { "\(server.origin)/\($0)" })
                #expect(results.allSatisfy { $0.part != nil })
                let times = times.withLock { $0 }
                #expect(times.count == 5)
                #expect(times[1] - times[0] >= .milliseconds(990))
            }
        }
    }

    /// Seconds that four files of one size take together.
    private func seconds(rate: Int64, size: Int, seed: Int) async throws -> Double {
        var rules = FetchRules.quick
        rules.rate = rate
        let content = SeededBytes.bytes(size, seed: seed)
        return try await FaultServer.serving { _ in
            [.send(Response.bytes(content))]
        } _: { server in
            try await Bench.with(rules) { bench in
                let begin = SuspendingClock.now
                let results = await all(bench, (0..<4).map { "\(server.origin)/\($0)" })
                #expect(results.allSatisfy { $0.part?.bytes == Int64(size) })
                return (SuspendingClock.now - begin) / .seconds(1)
            }
        }
    }

    @Test func rateHoldsForAllTogether() async throws {
        let seconds = try await seconds(rate: 2_000_000, size: 1_000_000, seed: 5)
        #expect(seconds > 1.8, "\(seconds)")
    }

    @Test func rateIsRightWithinFivePercentOverTenSeconds() async throws {
        let seconds = try await seconds(rate: 1_000_000, size: 2_500_000, seed: 6)
        // How much slower it may be only a machine can tell that does nothing else.
        #expect(seconds > 9.5, "\(seconds)")
    }

    @Test func oneSlowHostHoldsUpNoOther() async throws {
        var rules = FetchRules.quick
        rules.concurrency = 4
        rules.perHost = 3
        try await FaultServer.serving { _ in
            [.pause(.seconds(4)), .send(Response.bytes([1]))]
        } _: { slow in
            try await FaultServer.serving { _ in
                [.send(Response.bytes([1]))]
            } _: { quick in
                try await Bench.with(rules) { bench in
                    let slowOnes = Task { await all(bench, (0..<60).map { "\(slow.origin)/\($0)" }) }
                    try await Task.sleep(for: .milliseconds(50))
                    let quickOnes = await all(bench, (0..<40).map { "\(quick.origin)/\($0)" })
                    #expect(quickOnes.allSatisfy { $0.part != nil })
                    // All of the quick host's files have come while the slow one still has most of its own to give.
                    #expect(slow.requests.count < 60)
                    slowOnes.cancel()
                    _ = await slowOnes.value
                }
            }
        }
    }

    @Test func aTrickleBelowTheFloorIsIdle() async throws {
        var rules = FetchRules.quick
        rules.idleTimeout = .milliseconds(300)
        rules.idleFloor = 100_000
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"
        try await FaultServer.serving { _ in
            [.send(head), .trickle([UInt8](repeating: 1, count: 5000), size: 1, pause: .milliseconds(10))]
        } _: { server in
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin)
                #expect(result.failure?.code == .timeout)
                #expect(result.failure?.message.contains("less than 100000 bytes a second") == true)
            }
        }
    }

    @Test func keepsDiskSpaceFree() async throws {
        var rules = FetchRules.quick
        rules.keepFree = .max / 2
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1, 2, 3]))]
        } _: { server in
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin)
                #expect(result.failure?.code == .diskFull)
                #expect(result.failure?.message.contains("fetch.keep-free") == true)
                #expect(bench.partNames.isEmpty)
            }
        }
    }

    @Test func whatAnAnswerLeavesOnTheConnectionHurtsNoOther() async throws {
        // The first answer is longer than it says; the rest would be read as the head of the next.
        let long = Response.bytes([1, 2, 3]) + Array("garbage that is no answer\r\n\r\n".utf8)
        try await FaultServer.serving { request in
            request.target == "/long" ? [.send(long)] : [.send(Response.bytes([4]))]
        } _: { server in
            var rules = FetchRules.quick
            rules.perHost = 1
            try await Bench.with(rules) { bench in
                for _ in 0..<3 {
                    #expect(await bench.fetch(server.origin + "/long").part?.bytes == 3)
                    let next = await bench.fetch(server.origin + "/next")
                    #expect(next.part?.bytes == 1, "\(String(describing: next.failure))")
                    #expect(next.attempts == 1)
                }
            }
        }
    }

    @Test func netrcKnowsSeveralUsersOfAHost() throws {
        let netrc = Netrc(
            """
            machine a.example password first login one
            machine a.example login two password "se\\tcond"
            machine b.example password only
            machine c.example login me
            machine d.example login me password "x\\r\\nDELE y"
            """)
        func header(_ text: String) throws -> String? { netrc.authorization(for: try url(text)) }
        #expect(try header("https://a.example/") == "Basic " + base64(Array("one:first".utf8)))
        #expect(try header("https://two@a.example/") == "Basic " + base64(Array("two:se\tcond".utf8)))
        #expect(try header("https://three@a.example/") == nil)
        #expect(try header("https://any@b.example/") == "Basic " + base64(Array("any:only".utf8)))
        #expect(try header("https://c.example/") == "Basic " + base64(Array("me:".utf8)))
        // A password with a line break would be another command to a server of FTP.
        let credentials = Credentials(headers: [], starts: [])
        let (bad, good) = (try url("ftp://d.example/x"), try url("ftp://two@a.example/x"))
        #expect(credentials.login(for: bad, asked: bad, netrc: netrc) == nil)
        #expect(credentials.login(for: good, asked: good, netrc: netrc) == FileLogin(user: "two"))
        let plain = try url("ftp://a.example/x")
        #expect(credentials.login(for: plain, asked: plain, netrc: netrc) == FileLogin(user: "one", password: "first"))
    }

    @Test func readsNetrc() throws {
        let netrc = Netrc(
            """
            # machine commented.example login x password y
            machine a.example login me password "p\\"w d"
            machine b.example
              login you
              account acc
              password secret
            macdef init
              machine evil.example login q password r

            machine c.example password only
            default login any password thing
            """)
        func header(_ text: String) throws -> String? { netrc.authorization(for: try url(text)) }
        #expect(try header("https://a.example/") == "Basic " + base64(Array("me:p\"w d".utf8)))
        #expect(try header("https://b.example/x") == "Basic " + base64(Array("you:secret".utf8)))
        #expect(try header("https://c.example/x") == "Basic " + base64(Array(":only".utf8)))
        #expect(try header("https://evil.example/") == nil)
        #expect(try header("https://commented.example/") == nil)
        #expect(try header("https://x.a.example/") == nil)
    }
}
