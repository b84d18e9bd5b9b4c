/// A `Set-Cookie` field taken apart (RFC 6265bis, 5.6); what it means for a jar depends on who sent it.
struct SetCookie: Sendable, Hashable {
    var name: [UInt8]
    var value: [UInt8]
    /// Seconds since 1970.
    var expires: Double?
    /// Seconds from now; zero or less ends the cookie.
    var maxAge: Double?
    /// In lower case, without one leading dot; nil when there is none or it is empty.
    var domain: [UInt8]?
    /// Nil stands for the default path.
    var path: [UInt8]?
    var isSecure = false
    var isHTTPOnly = false

    /// Nil for a field that sets no cookie. SameSite and what is unknown are passed over: they concern what other sites'
    /// pages cause, and here no page causes anything.
    init?(_ field: [UInt8]) {
        guard !field.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) else { return nil }
        let parts = field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let pair = parts.first, let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        name = Array(trimmed(pair[..<equals]))
        value = Array(trimmed(pair[(equals + 1)...]))
        for part in parts.dropFirst() { take(part) }
    }

    private mutating func take(_ attribute: ArraySlice<UInt8>) {
        let equals = attribute.firstIndex(of: UInt8(ascii: "=")) ?? attribute.endIndex
        let value = trimmed(attribute[equals...].dropFirst())
        guard value.count <= Bounds.attribute else { return }
        switch String(decoding: trimmed(attribute[..<equals]).map(lowercased), as: UTF8.self) {
        case "expires": expires = CookieDate.parse(value) ?? expires
        case "max-age": maxAge = Self.seconds(value) ?? maxAge
        case "domain":
            let name = value.first == UInt8(ascii: ".") ? value.dropFirst() : value
            domain = name.isEmpty ? nil : name.map(lowercased)
        case "path": path = value.first == UInt8(ascii: "/") ? Array(value) : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        default: break
        }
    }

    /// Digits, with a minus before them or not; more of them than a number holds are a very long time.
    private static func seconds(_ text: ArraySlice<UInt8>) -> Double? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        if isNegative { return 0 }
        return digits.reduce(0) { min($0 * 10 + Double($1 - 0x30), 1e12) }
    }
}

/// Without the spaces and tabs around it.
func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes.drop { $0 == 0x20 || $0 == 0x09 }
    while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
    return rest
}
