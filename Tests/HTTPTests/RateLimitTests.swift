import Testing

@testable import HTTP

/// Over ten seconds that pass at once, so that no other load of the machine counts.
@Suite struct RateLimitTests {
    /// What transfers get that wait as they are told, and wake up to 5 ms late.
    private func taken(_ limits: [RateLimit], piece: Int, seconds: Int) -> [Int] {
        let start = SuspendingClock.now
        var taken = limits.map { _ in 0 }
        var due = limits.map { _ in start }
        var random: UInt64 = 88_172_645_463_325_252
        while let next = due.indices.min(by: { due[$0] < due[$1] }), due[next] < start + .seconds(seconds) {
            let now = due[next]
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            if let wait = limits[next].wait(now) {
                due[next] = now + wait + .microseconds(random % 5000)
            } else {
                limits[next].take(piece)
                taken[next] += piece
                due[next] = now + .microseconds(20)
            }
        }
        return taken
    }

    @Test(arguments: [(20_000, 1000), (500_000, 16_384), (5_000_000, 131_072), (100_000_000, 131_072)])
    func isRightWithinFivePercentOnBothSides(rate: Int, piece: Int) {
        let sum = taken([RateLimit(bytesPerSecond: Int64(rate))], piece: piece, seconds: 10)[0]
        #expect(abs(Double(sum) / Double(rate * 10) - 1) <= 0.05, "\(sum)")
    }

    @Test func jobsThatShareABoundKeepItTogether() {
        let all = RateLimit(bytesPerSecond: 2_000_000)
        let jobs = [1_500_000, 1_500_000, 300_000].map { RateLimit(bytesPerSecond: $0, within: all) }
        let sums = taken(jobs, piece: 16_384, seconds: 10)
        #expect(abs(Double(sums.reduce(0, +)) / 20_000_000 - 1) <= 0.05, "\(sums)")
        #expect(sums[0] <= 15_750_000 && sums[1] <= 15_750_000 && sums[2] <= 3_150_000, "\(sums)")
    }
}
