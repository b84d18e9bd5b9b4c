/// The addresses in the `url()` of a style sheet or a `style` attribute (CSS Syntax 3, 4.3); comments, strings and
/// broken `url(` tokens hold none.
func styleReferences(_ css: [UInt8]) -> [[UInt8]] {
    guard css.contains(UInt8(ascii: "(")) else { return [] }
    var scanner = StyleScanner(css)
    return scanner.references()
}

private struct StyleScanner {
    private let css: [UInt8]
    private var index = 0

    init(_ css: [UInt8]) { self.css = css }

    mutating func references() -> [[UInt8]] {
        var found: [[UInt8]] = []
        while index < css.count {
            let byte = css[index]
            if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                skipComment()
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                _ = takeString(quote: byte)
            } else if isIdentifier(byte) {
                if takeFunctionURL(), let reference = takeArgument(), !reference.isEmpty { found.append(reference) }
            } else {
                index += 1
            }
        }
        return found
    }

    private func peek(_ distance: Int) -> UInt8? {
        index + distance < css.count ? css[index + distance] : nil
    }

    private func isIdentifier(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return (lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")) || isASCIIDigit(byte) || byte >= 0x80
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "\\")
    }

    private mutating func skipComment() {
        index += 2
        while index < css.count {
            if css[index] == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                index += 2
                return
            }
            index += 1
        }
    }

    /// Takes a whole identifier, and says whether it was `url(`, parenthesis included.
    private mutating func takeFunctionURL() -> Bool {
        var name: [UInt8] = []
        while index < css.count, isIdentifier(css[index]) {
            if css[index] == UInt8(ascii: "\\") {
                name += takeEscape()
            } else {
                name.append(css[index])
                index += 1
            }
        }
        guard equalsIgnoringCase(name, "url"), index < css.count, css[index] == UInt8(ascii: "(") else { return false }
        index += 1
        return true
    }

    /// What stands in the parentheses; nil when it is no address.
    private mutating func takeArgument() -> [UInt8]? {
        skipSpaces()
        guard index < css.count else { return nil }
        if css[index] == UInt8(ascii: "\"") || css[index] == UInt8(ascii: "'") { return takeString(quote: css[index]) }
        var value: [UInt8] = []
        while index < css.count {
            let byte = css[index]
            switch byte {
            case UInt8(ascii: ")"):
                index += 1
                return value
            case _ where isHTMLSpace(byte):
                skipSpaces()
                guard index == css.count || css[index] == UInt8(ascii: ")") else { return skipBadURL() }
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "("), 0x00...0x08, 0x0B, 0x0E...0x1F, 0x7F:
                return skipBadURL()
            case UInt8(ascii: "\\"):
                value += takeEscape()
            default:
                value.append(byte)
                index += 1
            }
        }
        return value
    }

    private mutating func skipSpaces() {
        while index < css.count, isHTMLSpace(css[index]) { index += 1 }
    }

    private mutating func skipBadURL() -> [UInt8]? {
        while index < css.count, css[index] != UInt8(ascii: ")") {
            index += css[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index = min(index + 1, css.count)
        return nil
    }

    /// A string's text; a newline ends it, and then it is none.
    private mutating func takeString(quote: UInt8) -> [UInt8]? {
        index += 1
        var value: [UInt8] = []
        while index < css.count {
            let byte = css[index]
            if byte == quote {
                index += 1
                return value
            }
            if byte == 0x0A || byte == 0x0D || byte == 0x0C { return nil }
            if byte == UInt8(ascii: "\\") {
                value += takeEscape()
            } else {
                value.append(byte)
                index += 1
            }
        }
        return value
    }

    /// A backslash and what it stands for: a code point in hexadecimal, nothing for a newline, else the next byte.
    private mutating func takeEscape() -> [UInt8] {
        index += 1
        guard index < css.count else { return [] }
        var value: UInt32 = 0
        var digits = 0
        while digits < 6, index < css.count, let digit = Character(Unicode.Scalar(css[index])).hexDigitValue {
            value = value &* 16 &+ UInt32(digit)
            digits += 1
            index += 1
        }
        if digits > 0 {
            if index < css.count, isHTMLSpace(css[index]) { index += 1 }
            return Array(String(value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
        }
        let byte = css[index]
        index += 1
        if byte == 0x0D, index < css.count, css[index] == 0x0A { index += 1 }
        return byte == 0x0A || byte == 0x0D || byte == 0x0C ? [] : [byte]
    }
}
