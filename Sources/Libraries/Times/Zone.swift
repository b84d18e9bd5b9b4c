/// A time zone of the IANA database, as the system's zoneinfo files hold it.
package struct Zone: Sendable {
    /// As it was asked for, such as `Europe/Berlin`.
    package let name: String
    /// When the offset changes, in seconds since 1970, ascending.
    let transitions: [Int64]
    /// The offset east of UTC in seconds, from the transition of the same index on.
    let offsets: [Int]
    /// The offset before the first transition.
    let firstOffset: Int
    /// What holds after the last transition.
    let rule: ZoneRule?

    /// UTC, which needs no files.
    package static let utc = Zone(name: "UTC", transitions: [], offsets: [], firstOffset: 0, rule: nil)

    init(name: String, transitions: [Int64], offsets: [Int], firstOffset: Int, rule: ZoneRule?) {
        self.name = name
        self.transitions = transitions
        self.offsets = offsets
        self.firstOffset = firstOffset
        self.rule = rule
    }

    /// Seconds east of UTC at an instant in seconds since 1970.
    package func offset(at seconds: Double) -> Int { offset(atWhole: wholeSeconds(seconds)) }

    /// What clocks in the zone show at an instant in seconds since 1970.
    package func civil(at seconds: Double) -> CivilTime {
        let whole = wholeSeconds(seconds)
        let offset = offset(atWhole: whole)
        var time = CivilTime(wholeUTC: whole + Int64(offset))
        time.millisecond = CivilTime(utc: seconds).millisecond
        return time
    }

    func offset(atWhole seconds: Int64) -> Int {
        guard let last = transitions.last, seconds < last else {
            if let rule { return rule.offset(at: seconds) }
            return offsets.last ?? firstOffset
        }
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? firstOffset : offsets[low - 1]
    }
}

/// The instants at which clocks in a zone show one time.
package enum ZoneInstants: Sendable, Hashable {
    case one(Int64)
    /// The clocks were set back: the time was shown twice.
    case two(earlier: Int64, later: Int64)
    /// The clocks were set forward over that time, at this instant.
    case none(skippedAt: Int64)
}

extension Zone {
    /// When clocks in the zone show that time, in seconds since 1970; milliseconds are left out.
    package func instants(of time: CivilTime) -> ZoneInstants {
        let local = time.secondsAsUTC
        let possible = Set(offsets + [firstOffset] + (rule?.possibleOffsets ?? []))
        let found = possible.map { local - Int64($0) }.filter { $0 + Int64(offset(atWhole: $0)) == local }.sorted()
        if let first = found.first, let last = found.last {
            return first == last ? .one(first) : .two(earlier: first, later: last)
        }
        var before = local - Int64(possible.max() ?? 0)
        var after = local - Int64(possible.min() ?? 0)
        while before < after {
            let middle = before + (after - before) / 2
            if middle + Int64(offset(atWhole: middle)) > local { after = middle } else { before = middle + 1 }
        }
        return .none(skippedAt: after)
    }
}
