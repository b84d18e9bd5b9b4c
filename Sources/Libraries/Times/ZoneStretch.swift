/// A time through which a zone keeps one offset.
package struct ZoneStretch: Sendable, Hashable {
    /// Its first second; nil when it has no beginning.
    package let start: Int64?
    /// The first second after it; nil when it never ends.
    package let end: Int64?
    /// Seconds east of UTC.
    package let offset: Int
    /// The offset that held until `start`; may equal `offset` where only the zone's abbreviation changed.
    package let offsetBefore: Int
}

extension Zone {
    /// The stretch that an instant in seconds since 1970 lies in. Beyond the year 9999 nothing changes any more.
    package func stretch(at seconds: Int64) -> ZoneStretch {
        let seconds = wholeSeconds(Double(seconds))
        let (start, end) = changes(around: seconds)
        let offset = offset(atWhole: seconds)
        return ZoneStretch(
            start: start, end: end, offset: offset, offsetBefore: start.map { self.offset(atWhole: $0 - 1) } ?? offset)
    }

    /// The last change at that instant or before it, and the first one after it.
    private func changes(around seconds: Int64) -> (Int64?, Int64?) {
        if let last = transitions.last, seconds < last {
            var low = 0
            var high = transitions.count
            while low < high {
                let middle = (low + high) / 2
                if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
            }
            return (low == 0 ? nil : transitions[low - 1], transitions[low])
        }
        var (start, end) = (transitions.last, Int64?.none)
        for change in rule?.changes(around: seconds) ?? [] where change > transitions.last ?? .min {
            if change <= seconds { start = max(start ?? change, change) } else { end = min(end ?? change, change) }
        }
        return (start, end)
    }
}

extension ZoneRule {
    /// The beginnings and ends of summer in the year of an instant and in those beside it, in no order.
    func changes(around seconds: Int64) -> [Int64] {
        guard let summer else { return [] }
        let year = CivilTime(wholeUTC: seconds + Int64(standard)).year
        return ((year - 1)...(year + 1)).flatMap { year in
            [summer.start.seconds(in: year) - Int64(standard), summer.end.seconds(in: year) - Int64(summer.offset)]
        }
    }
}
