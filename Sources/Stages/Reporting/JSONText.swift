/// JSON (RFC 8259) written piece by piece, so that a report of a million items never lies in memory. Control and
/// bidirectional characters are written as `\u` escapes, so that the text does no harm on a terminal either.
package struct JSONText: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// Gives what was written so far and starts anew at the same place.
    package mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    package mutating func object(_ body: (inout JSONText) -> Void) { nested("{", "}", body) }
    package mutating func array(_ body: (inout JSONText) -> Void) { nested("[", "]", body) }

    package mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    package mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    package mutating func newline() { bytes.append(UInt8(ascii: "\n")) }

    /// Forgets that a value came before: for one document a line.
    package mutating func endDocument() {
        newline()
        needsComma = false
    }

    /// - Parameter name: needs no escape.
    package mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A member whose name is data.
    package mutating func key(text: String) {
        separate()
        Array(text.utf8).withUnsafeBufferPointer { quoted($0) }
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func value(_ text: String?) {
        guard let text else { return literal("null") }
        separate()
        var native = text
        native.withUTF8 { quoted($0) }
        needsComma = true
    }

    package mutating func value(_ number: Int64?) { literal(number.map { "\($0)" } ?? "null") }
    package mutating func value(_ number: Int?) { value(number.map(Int64.init)) }
    package mutating func value(_ flag: Bool) { literal(flag ? "true" : "false") }

    package mutating func field(_ name: StaticString, _ text: String?) {
        key(name)
        value(text)
    }

    package mutating func field(_ name: StaticString, _ number: Int64?) {
        key(name)
        value(number)
    }

    package mutating func field(_ name: StaticString, _ number: Int?) { field(name, number.map(Int64.init)) }

    package mutating func field(_ name: StaticString, _ flag: Bool) {
        key(name)
        literal(flag ? "true" : "false")
    }

    package mutating func field(_ name: StaticString, seconds: Double?) {
        key(name)
        value(seconds: seconds)
    }

    /// Seconds, with three decimals; what JSON has no word for becomes null.
    package mutating func value(seconds: Double?) {
        guard let seconds, let thousandths = Int64(exactly: (seconds * 1000).rounded()) else { return literal("null") }
        let fraction = String(abs(thousandths) % 1000)
        let padding = String(repeating: "0", count: 3 - fraction.count)
        literal("\(thousandths < 0 ? "-" : "")\(abs(thousandths) / 1000).\(padding)\(fraction)")
    }

    /// JSON that was written elsewhere.
    package mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    private mutating func nested(_ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ body: (inout JSONText) -> Void)
    {
        open(opening)
        body(&self)
        close(closing)
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    /// Runs that need no escape are taken whole.
    private mutating func quoted(_ text: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        var index = 0
        while index < text.count {
            let byte = text[index]
            if Self.isPlain(byte) {
                index += 1
                continue
            }
            guard let (code, length) = Self.unsafe(text, at: index) else {
                index += 1
                continue
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            appendEscape(code)
            index += length
            start = index
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        bytes.append(UInt8(ascii: "\""))
    }

    @inline(__always) private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7f, 0xc2, 0xd8, 0xe2: false
        default: byte >= 0x20
        }
    }

    /// The character at `index` and its bytes, when it is to be escaped: what JSON demands, DEL, C1 controls, line
    /// separators, and whatever turns the reading direction (UAX 9).
    private static func unsafe(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> (code: UInt16, length: Int)? {
        let byte = text[index]
        if byte < 0x80 { return (UInt16(byte), 1) }
        let next = index + 1 < text.count ? text[index + 1] : 0
        let last = index + 2 < text.count ? text[index + 2] : 0
        switch (byte, next, last) {
        case (0xc2, 0x80...0x9f, _): return (UInt16(next), 2)
        case (0xd8, 0x9c, _): return (0x061c, 2)
        case (0xe2, 0x80, 0x8e...0x8f), (0xe2, 0x80, 0xa8...0xae), (0xe2, 0x81, 0xa6...0xa9):
            return (0x2000 | UInt16(next & 0x3f) << 6 | UInt16(last & 0x3f), 3)
        default: return nil
        }
    }

    private mutating func appendEscape(_ code: UInt16) {
        bytes.append(UInt8(ascii: "\\"))
        switch code {
        case 0x22, 0x5c: bytes.append(UInt8(code))
        case 0x0a: bytes.append(UInt8(ascii: "n"))
        default:
            bytes.append(UInt8(ascii: "u"))
            for shift in [12, 8, 4, 0] {
                let digit = UInt8(code >> UInt16(shift) & 15)
                bytes.append(digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a"))
            }
        }
    }
}
