import JSON

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
        appendJSONString(text, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func value(_ text: String?) {
        guard let text else { return literal("null") }
        separate()
        appendJSONString(text, to: &bytes)
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
}
