/// Something wrong with a manifest, told with its place.
package struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Severity: String, Sendable, Hashable {
        case error, warning
    }
    /// The manifest's path as it was given.
    package var file: String
    /// From 1; what concerns the file as a whole stands at 1:1.
    package var line: Int
    /// From 1, in Unicode scalars.
    package var column: Int
    package var severity: Severity
    /// What is wrong and what would be right; safe for a terminal.
    package var message: String

    package init(file: String, line: Int = 1, column: Int = 1, severity: Severity = .error, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.severity = severity
        self.message = visible(message)
    }

    /// `file:line:column: error: message`, safe for a terminal.
    package var description: String {
        "\(visible(file)):\(line):\(column): \(severity.rawValue): \(message)"
    }
}

/// Text with everything escaped that could move a terminal's cursor, change its state or reorder what people see.
func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isTreacherous) else { return text }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        if isTreacherous(scalar) {
            shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
        } else {
            shown.append(scalar)
        }
    }
    return String(shown)
}

/// A manifest author's text as a message quotes it: in single quotes, cut where it is long.
func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars
    return scalars.count > 60 ? "'\(String(scalars.prefix(60)))...'" : "'\(text)'"
}

/// Controls, line and paragraph separators, and what changes direction or hides (Unicode's bidi and format characters).
private func isTreacherous(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xE0000...0xE007F:
        true
    default: false
    }
}
