/// Whether a domain is to be read as an IPv4 address (the standard's "ends in a number checker").
func endsInNumber(_ domain: ArraySlice<UInt8>) -> Bool {
    var end = domain.endIndex
    if domain.last == UInt8(ascii: ".") { end -= 1 }
    let start = (domain[..<end].lastIndex(of: UInt8(ascii: ".")) ?? domain.startIndex - 1) + 1
    guard start < end, domain[start].isASCIIDigit else { return false }
    let last = domain[start..<end]
    return last.allSatisfy(\.isASCIIDigit) || ipv4Number(last) != nil
}

/// True for an address as it is serialised: four decimal numbers without needless zeros.
func isPlainIPv4(_ domain: ArraySlice<UInt8>) -> Bool {
    var (parts, digits, value) = (1, 0, 0)
    for byte in domain {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            if digits > 0, value == 0 { return false }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            digits += 1
            if value > 255 { return false }
        case UInt8(ascii: ".") where digits > 0: (parts, digits, value) = (parts + 1, 0, 0)
        default: return false
        }
    }
    return parts == 4 && digits > 0
}

/// The standard's "IPv4 parser": one to four numbers, decimal, octal or hexadecimal, the last filling what is left.
func parseIPv4(_ domain: ArraySlice<UInt8>) -> UInt32? {
    var parts = domain.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
    if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
    guard (1...4).contains(parts.count) else { return nil }
    var address: UInt64 = 0
    for (position, part) in parts.enumerated() {
        guard let number = ipv4Number(part) else { return nil }
        if position < parts.count - 1 {
            guard number <= 255 else { return nil }
            address |= number << UInt64(8 * (3 - position))
        } else {
            guard number < 1 << UInt64(8 * (5 - parts.count)) else { return nil }
            address |= number
        }
    }
    return UInt32(exactly: address)
}

/// A number of an address; one that is too large stays too large, however many digits it has.
private func ipv4Number(_ text: ArraySlice<UInt8>) -> UInt64? {
    guard let first = text.first else { return nil }
    var digits = text
    var radix: UInt64 = 10
    if first == UInt8(ascii: "0"), text.count >= 2 {
        let isHexadecimal = text[text.startIndex + 1] | 0x20 == UInt8(ascii: "x")
        radix = isHexadecimal ? 16 : 8
        digits = text.dropFirst(isHexadecimal ? 2 : 1)
    }
    var value: UInt64 = 0
    for byte in digits {
        guard let digit = byte.hexValue, digit < radix else { return nil }
        value = min(value * radix + UInt64(digit), 1 << 40)
    }
    return value
}

func appendIPv4(_ address: UInt32, to out: inout [UInt8]) {
    for shift: UInt32 in [24, 16, 8, 0] {
        out.append(contentsOf: String(address >> shift & 255).utf8)
        if shift > 0 { out.append(UInt8(ascii: ".")) }
    }
}

/// Eight pieces of 16 bits, parsed and serialised as the standard says.
struct IPv6Address {
    private var pieces: [UInt16] = Array(repeating: 0, count: 8)

    init?(_ input: Span<UInt8>) {
        var pieceIndex = 0
        var compress: Int?
        var index = 0
        let count = input.count
        func at(_ index: Int) -> UInt8? { index < count ? input[index] : nil }

        if at(0) == UInt8(ascii: ":") {
            guard at(1) == UInt8(ascii: ":") else { return nil }
            index = 2
            pieceIndex = 1
            compress = 1
        }
        while index < count {
            guard pieceIndex < 8 else { return nil }
            if input[index] == UInt8(ascii: ":") {
                guard compress == nil else { return nil }
                index += 1
                pieceIndex += 1
                compress = pieceIndex
                continue
            }
            var value: UInt16 = 0
            var length = 0
            while length < 4, let digit = at(index)?.hexValue {
                value = value << 4 | UInt16(digit)
                index += 1
                length += 1
            }
            if at(index) == UInt8(ascii: ".") {
                guard length > 0, pieceIndex <= 6 else { return nil }
                guard let address = dottedQuad(input, from: index - length) else { return nil }
                pieces[pieceIndex] = UInt16(truncatingIfNeeded: address >> 16)
                pieces[pieceIndex + 1] = UInt16(truncatingIfNeeded: address)
                pieceIndex += 2
                break
            }
            if at(index) == UInt8(ascii: ":") {
                index += 1
                guard index < count else { return nil }
            } else if index < count {
                return nil
            }
            pieces[pieceIndex] = value
            pieceIndex += 1
        }
        guard spread(from: compress, filled: pieceIndex) else { return nil }
    }

    /// Moves the pieces behind `::` to the end.
    private mutating func spread(from compress: Int?, filled: Int) -> Bool {
        guard let compress else { return filled == 8 }
        let tail = Array(pieces[compress..<max(compress, filled)])
        pieces.replaceSubrange(compress..., with: Array(repeating: 0, count: 8 - compress - tail.count) + tail)
        return true
    }

    func append(to out: inout [UInt8]) {
        out.append(UInt8(ascii: "["))
        let zeros = longestZeros
        var index = 0
        while index < 8 {
            if index == zeros.lowerBound, zeros.count > 1 {
                out.append(contentsOf: (index == 0 ? "::" : ":").utf8)
                index = zeros.upperBound
                continue
            }
            out.append(contentsOf: String(pieces[index], radix: 16).utf8)
            if index < 7 { out.append(UInt8(ascii: ":")) }
            index += 1
        }
        out.append(UInt8(ascii: "]"))
    }

    /// The first of the longest runs of zero pieces.
    private var longestZeros: Range<Int> {
        var longest = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || pieces[index] != 0 {
            if index - start > longest.count { longest = start..<index }
            start = index + 1
        }
        return longest
    }
}

/// The IPv4 tail of an IPv6 address: exactly four decimal numbers without leading zeros, up to the end.
private func dottedQuad(_ input: Span<UInt8>, from start: Int) -> UInt32? {
    var address: UInt32 = 0
    var index = start
    for position in 0..<4 {
        if position > 0 {
            guard index < input.count, input[index] == UInt8(ascii: ".") else { return nil }
            index += 1
        }
        let first = index
        var value: UInt32 = 0
        while index < input.count, input[index].isASCIIDigit {
            if index > first, value == 0 { return nil }
            value = value * 10 + UInt32(input[index] - 0x30)
            guard value <= 255 else { return nil }
            index += 1
        }
        guard index > first else { return nil }
        address = address << 8 | value
    }
    return index == input.count ? address : nil
}
