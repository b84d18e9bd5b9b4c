/// A bound that is a number, or a share of something.
package enum Bound: Sendable, Hashable {
    case count(Int)
    /// From 0 to 100.
    case percent(Double)

    package func allows(_ count: Int, of total: Int) -> Bool {
        switch self {
        case .count(let bound): count <= bound
        case .percent(let share): Double(count) * 100 <= Double(total) * share
        }
    }
}

/// When a run that ended by itself is no success all the same.
package struct ExpectRules: Sendable {
    /// Fewest items that a run must download or find unchanged.
    package var minItems = 0
    /// Most percent that links, items, bytes or items of a type may lie below the median of the last good runs.
    package var maxDrop: Double?
    /// Failed items that still count as success; a share is one of all that were to be downloaded.
    package var maxFailed = Bound.count(0)
    /// Most files that `gc` removes of the job at once; a share is one of the files that it has.
    package var maxDelete: Bound?

    package init() {}
}

/// What `gc` leaves of a job; nil keeps all.
package struct KeepRules: Sendable {
    /// Newest bundles of each pack that were handed off.
    package var bundles: Int?
    package var reports: Duration?
    /// Versions of a URL's content that were replaced by newer ones.
    package var versions: Int?
    /// How long a file stays whose source answers 404 or 410.
    package var gone: Duration?

    package init() {}
}
