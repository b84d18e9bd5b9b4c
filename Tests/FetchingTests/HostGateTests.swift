import Testing

@testable import Fetching

@Suite struct HostGateTests {
    @Test func boundsEachHost() {
        var gate = HostGate(total: 10, perHost: 2)
        #expect(gate.arrive(1, at: "a") == [1])
        #expect(gate.arrive(2, at: "a") == [2])
        #expect(gate.arrive(3, at: "a") == [])
        #expect(gate.arrive(4, at: "b") == [4])
        #expect(gate.leave("a") == [3])
        #expect(gate.leave("a") == [])
    }

    @Test func boundsTheSum() {
        var gate = HostGate(total: 2, perHost: 2)
        #expect(gate.arrive(1, at: "a") == [1])
        #expect(gate.arrive(2, at: "b") == [2])
        #expect(gate.arrive(3, at: "c") == [])
        #expect(gate.leave("b") == [3])
    }

    @Test func givesEveryHostItsTurn() {
        var gate = HostGate(total: 1, perHost: 1)
        #expect(gate.arrive(0, at: "a") == [0])
        for ticket in 1...3 { #expect(gate.arrive(ticket, at: "a") == []) }
        for ticket in 4...5 { #expect(gate.arrive(ticket, at: "b") == []) }
        #expect(gate.arrive(6, at: "c") == [])
        var order: [Int] = []
        var last = "a"
        while let next = gate.leave(last).first {
            order.append(next)
            last = next <= 3 ? "a" : next <= 5 ? "b" : "c"
        }
        // "a" is listed again as soon as it has room, behind those who waited before.
        #expect(order == [4, 6, 1, 5, 2, 3])
    }

    @Test func aSlowHostStarvesNobody() {
        var gate = HostGate(total: 4, perHost: 2)
        for ticket in 0..<100 { _ = gate.arrive(ticket, at: "slow") }
        for ticket in 100..<200 { _ = gate.arrive(ticket, at: "quick") }
        // The slow host never ends; the quick one goes through all the same.
        var done = 2
        while let next = gate.leave("quick").first {
            #expect(next >= 100)
            done += 1
        }
        #expect(done == 100)
    }

    @Test func skipsTheAbandoned() {
        var gate = HostGate(total: 1, perHost: 1)
        #expect(gate.arrive(1, at: "a") == [1])
        #expect(gate.arrive(2, at: "a") == [])
        #expect(gate.arrive(3, at: "a") == [])
        gate.abandon(2)
        #expect(gate.leave("a") == [3])
        #expect(gate.leave("a") == [])
    }

    @Test func holdsItsBoundsOverManySteps() {
        var gate = HostGate(total: 7, perHost: 3)
        var active: [String: Int] = [:]
        var hosts: [Int: String] = [:]
        var admitted = 0
        var seed: UInt64 = 42
        func take(_ tickets: [Int]) {
            for ticket in tickets {
                active[hosts[ticket] ?? "", default: 0] += 1
                admitted += 1
            }
            #expect(active.values.allSatisfy { $0 <= 3 })
            #expect(active.values.reduce(0, +) <= 7)
        }
        for ticket in 0..<2000 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1
            let host = "h\(seed >> 40 % 13)"
            hosts[ticket] = host
            take(gate.arrive(ticket, at: host))
            seed = seed &* 6_364_136_223_846_793_005 &+ 1
            if seed >> 40 % 2 == 0, let busy = active.filter({ $0.value > 0 }).keys.sorted().first {
                active[busy, default: 0] -= 1
                take(gate.leave(busy))
            }
        }
        while let busy = active.filter({ $0.value > 0 }).keys.sorted().first {
            active[busy, default: 0] -= 1
            take(gate.leave(busy))
        }
        #expect(admitted == 2000)
    }

    @Test func cancelledTasksLeaveTheTurnstile() async {
        let turnstile = Turnstile(total: 1, perHost: 1)
        #expect(await turnstile.enter("a"))
        let waiting = (0..<20).map { _ in Task { await turnstile.enter("a") } }
        await Task.yield()
        for task in waiting { task.cancel() }
        for task in waiting { #expect(await task.value == false) }
        turnstile.leave("a")
        #expect(await turnstile.enter("a"))
    }
}
