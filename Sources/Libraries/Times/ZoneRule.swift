/// What a zone does after its last recorded change: the POSIX TZ string of a zoneinfo file's footer
/// (RFC 9636, section 3.3; POSIX.1-2017, 8.3), such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Sendable, Hashable {
    struct Summer: Sendable, Hashable {
        var offset: Int
        var start: YearDay
        var end: YearDay
    }
    var standard: Int
    var summer: Summer?

    var possibleOffsets: [Int] { [standard] + (summer.map { [$0.offset] } ?? []) }

    init?(_ text: [UInt8]) {
        var scanner = ByteScanner(text)
        guard ZoneRule.skipName(&scanner), let west = ZoneRule.clock(&scanner) else { return nil }
        standard = -west
        guard !scanner.isAtEnd else { return }
        guard ZoneRule.skipName(&scanner) else { return nil }
        var offset = standard + 3600
        if scanner.next != UInt8(ascii: ",") {
            guard let west = ZoneRule.clock(&scanner) else { return nil }
            offset = -west
        }
        guard scanner.skip(","), let start = YearDay(&scanner), scanner.skip(","), let end = YearDay(&scanner),
            scanner.isAtEnd
        else { return nil }
        summer = Summer(offset: offset, start: start, end: end)
    }

    func offset(at seconds: Int64) -> Int {
        guard let summer else { return standard }
        let year = CivilTime(wholeUTC: seconds + Int64(standard)).year
        var current = (instant: Int64.min, isSummer: false)
        // A change may fall just outside its year in UTC, so the neighbouring years count too. At the same instant
        // a start wins over an end: that is how a rule says that summer never ends.
        for year in (year - 1)...(year + 1) {
            let start = summer.start.seconds(in: year) - Int64(standard)
            let end = summer.end.seconds(in: year) - Int64(summer.offset)
            for (instant, isSummer) in [(end, false), (start, true)] where instant <= seconds {
                if instant > current.instant || (instant == current.instant && isSummer) {
                    current = (instant, isSummer)
                }
            }
        }
        return current.isSummer ? summer.offset : standard
    }

    private static func skipName(_ scanner: inout ByteScanner) -> Bool {
        if scanner.skip("<") {
            return !scanner.take { $0 != UInt8(ascii: ">") }.isEmpty && scanner.skip(">")
        }
        return !scanner.take { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }.isEmpty
    }

    /// `[+-]hh[:mm[:ss]]` in seconds; hours go up to 167 in footers of version 3.
    fileprivate static func clock(_ scanner: inout ByteScanner) -> Int? {
        let isNegative = scanner.skip("-")
        if !isNegative { _ = scanner.skip("+") }
        guard let hours = scanner.number(digits: 1...3), hours <= 167 else { return nil }
        var seconds = hours * 3600
        if scanner.skip(":") {
            guard let minutes = scanner.number(digits: 2...2), minutes < 60 else { return nil }
            seconds += minutes * 60
            if scanner.skip(":") {
                guard let rest = scanner.number(digits: 2...2), rest < 60 else { return nil }
                seconds += rest
            }
        }
        return isNegative ? -seconds : seconds
    }
}

/// A day that comes every year, and a time on it.
struct YearDay: Sendable, Hashable {
    private enum Day: Sendable, Hashable {
        /// 1 to 365; the leap day has no number.
        case julian(Int)
        /// From 0, the leap day counted.
        case ordinal(Int)
        /// Weekday 0 to 6 of week 1 to 5 (the last) of a month.
        case weekday(month: Int, week: Int, day: Int)
    }
    private var day: Day
    private var time = 7200

    init?(_ scanner: inout ByteScanner) {
        if scanner.skip("M") {
            guard let month = scanner.number(digits: 1...2), (1...12).contains(month), scanner.skip("."),
                let week = scanner.number(digits: 1...1), (1...5).contains(week), scanner.skip("."),
                let weekday = scanner.number(digits: 1...1), weekday <= 6
            else { return nil }
            day = .weekday(month: month, week: week, day: weekday)
        } else if scanner.skip("J") {
            guard let number = scanner.number(digits: 1...3), (1...365).contains(number) else { return nil }
            day = .julian(number)
        } else {
            guard let number = scanner.number(digits: 1...3), number <= 365 else { return nil }
            day = .ordinal(number)
        }
        guard scanner.skip("/") else { return }
        guard let time = ZoneRule.clock(&scanner) else { return nil }
        self.time = time
    }

    /// The local time, as seconds since 1970 in a zone of offset 0.
    func seconds(in year: Int) -> Int64 { Int64(dayNumber(in: year)) * 86400 + Int64(time) }

    private func dayNumber(in year: Int) -> Int {
        let newYear = CivilTime.dayNumber(year: year, month: 1, day: 1)
        switch day {
        case .julian(let number): return newYear + number - (CivilTime.isLeap(year) && number >= 60 ? 0 : 1)
        case .ordinal(let number): return newYear + number
        case .weekday(let month, let week, let weekday):
            let first = CivilTime(year: year, month: month, day: 1)
            var date = 1 + (weekday - first.weekday + 7) % 7 + (week - 1) * 7
            if date > CivilTime.days(inMonth: month, year: year) { date -= 7 }
            return first.dayNumber + date - 1
        }
    }
}
