/// How a date-stamp is written: `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` and `SSS` (milliseconds) between other text.
///
/// ASCII letters stand only in these groups; everything else is copied as it is.
package struct DatePattern: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case text(String)
        case year, month, day, hour, minute, second, millisecond
    }
    private var parts: [Part] = []

    /// - Throws: where the pattern has a letter that stands for nothing.
    package init(_ pattern: String) throws(DatePatternError) {
        let bytes = Array(pattern.utf8)
        var start = 0
        while start < bytes.count {
            let letter = bytes[start]
            guard DatePattern.isLetter(letter) else {
                let end = bytes[start...].firstIndex(where: DatePattern.isLetter) ?? bytes.count
                parts.append(.text(String(decoding: bytes[start..<end], as: UTF8.self)))
                start = end
                continue
            }
            let end = bytes[start...].firstIndex { $0 != letter } ?? bytes.count
            let group = String(decoding: bytes[start..<end], as: UTF8.self)
            guard let part = DatePattern.part(group) else {
                throw DatePatternError(offset: start, group: group)
            }
            parts.append(part)
            start = end
        }
    }

    /// The stamp of an instant, in seconds since 1970, as clocks in the zone show it.
    package func format(_ seconds: Double, in zone: Zone) -> String { format(zone.civil(at: seconds)) }

    package func format(_ time: CivilTime) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let literal): text += literal
            case .year: appendDigits(time.year, width: 4, to: &text)
            case .month: appendDigits(time.month, width: 2, to: &text)
            case .day: appendDigits(time.day, width: 2, to: &text)
            case .hour: appendDigits(time.hour, width: 2, to: &text)
            case .minute: appendDigits(time.minute, width: 2, to: &text)
            case .second: appendDigits(time.second, width: 2, to: &text)
            case .millisecond: appendDigits(time.millisecond, width: 3, to: &text)
            }
        }
        return text
    }

    private static func part(_ group: String) -> Part? {
        switch group {
        case "yyyy": .year
        case "MM": .month
        case "dd": .day
        case "HH": .hour
        case "mm": .minute
        case "ss": .second
        case "SSS": .millisecond
        default: nil
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }
}

/// A letter or group of letters that no date has.
package struct DatePatternError: Error, Sendable, Hashable {
    /// Where in the pattern, in bytes from 0.
    package let offset: Int
    package let group: String

    package var message: String {
        "\"\(group)\" stands for no part of a date; these do: yyyy, MM (month), dd, HH, mm (minute), ss, SSS"
    }
}
