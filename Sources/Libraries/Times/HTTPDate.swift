/// Dates of HTTP fields: RFC 9110, section 5.6.7.
package enum HTTPDate {
    private static let days: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let longDays: [StaticString] = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, rounded down to the second.
    package static func format(_ seconds: Double) -> String {
        let time = CivilTime(utc: seconds)
        var text = "\(days[time.weekday]), "
        appendDigits(time.day, width: 2, to: &text)
        text += " \(months[time.month - 1]) "
        appendDigits(time.year, width: 4, to: &text)
        for (separator, value) in [(" ", time.hour), (":", time.minute), (":", time.second)] {
            text += separator
            appendDigits(value, width: 2, to: &text)
        }
        return text + " GMT"
    }

    /// Seconds since 1970 of any of the three forms; nil when it is none of them or names no real date.
    /// A wrong day of the week is overlooked, since the rest is complete without it; so are a day of one digit and UTC for
    /// GMT, which can mean nothing else. A leap second counts as the second after it.
    /// - Parameter now: seconds since 1970; a two-digit year (RFC 850 form) that would lie more than 50 years
    ///   after it is taken as the most recent past year with those digits.
    package static func parse(_ text: String, now: Double = currentTime()) -> Double? {
        var scanner = ByteScanner(text.utf8)
        _ = scanner.take { $0 == 0x20 || $0 == 0x09 }
        let isLong = skipOne(of: longDays, &scanner) != nil
        guard isLong || skipOne(of: days, &scanner) != nil else { return nil }
        let time: CivilTime?
        if scanner.skip(", ") {
            time = dayFirst(&scanner, isLong: isLong, now: now)
        } else {
            time = scanner.skip(" ") && !isLong ? asctime(&scanner) : nil
        }
        _ = scanner.take { $0 == 0x20 || $0 == 0x09 }
        guard var time, time.year > 0, scanner.isAtEnd else { return nil }
        let leap: Int64 = time.second == 60 ? 1 : 0
        time.second -= Int(leap)
        return time.isValid ? Double(time.secondsAsUTC + leap) : nil
    }

    /// `06 Nov 1994 08:49:37 GMT` or `06-Nov-94 08:49:37 GMT`.
    private static func dayFirst(_ scanner: inout ByteScanner, isLong: Bool, now: Double) -> CivilTime? {
        guard let day = scanner.number(digits: 1...2) else { return nil }
        let isDashed = scanner.skip("-")
        guard isDashed || scanner.skip(" "), let month = skipOne(of: months, &scanner),
            isDashed ? scanner.skip("-") : scanner.skip(" ")
        else { return nil }
        let year: Int?
        if isDashed, isLong {
            year = scanner.number(digits: 2...2)
        } else {
            year = isDashed || isLong ? nil : scanner.number(digits: 4...4)
        }
        guard let year, scanner.skip(" "), let clock = clock(&scanner), scanner.skip(" GMT") || scanner.skip(" UTC")
        else { return nil }
        let time = CivilTime(
            year: year, month: month + 1, day: day, hour: clock.hour, minute: clock.minute, second: clock.second)
        return isLong ? within50Years(time, of: now) : time
    }

    /// `Nov  6 08:49:37 1994`.
    private static func asctime(_ scanner: inout ByteScanner) -> CivilTime? {
        guard let month = skipOne(of: months, &scanner), scanner.skip(" ") else { return nil }
        let day = scanner.skip(" ") ? scanner.number(digits: 1...1) : scanner.number(digits: 2...2)
        guard let day, scanner.skip(" "), let clock = clock(&scanner), scanner.skip(" "),
            let year = scanner.number(digits: 4...4)
        else { return nil }
        return CivilTime(
            year: year, month: month + 1, day: day, hour: clock.hour, minute: clock.minute, second: clock.second)
    }

    private static func clock(_ scanner: inout ByteScanner) -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = scanner.number(digits: 2...2), scanner.skip(":"),
            let minute = scanner.number(digits: 2...2), scanner.skip(":"),
            let second = scanner.number(digits: 2...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// The last year with these digits in which the time is no more than 50 years ahead, to the second.
    private static func within50Years(_ time: CivilTime, of now: Double) -> CivilTime {
        let today = CivilTime(utc: now)
        func order(_ time: CivilTime) -> Int {
            // Like digits of a number: no two times that differ share it, whatever the length of a month.
            (((time.month * 32 + time.day) * 24 + time.hour) * 60 + time.minute) * 61 + time.second
        }
        var time = time
        let latest = today.year + 50 - (order(time) > order(today) ? 1 : 0)
        time.year = latest - ((latest - time.year) % 100 + 100) % 100
        return time
    }

    private static func skipOne(of words: [StaticString], _ scanner: inout ByteScanner) -> Int? {
        words.firstIndex { scanner.skip($0) }
    }
}
