/// The time of `26h` or `7d`, as manifests write it.
/// - Returns: nil for what is none.
package func parseDuration(_ text: String) -> Duration? { try? Units.duration(text) }

/// Amounts with a unit as manifests write them.
enum Units {
    /// Bytes by unit: powers of 1000 with SI prefixes, powers of 1024 with IEC's (IEC 80000-13). Case does not matter.
    static let sizes: [(name: String, factor: Int64)] = [
        ("B", 1), ("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]

    /// Milliseconds by unit. `m` is a minute.
    static let durations: [(name: String, factor: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// What an amount could not be read for: words that go behind a message.
    struct Refusal: Error {
        let hint: String
    }

    /// Bytes of `2GiB`, `1.5 MB` or `4096`.
    static func size(_ text: String) throws(Refusal) -> Int64 {
        let (number, unit) = try split(text)
        if unit.isEmpty { return try amount(number, times: 1, of: "B") }
        if let known = sizes.first(where: { $0.name.lowercased() == unit.lowercased() }) {
            return try amount(number, times: known.factor, of: known.name)
        }
        if ["k", "m", "g", "t"].contains(unit.lowercased()) {
            let letter = unit.uppercased()
            let decimal = letter == "K" ? "k" : letter
            throw Refusal(
                hint: "write \(number)\(decimal)B for powers of 1000 or \(number)\(letter)iB for powers of 1024")
        }
        throw Refusal(hint: "there is no unit \(quoted(unit)); units are \(list(sizes))")
    }

    /// The time of `200ms`, `1.5h` or `7d`.
    static func duration(_ text: String) throws(Refusal) -> Duration {
        let (number, unit) = try split(text)
        guard !unit.isEmpty else { throw Refusal(hint: "say the unit: \(number)s for seconds, \(number)m for minutes") }
        guard let known = durations.first(where: { $0.name == unit }) else {
            let hint = Spelling.meant(unit).map { "write \(number)\($0)" } ?? "units are \(list(durations))"
            throw Refusal(hint: "there is no unit \(quoted(unit)); \(hint)")
        }
        return .milliseconds(try amount(number, times: known.factor, of: known.name))
    }

    private static func list(_ units: [(name: String, factor: Int64)]) -> String {
        units.map(\.name).joined(separator: ", ")
    }

    /// Digits with at most one point, then a unit that may be empty; one space may stand between.
    private static func split(_ text: String) throws(Refusal) -> (number: String, unit: String) {
        let bytes = Array(text.utf8)
        let end = bytes.firstIndex { !($0 >= 0x30 && $0 <= 0x39 || $0 == UInt8(ascii: ".")) } ?? bytes.count
        guard end > 0, bytes[0] != UInt8(ascii: ".") else { throw Refusal(hint: "begin with a number, such as 15") }
        var unit = bytes[end...]
        if unit.first == UInt8(ascii: " ") { unit = unit.dropFirst() }
        return (String(decoding: bytes[..<end], as: UTF8.self), String(decoding: unit, as: UTF8.self))
    }

    /// A decimal number times a factor, without rounding: what would leave a fraction is refused.
    private static func amount(_ number: String, times factor: Int64, of unit: String) throws(Refusal) -> Int64 {
        let parts = number.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let digits = parts.flatMap { $0 }
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else {
            throw Refusal(hint: "\(quoted(number)) is no number")
        }
        var value: Int64 = 0
        for digit in digits {
            let (tens, overflowed) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowedToo) = tens.addingReportingOverflow(Int64(digit) - 0x30)
            guard !overflowed, !overflowedToo else { throw Refusal(hint: "the number is too large") }
            value = sum
        }
        var divisor: Int64 = 1
        for _ in 0..<(parts.count == 2 ? parts[1].count : 0) {
            let (next, overflowed) = divisor.multipliedReportingOverflow(by: 10)
            guard !overflowed else { throw Refusal(hint: "the fraction is too long") }
            divisor = next
        }
        let (whole, overflowed) = value.multipliedReportingOverflow(by: factor)
        guard !overflowed else { throw Refusal(hint: "the number is too large") }
        guard whole % divisor == 0 else {
            throw Refusal(hint: "\(number)\(unit) is no whole number of the smallest unit")
        }
        return whole / divisor
    }
}

extension Spelling {
    /// The unit of time that somebody means who writes it otherwise.
    static func meant(_ unit: String) -> String? {
        switch unit.lowercased() {
        case "sec", "secs", "second", "seconds": "s"
        case "min", "mins", "minute", "minutes": "m"
        case "hour", "hours", "hr", "hrs": "h"
        case "day", "days": "d"
        case "msec", "millisecond", "milliseconds": "ms"
        default: Units.durations.first { $0.name == unit.lowercased() }?.name
        }
    }
}
