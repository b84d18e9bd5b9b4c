/// Timestamps of reports, logs and command lines: RFC 3339.
package enum RFC3339 {
    /// `2026-11-30T08:00:00Z`, always in UTC, rounded down.
    /// - Parameter milliseconds: adds `.123` before the `Z`.
    package static func format(_ seconds: Double, milliseconds: Bool = false) -> String {
        let time = CivilTime(utc: seconds)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        func append(_ number: Int, width: Int, before mark: Unicode.Scalar) {
            appendDigits(number, width: width, to: &bytes)
            bytes.append(UInt8(ascii: mark))
        }
        append(time.year, width: 4, before: "-")
        append(time.month, width: 2, before: "-")
        append(time.day, width: 2, before: "T")
        append(time.hour, width: 2, before: ":")
        append(time.minute, width: 2, before: ":")
        append(time.second, width: 2, before: milliseconds ? "." : "Z")
        if milliseconds { append(time.millisecond, width: 3, before: "Z") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Seconds since 1970; nil when the text is not of RFC 3339, section 5.6, or names no real date.
    /// A leap second counts as the second after it; `t`, `z` and a blank for the `T` are taken.
    package static func parse(_ text: String) -> Double? {
        var scanner = ByteScanner(text.utf8)
        guard let year = scanner.number(digits: 4...4), scanner.skip("-"),
            let month = scanner.number(digits: 2...2), scanner.skip("-"),
            let day = scanner.number(digits: 2...2),
            scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let hour = scanner.number(digits: 2...2), scanner.skip(":"),
            let minute = scanner.number(digits: 2...2), scanner.skip(":"),
            let second = scanner.number(digits: 2...2), second <= 60
        else { return nil }
        let time = CivilTime(
            year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59))
        guard time.isValid, let fraction = fraction(&scanner), let offset = offset(&scanner), scanner.isAtEnd else {
            return nil
        }
        return Double(time.secondsAsUTC + (second == 60 ? 1 : 0) - Int64(offset)) + fraction
    }

    private static func fraction(_ scanner: inout ByteScanner) -> Double? {
        guard scanner.skip(".") else { return 0 }
        let digits = scanner.take { $0 >= 48 && $0 <= 57 }
        guard !digits.isEmpty else { return nil }
        var scale = 1.0
        var value = 0.0
        for digit in digits.prefix(9) {
            value = value * 10 + Double(digit - 48)
            scale *= 10
        }
        return value / scale
    }

    private static func offset(_ scanner: inout ByteScanner) -> Int? {
        if scanner.skip("Z") || scanner.skip("z") { return 0 }
        let isWest = scanner.skip("-")
        guard isWest || scanner.skip("+"), let hours = scanner.number(digits: 2...2), hours <= 23,
            scanner.skip(":"), let minutes = scanner.number(digits: 2...2), minutes <= 59
        else { return nil }
        return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
}
