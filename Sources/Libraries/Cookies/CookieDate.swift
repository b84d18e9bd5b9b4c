import Times

/// Dates of cookies: RFC 6265bis, 5.1.1, which takes nearly anything that was ever seen in one.
enum CookieDate {
    private static let months: [StaticString] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Seconds since 1970; nil for what is no date. The zone is not looked at: all is UTC.
    static func parse(_ text: ArraySlice<UInt8>) -> Double? {
        var time: (hour: Int, minute: Int, second: Int)?
        var (day, month, year): (Int?, Int?, Int?)
        for slice in text.split(whereSeparator: isDelimiter) {
            let token = Array(slice)
            if time == nil, let found = self.time(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = self.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
        let date = CivilTime(
            year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
        return year >= 1601 && date.isValid ? Double(date.secondsAsUTC) : nil
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2f, 0x3b...0x40, 0x5b...0x60, 0x7b...0x7e: true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// The digits at the beginning, if there are so many and no more; what follows them is no digit and does not matter.
    private static func number(_ token: [UInt8], digits: ClosedRange<Int>) -> Int? {
        let found = token.prefix(while: isDigit)
        guard digits.contains(found.count) else { return nil }
        return found.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func time(_ token: [UInt8]) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[..<2].allSatisfy({ $0.allSatisfy(isDigit) }),
            let hour = number(Array(parts[0]), digits: 1...2), let minute = number(Array(parts[1]), digits: 1...2),
            let second = number(Array(parts[2]), digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func month(_ token: [UInt8]) -> Int? {
        guard token.count >= 3 else { return nil }
        let letters = String(decoding: token.prefix(3).map(lowercased), as: UTF8.self)
        return months.firstIndex { "\($0)" == letters }.map { $0 + 1 }
    }
}
