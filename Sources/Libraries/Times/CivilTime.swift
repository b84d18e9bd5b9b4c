/// A date and time of day in the proleptic Gregorian calendar, without a zone.
package struct CivilTime: Sendable, Hashable {
    package var year: Int
    /// 1 to 12.
    package var month: Int
    /// 1 to 31.
    package var day: Int
    package var hour = 0
    package var minute = 0
    package var second = 0
    package var millisecond = 0

    package init(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, millisecond: Int = 0
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.millisecond = millisecond
    }

    /// What a clock set to UTC shows at that many seconds since 1970; the years are kept within 0000 to 9999.
    package init(utc seconds: Double) {
        let whole = wholeSeconds(seconds)
        self.init(wholeUTC: whole)
        let fraction = seconds - Double(whole)
        millisecond = fraction > 0 && fraction < 1 ? Int(fraction * 1000) : 0
    }

    init(wholeUTC seconds: Int64) {
        let days = Int((seconds - (seconds % 86400 + 86400) % 86400) / 86400)
        let rest = Int(seconds) - days * 86400
        let date = CivilTime.date(ofDay: days)
        self.init(
            year: date.year, month: date.month, day: date.day,
            hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60)
    }

    /// Seconds since 1970 if this were UTC, without the milliseconds.
    package var secondsAsUTC: Int64 {
        Int64(dayNumber) * 86400 + Int64(hour * 3600 + minute * 60 + second)
    }

    /// Days since 1970-01-01. Days beyond the month's end run on into the next month.
    package var dayNumber: Int { CivilTime.dayNumber(year: year, month: month, day: day) }

    /// 0 for Sunday to 6 for Saturday.
    package var weekday: Int { ((dayNumber + 4) % 7 + 7) % 7 }

    /// The same time of day that many days later (earlier when negative), within the years 0000 to 9999.
    package func adding(days: Int) -> CivilTime {
        var shifted = self
        let day = min(max(dayNumber + min(max(days, -4_000_000), 4_000_000), -719_528), 2_932_896)
        (shifted.year, shifted.month, shifted.day) = CivilTime.date(ofDay: day)
        return shifted
    }

    /// True when month, day and time of day exist; a second of 60 is not taken.
    package var isValid: Bool {
        (1...12).contains(month) && day >= 1 && day <= CivilTime.days(inMonth: month, year: year)
            && (0...23).contains(hour) && (0...59).contains(minute) && (0...59).contains(second)
            && (0...9999).contains(year)
    }

    package static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    package static func days(inMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01, by counting years from March so that the leap day comes last.
    package static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    package static func date(ofDay number: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
