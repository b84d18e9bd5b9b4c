import Times

/// Which days of a month an expression names.
struct CronDays: Sendable, Hashable {
    private let dates: UInt64
    private let weekdays: UInt64
    private let special: SpecialDays
    private let needsBoth: Bool

    init(month: CronFieldValue, week: CronFieldValue) {
        dates = month.bits
        weekdays = week.bits
        var special = month.days
        special.lastOfWeek = week.days.lastOfWeek
        special.numbered = week.days.numbered
        self.special = special
        needsBoth = month.isStar || week.isStar || special.placesWeekdays
    }

    /// Bit d for each day d of the month.
    func bits(year: Int, month: Int) -> UInt64 {
        let calendar = MonthCalendar(year: year, month: month)
        let byDate = bitsByDate(calendar)
        let byWeekday = bitsByWeekday(calendar)
        return (needsBoth ? byDate & byWeekday : byDate | byWeekday) & calendar.all
    }

    private func bitsByDate(_ calendar: MonthCalendar) -> UInt64 {
        var bits = dates
        for days in members(of: special.beforeLast) where days < calendar.count {
            bits |= 1 << UInt64(calendar.count - days)
        }
        for day in members(of: special.nearWeekday) where day <= calendar.count { bits |= calendar.weekday(near: day) }
        for days in members(of: special.nearBeforeLast) where days < calendar.count {
            bits |= calendar.weekday(near: calendar.count - days)
        }
        return bits
    }

    private func bitsByWeekday(_ calendar: MonthCalendar) -> UInt64 {
        var bits: UInt64 = 0
        for weekday in members(of: weekdays) { bits |= calendar.every(weekday) }
        guard special.placesWeekdays else { return bits }
        for weekday in members(of: special.lastOfWeek) {
            bits |= 1 << UInt64(63 - calendar.every(weekday).leadingZeroBitCount)
        }
        for (index, set) in special.numbered.enumerated() {
            for weekday in members(of: set) { bits |= 1 << UInt64(calendar.first(weekday) + 7 * index) }
        }
        return bits
    }
}

/// A month's days and their weekdays.
private struct MonthCalendar {
    let count: Int
    private let firstWeekday: Int

    init(year: Int, month: Int) {
        count = CivilTime.days(inMonth: month, year: year)
        firstWeekday = CivilTime(year: year, month: month, day: 1).weekday
    }

    /// Bits 1 to the last day.
    var all: UInt64 { (1 << UInt64(count + 1)) - 2 }

    func first(_ weekday: Int) -> Int { 1 + (weekday - firstWeekday + 7) % 7 }

    func every(_ weekday: Int) -> UInt64 { (0x1020_4081 << UInt64(first(weekday))) & all }

    /// The bit of the day from Monday to Friday nearest to a day, within the month.
    func weekday(near day: Int) -> UInt64 {
        switch (firstWeekday + day - 1) % 7 {
        case 6: 1 << UInt64(day > 1 ? day - 1 : day + 2)
        case 0: 1 << UInt64(day < count ? day + 1 : day - 2)
        default: 1 << UInt64(day)
        }
    }
}

/// The numbers of a set's bits, ascending.
private func members(of set: UInt64) -> some Sequence<Int> {
    sequence(state: set) { rest -> Int? in
        guard rest != 0 else { return nil }
        defer { rest &= rest - 1 }
        return rest.trailingZeroBitCount
    }
}
