extension JSONValue {
    /// Reads one JSON text, in time and memory linear in its length.
    ///
    /// Half a surrogate pair becomes U+FFFD, as it does in a browser's strings; everything else follows RFC 8259.
    /// - Throws: at the first byte that is wrong; also for a value nested deeper than 200 levels.
    package init(parsing bytes: ArraySlice<UInt8>) throws(JSONError) {
        var parser = JSONParser(bytes)
        self = try parser.document()
    }

    package init(parsing bytes: [UInt8]) throws(JSONError) { try self.init(parsing: bytes[...]) }
}

private struct JSONParser {
    private let bytes: ArraySlice<UInt8>
    private var place: Int
    /// Recursion is bounded, so that no text can exhaust the stack.
    private static let deepest = 200

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    mutating func document() throws(JSONError) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place += 3 }
        let value = try value(depth: 0)
        skipBlanks()
        guard place == bytes.endIndex else { throw error("nothing may follow the value") }
        return value
    }

    private func error(_ message: String) -> JSONError {
        JSONError(
            offset: place - bytes.startIndex,
            message: place < bytes.endIndex ? message : "the JSON ends too early: \(message)")
    }

    private mutating func skipBlanks() {
        while place < bytes.endIndex {
            switch bytes[place] {
            case 0x20, 0x0A, 0x0D, 0x09: place += 1
            default: return
            }
        }
    }

    /// Takes the byte if it is the next one.
    private mutating func take(_ byte: UInt8) -> Bool {
        guard place < bytes.endIndex, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipBlanks()
        guard depth <= Self.deepest else { throw error("more than \(Self.deepest) levels") }
        guard place < bytes.endIndex else { throw error("a value is missing") }
        switch bytes[place] {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        default: return try word()
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        place += 1
        var members: [JSONMember] = []
        skipBlanks()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipBlanks()
            guard place < bytes.endIndex, bytes[place] == UInt8(ascii: "\"") else {
                throw error("a key in double quotes was expected")
            }
            let name = String(decoding: try string(), as: UTF8.self)
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw error("':' was expected") }
            members.append(JSONMember(name: name, value: try value(depth: depth + 1)))
            skipBlanks()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw error("',' or '}' was expected") }
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        place += 1
        var elements: [JSONValue] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try value(depth: depth + 1))
            skipBlanks()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw error("',' or ']' was expected") }
        }
    }

    /// A number, `true`, `false` or `null`.
    private mutating func word() throws(JSONError) -> JSONValue {
        let word = bytes[place...].prefix { byte in
            byte > 0x20 && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "]") && byte != UInt8(ascii: "}")
        }
        let text = String(decoding: word.prefix(1000), as: UTF8.self)
        let value: JSONValue? =
            switch text {
            case "true": .boolean(true)
            case "false": .boolean(false)
            case "null": .null
            default: isNumber(word) ? .number(text) : nil
            }
        guard let value else { throw error("a value was expected") }
        place = word.endIndex
        return value
    }

    /// The string at `place`: runs without an escape are taken whole.
    private mutating func string() throws(JSONError) -> [UInt8] {
        place += 1
        var text: [UInt8] = []
        while true {
            let end = endOfRun()
            text.append(contentsOf: bytes[place..<end])
            place = end
            guard place < bytes.endIndex else { throw error("a string is never closed") }
            if take(UInt8(ascii: "\"")) { return text }
            guard take(UInt8(ascii: "\\")) else { throw error("a control character must be escaped in a string") }
            try takeEscape(into: &text)
        }
    }

    private func endOfRun() -> Int {
        let start = place
        return bytes.withUnsafeBufferPointer { buffer in
            var index = start - bytes.startIndex
            while index < buffer.count {
                let byte = buffer[index]
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
                index += 1
            }
            return index + bytes.startIndex
        }
    }

    private mutating func takeEscape(into text: inout [UInt8]) throws(JSONError) {
        guard place < bytes.endIndex else { throw error("an escape is cut off") }
        let byte = bytes[place]
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "u"): append(try codePoint(), to: &text)
        default:
            place -= 1
            throw error("there is no such escape")
        }
    }

    private func append(_ value: UInt32, to text: inout [UInt8]) {
        if value < 0x80 {
            text.append(UInt8(truncatingIfNeeded: value))
        } else {
            text.append(contentsOf: String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
        }
    }

    /// What stands behind `\u`, with its low half where it is a high one.
    private mutating func codePoint() throws(JSONError) -> UInt32 {
        let unit = try codeUnit()
        guard (0xD800..<0xDC00).contains(unit), bytes[place...].starts(with: [0x5C, 0x75]) else { return unit }
        let before = place
        place += 2
        let low = try codeUnit()
        guard (0xDC00..<0xE000).contains(low) else {
            place = before
            return unit
        }
        return 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }

    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard place < bytes.endIndex, let digit = hexDigit(bytes[place]) else {
                throw error("four hexadecimal digits were expected")
            }
            value = value << 4 | digit
            place += 1
        }
        return value
    }
}

private func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte | 0x20) - 0x57
    default: nil
    }
}

/// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
private func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
    var rest = word
    func digits() -> Int {
        let count = rest.prefix { $0 &- 0x30 < 10 }.count
        rest = rest.dropFirst(count)
        return count
    }
    func takes(_ bytes: [UInt8]) -> Bool {
        guard let first = rest.first, bytes.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }
    _ = takes([UInt8(ascii: "-")])
    let startsWithZero = rest.first == UInt8(ascii: "0")
    let whole = digits()
    guard whole == 1 || whole > 1 && !startsWithZero else { return false }
    if takes([UInt8(ascii: ".")]), digits() == 0 { return false }
    if takes([UInt8(ascii: "e"), UInt8(ascii: "E")]) {
        _ = takes([UInt8(ascii: "+"), UInt8(ascii: "-")])
        if digits() == 0 { return false }
    }
    return rest.isEmpty
}
