/// What a `Strict-Transport-Security` field asks for (RFC 6797, 6.1).
struct HSTSPolicy: Sendable, Hashable {
    /// Seconds for which the host is to be asked by TLS only; 0 takes it back.
    let maxAge: Int64
    let includesSubdomains: Bool

    /// Nil for what the standard tells to ignore: no age, a directive twice, values that are none.
    init?(_ field: [UInt8]) {
        var seen: [String: String?] = [:]
        for directive in field.split(separator: UInt8(ascii: ";")) {
            let parts = directive.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.trimmed(parts[0]).lowercased()
            if name.isEmpty, parts.count == 1 { continue }
            var value = parts.count > 1 ? Self.trimmed(parts[1]) : nil
            if let quoted = value, quoted.utf8.count >= 2, quoted.hasPrefix("\""), quoted.hasSuffix("\"") {
                value = String(quoted.dropFirst().dropLast())
            }
            guard seen.updateValue(value, forKey: name) == nil else { return nil }
        }
        guard case .some(.some(let age)) = seen["max-age"], !age.isEmpty,
            age.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { return nil }
        // Nobody means more than a hundred years.
        maxAge = min(Int64(age) ?? .max, 100 * 366 * 86400)
        includesSubdomains = seen["includesubdomains"] != nil
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        let start = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        let end = start.reversed().drop { $0 == 0x20 || $0 == 0x09 }
        return String(decoding: end.reversed(), as: UTF8.self)
    }
}
