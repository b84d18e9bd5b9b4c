/// Text from anywhere, made safe for a terminal, a log or a message: control, escape and bidirectional characters are
/// written as `\u{...}`, line ends as `\n`.
package func shown(_ text: String) -> String {
    if text.utf8.withContiguousStorageIfAvailable({ $0.allSatisfy { $0 >= 0x20 && $0 < 0x7f } }) == true {
        return text
    }
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        if scalar == "\n" {
            result += "\\n"
        } else if isUnsafe(scalar) {
            result += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}

private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    default: false
    }
}

/// A count of bytes for people: `1.5 MiB`.
package func shown(bytes: Int64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    guard bytes >= 1024 else { return "\(bytes) B" }
    var value = Double(bytes) / 1024
    var unit = 0
    while value >= 1023.95 && unit + 1 < units.count {
        value /= 1024
        unit += 1
    }
    let tenths = Int64((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
}

/// A rate for people, in bytes a second, whatever a report says of both.
package func shown(bytes: Int64, in seconds: Double) -> String {
    let rate = seconds > 0 ? (Double(bytes) / seconds).rounded(.down) : 0
    return "\(shown(bytes: Int64(exactly: rate) ?? (rate > 0 ? .max : 0)))/s"
}

/// A span of time for people: `12.3 s`, `4 min 5 s`, `2 h 3 min`.
package func shown(seconds: Double) -> String {
    let tenths = Int64(exactly: (max(seconds, 0) * 10).rounded()) ?? 0
    let whole = tenths / 10
    if whole < 60 { return "\(whole).\(tenths % 10) s" }
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
}

/// `1 page`, `2 pages`.
package func shown(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
