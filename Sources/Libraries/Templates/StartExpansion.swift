package import Times

/// `1..20` or `01..20`: from low to high, padded with zeros to the width of its longer end where an end starts with 0.
struct NumberRange: Sendable, Hashable {
    let first: Int
    let last: Int
    let width: Int

    init?(_ text: String) {
        let ends = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        guard ends.count == 3, ends[1].isEmpty, let first = NumberRange.number(ends[0]),
            let last = NumberRange.number(ends[2]), first <= last
        else { return nil }
        self.first = first
        self.last = last
        let isPadded = [ends[0], ends[2]].contains { $0.count > 1 && $0.first == UInt8(ascii: "0") }
        width = isPadded ? max(ends[0].count, ends[2].count) : 0
    }

    var count: Int { last - first + 1 }

    func text(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard (1...9).contains(digits.count), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}

/// `yyyyMMdd-1d`: a date's pattern, and how far from the run the date lies.
struct DateField: Sendable, Hashable {
    var pattern: String
    var days = 0
    var hours = 0

    init(_ argument: String) {
        pattern = argument
        let bytes = Array(argument.utf8)
        guard let unit = bytes.last, unit == UInt8(ascii: "d") || unit == UInt8(ascii: "h"),
            let sign = bytes.lastIndex(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }),
            (1...6).contains(bytes.count - sign - 2),
            let amount = Int(String(decoding: bytes[sign..<(bytes.count - 1)], as: UTF8.self))
        else { return }
        pattern = String(decoding: bytes[..<sign], as: UTF8.self)
        if unit == UInt8(ascii: "d") { days = amount } else { hours = amount }
    }

    /// Days are days of the calendar, so that `-1d` is yesterday also when the clocks were changed in between.
    func text(at seconds: Double, in zone: Zone) -> String {
        guard let pattern = try? DatePattern(pattern) else { return "" }
        return pattern.format(zone.civil(at: seconds + Double(hours) * 3600).adding(days: days))
    }
}

enum StartExpansion {
    /// Most URLs that one template may stand for.
    static let limit = 100_000

    /// What the parts of a template together must hold: a bound, and no repeat of a range that is not there.
    static func check(_ parts: [Template.Part]) throws(TemplateError) {
        var total = 1
        var hasRange = false
        for case .field("n", let argument) in parts {
            guard let argument else {
                guard hasRange else {
                    throw TemplateError(
                        offset: 0, message: "{n} repeats the range before it; the first needs one, such as {n:1..20}")
                }
                continue
            }
            hasRange = true
            total *= min(NumberRange(argument)?.count ?? 1, limit + 1)
            guard total <= limit else {
                throw TemplateError(offset: 0, message: "the ranges make more than \(limit) URLs; split the job")
            }
        }
    }
}

extension Template {
    /// Every text that a template of start URLs stands for; the last range runs fastest. At most 100,000.
    /// - Parameter seconds: since 1970, the instant that dates are of.
    package func expandedStart(at seconds: Double, in zone: Zone) -> [String] {
        let ranges = parts.compactMap { part -> NumberRange? in
            guard case .field("n", let argument?) = part else { return nil }
            return NumberRange(argument)
        }
        var numbers = ranges.map(\.first)
        var texts: [String] = []
        while texts.count < StartExpansion.limit {
            var index = -1
            texts.append(
                render { field, argument in
                    if field == "date" { return DateField(argument ?? "yyyyMMddHHmmss").text(at: seconds, in: zone) }
                    if argument != nil { index += 1 }
                    return ranges.indices.contains(index) ? ranges[index].text(numbers[index]) : ""
                })
            guard let step = numbers.indices.last(where: { numbers[$0] < ranges[$0].last }) else { break }
            numbers[step] += 1
            for index in (step + 1)..<numbers.count { numbers[index] = ranges[index].first }
        }
        return texts
    }
}
