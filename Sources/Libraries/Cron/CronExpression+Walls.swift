import Times

/// Where an expression matches on a clock on the wall, which knows no zone. Times are seconds as if it showed UTC.
extension CronExpression {
    /// More than the 40 years that lie between two 29ths of February on one weekday around 2100, the rarest there is.
    static let horizon = 100

    /// The first match at that time or later; nil when there is none in a hundred years or before the year 10000.
    func wall(from seconds: Int64) -> Int64? {
        let minute = quotient(seconds + 59, 60)
        let day = quotient(minute, 1440)
        let time = Int(minute - day * 1440)
        if hasDay(day), let time = self.time(from: time) { return (day * 1440 + Int64(time)) * 60 }
        guard let next = self.day(after: day), let time = self.time(from: 0) else { return nil }
        return (next * 1440 + Int64(time)) * 60
    }

    /// The last match at that time or earlier; nil when there is none in a hundred years or since the year 0.
    func wall(upTo seconds: Int64) -> Int64? {
        let minute = quotient(seconds, 60)
        let day = quotient(minute, 1440)
        let time = Int(minute - day * 1440)
        if hasDay(day), let time = self.time(upTo: time) { return (day * 1440 + Int64(time)) * 60 }
        guard let last = self.day(before: day), let time = self.time(upTo: 1439) else { return nil }
        return (last * 1440 + Int64(time)) * 60
    }

    private func hasDay(_ day: Int64) -> Bool {
        let date = CivilTime.date(ofDay: Int(day))
        guard (0...9999).contains(date.year), months & 1 << UInt64(date.month) != 0 else { return false }
        return days.bits(year: date.year, month: date.month) & 1 << UInt64(date.day) != 0
    }

    /// Minutes since midnight.
    private func time(from minute: Int) -> Int? {
        let (hour, rest) = (minute / 60, minute % 60)
        if hours & 1 << UInt64(hour) != 0, let found = least(minutes, atLeast: rest) { return hour * 60 + found }
        guard let next = least(hours, atLeast: hour + 1), let first = least(minutes, atLeast: 0) else { return nil }
        return next * 60 + first
    }

    private func time(upTo minute: Int) -> Int? {
        let (hour, rest) = (minute / 60, minute % 60)
        if hours & 1 << UInt64(hour) != 0, let found = greatest(minutes, atMost: rest) { return hour * 60 + found }
        guard let last = greatest(hours, atMost: hour - 1), let end = greatest(minutes, atMost: 59) else { return nil }
        return last * 60 + end
    }

    private func day(after day: Int64) -> Int64? {
        var (year, month, date) = CivilTime.date(ofDay: Int(day))
        let end = min(year + Self.horizon, 9999)
        while year <= end {
            if months & 1 << UInt64(month) != 0,
                let found = least(days.bits(year: year, month: month), atLeast: date + 1)
            {
                return Int64(CivilTime.dayNumber(year: year, month: month, day: found))
            }
            date = 0
            (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
        }
        return nil
    }

    private func day(before day: Int64) -> Int64? {
        var (year, month, date) = CivilTime.date(ofDay: Int(day))
        let end = max(year - Self.horizon, 0)
        while year >= end {
            if months & 1 << UInt64(month) != 0,
                let found = greatest(days.bits(year: year, month: month), atMost: date - 1)
            {
                return Int64(CivilTime.dayNumber(year: year, month: month, day: found))
            }
            date = 32
            (year, month) = month == 1 ? (year - 1, 12) : (year, month - 1)
        }
        return nil
    }
}

/// Rounded down.
private func quotient(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
}

private func least(_ set: UInt64, atLeast bound: Int) -> Int? {
    let rest = bound > 63 ? 0 : set & (UInt64.max << UInt64(bound))
    return rest == 0 ? nil : rest.trailingZeroBitCount
}

private func greatest(_ set: UInt64, atMost bound: Int) -> Int? {
    let rest = bound < 0 ? 0 : set & (UInt64.max >> UInt64(63 - min(bound, 63)))
    return rest == 0 ? nil : 63 - rest.leadingZeroBitCount
}
