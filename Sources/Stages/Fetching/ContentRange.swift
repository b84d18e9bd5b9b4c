/// The value of a `Content-Range` field in bytes (RFC 9110, 14.4).
struct ContentRange: Sendable, Hashable {
    /// Nil in the form `bytes */N`, which says that nothing could be given.
    let range: ClosedRange<Int64>?
    /// Nil when the server does not know it.
    let total: Int64?

    /// Nil for another unit and for everything that contradicts itself.
    init?(_ field: [UInt8]) {
        let text = field[...]
        let unit = text.prefix { $0 != UInt8(ascii: " ") }
        let rest = text.dropFirst(unit.count + 1)
        let parts = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard String(decoding: unit, as: UTF8.self).lowercased() == "bytes", parts.count == 2 else { return nil }
        let star = [UInt8(ascii: "*")]
        let total = number(parts[1])
        guard total != nil || parts[1].elementsEqual(star) else { return nil }
        self.total = total
        if parts[0].elementsEqual(star) {
            guard total != nil else { return nil }
            range = nil
            return
        }
        let ends = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]), first <= last, last < .max,
            total.map({ last < $0 }) ?? true
        else { return nil }
        range = first...last
    }
}

private func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard !digits.isEmpty, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return Int64(String(decoding: digits, as: UTF8.self))
}
