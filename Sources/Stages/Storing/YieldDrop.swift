package import Model

/// What is wrong with what a run brought, by what its manifest expects and by what the last good runs brought.
package struct YieldDrop: Sendable, Hashable {
    /// The figures, one sentence each; empty when all is as expected.
    package private(set) var figures: [String] = []

    /// - Parameter past: what the last good runs brought; without any, only `expect.min-items` is looked at.
    package init(of yield: RunYield, after past: [RunYield], expecting rules: ExpectRules) {
        if yield.items < rules.minItems {
            figures.append("\(yield.items) items, and expect.min-items is \(rules.minItems)")
        }
        guard let share = rules.maxDrop, !past.isEmpty else { return }
        let items = Self.median(past.map { Double($0.items) })
        compare("links", Double(yield.links), past.map { Double($0.links) }, share)
        compare("items", Double(yield.items), past.map { Double($0.items) }, share)
        compare("bytes", Double(yield.bytes), past.map { Double($0.bytes) }, share)
        for type in Set(past.flatMap(\.types.keys)).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let counts = past.map { Double($0.types[type] ?? 0) }
            // A few strays of a type come and go.
            guard Self.median(counts) * 10 >= items else { continue }
            compare("items of type \(type)", Double(yield.types[type] ?? 0), counts, share)
        }
    }

    private mutating func compare(_ what: String, _ now: Double, _ past: [Double], _ share: Double) {
        let median = Self.median(past)
        guard now < median * (1 - share / 100) else { return }
        let runs = past.count == 1 ? "the last good run brought" : "the median of the last \(past.count) good runs is"
        let percent = Int(exactly: ((median - now) / median * 100).rounded(.down)) ?? 100
        figures.append(
            "\(Self.text(now)) \(what), and \(runs) \(Self.text(median)): \(percent)% fewer, where expect.max-drop "
                + "allows \(Self.text(share))%")
    }

    /// - Parameter values: at least one.
    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    private static func text(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\((value * 10).rounded() / 10)"
    }
}
