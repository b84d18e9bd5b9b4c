package import Times

/// When an expression's times come, in a zone whose clocks are set forward and back.
///
/// A time that clocks skip comes once, at the end of the gap. A time that they show twice comes once, the first time,
/// unless the expression is one of intervals (`*`, a range or a step in minute or hour): that comes both times. This
/// is the policy of Cronos, and for fixed times that of Vixie cron.
extension CronExpression {
    /// The first occurrence after an instant, in seconds since 1970; nil when there is none, as for 30 February.
    package func next(after instant: Double, in zone: Zone) -> Double? {
        var first = Self.whole(instant.rounded(.down)) + 1
        var stretch = zone.stretch(at: first)
        var match: Int64?
        while true {
            let offset = Int64(stretch.offset)
            var wall = first + offset
            if let start = stretch.start {
                let before = start + Int64(stretch.offsetBefore)
                if first == start, before < start + offset, let skipped = self.wall(from: before),
                    skipped < start + offset
                {
                    return Double(start)
                }
                // What clocks showed before already.
                if !isInterval { wall = max(wall, before) } else if before > start + offset { match = nil }
            }
            guard let found = match ?? self.wall(from: wall) else { return nil }
            guard let end = stretch.end, found - offset >= end else { return Double(found - offset) }
            match = found
            first = end
            stretch = zone.stretch(at: end)
        }
    }

    /// The last occurrence before an instant, in seconds since 1970; nil when there is none.
    package func previous(before instant: Double, in zone: Zone) -> Double? {
        var last = Self.whole(instant.rounded(.up)) - 1
        while true {
            let stretch = zone.stretch(at: last)
            let offset = Int64(stretch.offset)
            guard let found = wall(upTo: last + offset) else { return nil }
            guard let start = stretch.start else { return Double(found - offset) }
            let before = start + Int64(stretch.offsetBefore)
            let lowest = isInterval ? start + offset : max(start + offset, before)
            if found >= lowest { return Double(found - offset) }
            if before <= found, found < start + offset { return Double(start) }
            last = start - 1
        }
    }

    /// Within the years 1 to 9999, whatever comes in.
    private static func whole(_ seconds: Double) -> Int64 {
        seconds.isNaN ? 0 : Int64(min(max(seconds, -62_135_596_800), 253_402_300_799))
    }
}
