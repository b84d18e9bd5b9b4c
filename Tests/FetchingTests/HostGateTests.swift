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

    @Test func pausesBetweenTwoStarts() {
        var gate = HostGate(total: 10, perHost: 4, delay: 2)
        #expect(gate.arrive(1, at: "a", now: 100) == [1])
        #expect(gate.arrive(2, at: "a", now: 100) == [])
        #expect(gate.arrive(3, at: "a", now: 100) == [])
        #expect(gate.arrive(4, at: "b", now: 100) == [4])
        #expect(gate.nextWake == 102)
        #expect(gate.wake(101) == [])
        #expect(gate.wake(102) == [2])
        #expect(gate.leave("a", now: 103) == [])
        #expect(gate.nextWake == 104)
        #expect(gate.wake(104) == [3])
        #expect(gate.nextWake == nil)
    }

    @Test func aHostMaySlowItselfDown() {
        var gate = HostGate(total: 10, perHost: 4)
        gate.slow("a", to: 5)
        #expect(gate.arrive(1, at: "a", now: 0) == [1])
        #expect(gate.leave("a", now: 1) == [])
        #expect(gate.arrive(2, at: "a", now: 1) == [])
        #expect(gate.wake(5) == [2])
    }

    @Test func overloadHalvesAndSuccessRaises() {
        var gate = HostGate(total: 100, perHost: 8)
        for ticket in 0..<60 { _ = gate.arrive(ticket, at: "a", now: 0) }
        // Eight are on their way; all their complaints count once.
        var admitted: [Int] = []
        for _ in 0..<8 { admitted += gate.leave("a", .overloaded(wait: nil), now: 10) }
        #expect(admitted.count == 4)
        admitted = gate.leave("a", .overloaded(wait: nil), now: 20)
        #expect(admitted.isEmpty)
        var counts: [Int] = []
        var active = 3
        while active > 0, counts.count < 60 {
            let next = gate.leave("a", .good, now: 30).count
            active += next - 1
            counts.append(active)
        }
        #expect(counts.max() == 8)
        #expect(counts.first == 2)
    }

    @Test func obeysRetryAfterButLetsReturningOnesIn() {
        var gate = HostGate(total: 100, perHost: 2)
        #expect(gate.arrive(1, at: "a", now: 0) == [1])
        #expect(gate.leave("a", .overloaded(wait: 30), now: 1) == [])
        #expect(gate.arrive(2, at: "a", now: 2) == [])
        #expect(gate.nextWake == 31)
        #expect(gate.arrive(3, at: "a", isReturning: true, now: 3) == [3])
        #expect(gate.leave("a", .good, now: 4) == [])
        #expect(gate.wake(31) == [2])
    }

    @Test func boundsAHostOverAllJobs() {
        var gate = HostGate()
        let (one, other) = (gate.join(total: 10, perHost: 3, delay: 0), gate.join(total: 10, perHost: 2, delay: 0))
        // Alone, a job has what it allows itself.
        #expect((1...4).map { gate.arrive($0, at: "a", of: one).count } == [1, 1, 1, 0])
        // The narrowest of both holds while both are there, and other hosts are free.
        #expect(gate.arrive(11, at: "a", of: other) == [])
        #expect(gate.arrive(12, at: "b", of: other) == [12])
        #expect(gate.leave("a", of: one) == [])
        // Then they take turns.
        #expect(gate.leave("a", of: one) == [4])
        #expect(gate.leave("a", of: one) == [11])
        #expect(gate.arrive(5, at: "a", of: one) == [])
        #expect(gate.leave("a", of: other) == [5])
    }

    @Test func noJobWaitsBehindAnothers() {
        var gate = HostGate()
        let (one, other) = (gate.join(total: 10, perHost: 1, delay: 0), gate.join(total: 10, perHost: 1, delay: 0))
        for ticket in 0..<100 { _ = gate.arrive(ticket, at: "a", of: one) }
        for ticket in 100..<110 { _ = gate.arrive(ticket, at: "a", of: other) }
        var order: [Int] = []
        var last = one
        for _ in 0..<20 {
            guard let next = gate.leave("a", of: last).first else { break }
            last = next < 100 ? one : other
            order.append(last)
        }
        #expect(order.filter { $0 == other }.count == 10)
    }

    @Test func theLongestPauseHoldsOverAllJobs() {
        var gate = HostGate()
        let (quick, slow) = (gate.join(total: 9, perHost: 9, delay: 0), gate.join(total: 9, perHost: 9, delay: 5))
        #expect(gate.arrive(1, at: "a", of: slow, now: 0) == [1])
        #expect(gate.arrive(2, at: "a", of: quick, now: 0) == [])
        #expect(gate.nextWake == 5)
        #expect(gate.leave("a", of: slow, now: 1) == [2])
        // What the quick one started counts for the slow one.
        #expect(gate.arrive(3, at: "a", of: slow, now: 2) == [])
        #expect(gate.wake(6) == [3])
    }

    @Test func aJobThatPartsMakesRoom() {
        var gate = HostGate()
        let (one, other) = (gate.join(total: 9, perHost: 1, delay: 0), gate.join(total: 9, perHost: 4, delay: 0))
        #expect(gate.arrive(1, at: "a", of: one) == [1])
        #expect((2...4).map { gate.arrive($0, at: "a", of: other).count } == [0, 0, 0])
        #expect(gate.part(one).sorted() == [2, 3, 4])
    }

    @Test func breakerOpensAfterFiveInARow() {
        var breaker = Breaker()
        for _ in 0..<6 { breaker.failed("a", isLast: false, now: 0) }
        #expect(breaker.refusal(of: "a", now: 0) == nil)
        breaker.failed("a", isLast: true, now: 0)
        #expect(breaker.refusal(of: "a", now: 10)?.seconds == 50)
        #expect(breaker.refusal(of: "b", now: 10) == nil)
        #expect(breaker.refusal(of: "a", now: 60) == nil)
        // One more failure is enough the next time, and the pause is longer.
        breaker.failed("a", isLast: false, now: 61)
        #expect(breaker.refusal(of: "a", now: 61)?.seconds == 120)
        breaker.connected("a")
        #expect(breaker.refusal(of: "a", now: 61) == nil)
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
