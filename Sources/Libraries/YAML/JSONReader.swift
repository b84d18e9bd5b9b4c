/// Reads strict JSON (RFC 8259) without recursion: what `.json` promises other programs, YAML's leniency must not break.
struct JSONReader {
    private let bytes: ArraySlice<UInt8>
    private var place: Int
    private var position = SourcePosition.start
    private(set) var tree = TreeBuilder()
    /// True for an object, false for an array, from the outside in.
    private var open: [Bool] = []

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    private static let ends = Array(" \t\r\n,:[]{}\"".utf8)
    private static let escapes: [UInt8: Unicode.Scalar] = [
        0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r", 0x74: "\t",
    ]

    private enum Expected {
        case value
        case firstValueOrEnd
        case firstKeyOrEnd
        case key
        case commaOrEnd
    }

    mutating func read() {
        skipBlanks()
        guard place < bytes.endIndex else { return }
        var expected = Expected.value
        repeat {
            skipBlanks()
            expected = step(expected)
        } while !tree.isStopped && !(open.isEmpty && expected == .commaOrEnd)
        skipBlanks()
        if place < bytes.endIndex { fail("the JSON value has ended; nothing may follow it") }
    }

    private mutating func step(_ expected: Expected) -> Expected {
        let byte = place < bytes.endIndex ? bytes[place] : 0
        switch (expected, byte) {
        case (.firstValueOrEnd, UInt8(ascii: "]")), (.firstKeyOrEnd, UInt8(ascii: "}")): return close()
        case (.commaOrEnd, UInt8(ascii: "]")) where open.last == false: return close()
        case (.commaOrEnd, UInt8(ascii: "}")) where open.last == true: return close()
        case (.commaOrEnd, UInt8(ascii: ",")):
            advance()
            return open.last == true ? .key : .value
        case (.key, UInt8(ascii: "\"")), (.firstKeyOrEnd, UInt8(ascii: "\"")): return key()
        case (.value, _), (.firstValueOrEnd, _): return value(byte)
        case (.key, _), (.firstKeyOrEnd, _): return fail("a key in double quotes was expected")
        case (.commaOrEnd, _): return fail(open.last == true ? "',' or '}' was expected" : "',' or ']' was expected")
        }
    }

    private mutating func key() -> Expected {
        string()
        skipBlanks()
        guard place < bytes.endIndex, bytes[place] == UInt8(ascii: ":") else { return fail("':' was expected") }
        advance()
        return .value
    }

    private mutating func value(_ byte: UInt8) -> Expected {
        switch byte {
        case UInt8(ascii: "{"):
            tree.beginMapping(at: position)
            open.append(true)
            advance()
            return .firstKeyOrEnd
        case UInt8(ascii: "["):
            tree.beginSequence(at: position)
            open.append(false)
            advance()
            return .firstValueOrEnd
        case UInt8(ascii: "\""): string()
        default: word()
        }
        return .commaOrEnd
    }

    private mutating func close() -> Expected {
        open.removeLast()
        tree.end()
        advance()
        return .commaOrEnd
    }

    /// A number, `true`, `false` or `null`.
    private mutating func word() {
        let start = position
        let word = bytes[place...].prefix { !JSONReader.ends.contains($0) }
        let text = String(decoding: word, as: UTF8.self)
        guard ["true", "false", "null"].contains(text) || JSONReader.isNumber(word) else {
            fail("a JSON value was expected: text in double quotes, a number, true, false, null, [ or {")
            return
        }
        for _ in word { advance() }
        tree.add(YAMLScalar(text: text, style: .plain, from: start, to: position), at: start)
    }

    private mutating func string() {
        let start = position
        advance()
        var text: [UInt8] = []
        while place < bytes.endIndex, bytes[place] != UInt8(ascii: "\"") {
            if bytes[place] == UInt8(ascii: "\\") {
                guard let scalar = escape() else { return }
                text += UTF8.encode(scalar).map { Array($0) } ?? []
            } else if bytes[place] < 0x20 {
                fail("a line break or control character must be escaped in a JSON string")
                return
            } else {
                text.append(bytes[place])
                advance()
            }
        }
        guard place < bytes.endIndex else {
            tree.stop(start, "this string is never closed")
            return
        }
        advance()
        let whole = String(decoding: text, as: UTF8.self)
        tree.add(YAMLScalar(text: whole, style: .quoted, from: start, to: position), at: start)
    }

    /// Reads an escape; nil after telling what is wrong with it.
    private mutating func escape() -> Unicode.Scalar? {
        let start = position
        advance()
        let byte = place < bytes.endIndex ? bytes[place] : 0
        advance()
        if let scalar = JSONReader.escapes[byte] { return scalar }
        guard byte == UInt8(ascii: "u"), let unit = codeUnit() else {
            tree.stop(start, "no escape of JSON")
            return nil
        }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // What is no scalar is a surrogate; only a high one with a low one behind it makes a character.
        if unit < 0xDC00, bytes[place...].starts(with: Array("\\u".utf8)) {
            advance()
            advance()
            if let low = codeUnit(), (0xDC00..<0xE000).contains(low) {
                return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            }
        }
        tree.stop(start, "half a surrogate pair is no character")
        return nil
    }

    private mutating func codeUnit() -> UInt32? {
        let digits = bytes[place...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        for _ in digits { advance() }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private mutating func skipBlanks() {
        while place < bytes.endIndex, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { advance() }
    }

    private mutating func advance() {
        guard place < bytes.endIndex else { return }
        let byte = bytes[place]
        place += 1
        if byte == 0x0A || byte == 0x0D && !(place < bytes.endIndex && bytes[place] == 0x0A) {
            position = SourcePosition(line: position.line + 1, column: 1)
        } else if byte & 0xC0 != 0x80 {
            position.column += 1
        }
    }

    @discardableResult
    private mutating func fail(_ message: String) -> Expected {
        tree.stop(position, place < bytes.endIndex ? message : "the JSON ends too early: \(message)")
        return .commaOrEnd
    }

    /// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
    private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
        var rest = word
        func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
        func digits() -> Int {
            let count = rest.prefix(while: isDigit).count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole == 1 || whole > 1 && !startsWithZero else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
