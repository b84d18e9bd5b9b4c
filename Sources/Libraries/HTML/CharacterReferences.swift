/// Decodes character references and the other things that the tokenizer changes in text (WHATWG HTML, 13.2.5.72 on).
struct TextDecoder {
    /// In an attribute `&copy=` and `&copyright` stay as they are, since old query strings look like that.
    let inAttribute: Bool
    private(set) var output: [UInt8] = []
    private static let ampersand = Array("amp;".utf8)

    init(inAttribute: Bool) { self.inAttribute = inAttribute }

    /// Newlines become LF; NUL becomes U+FFFD in an attribute and vanishes elsewhere.
    mutating func decode(_ bytes: ArraySlice<UInt8>) {
        output.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        var plainStart = index
        while index < bytes.endIndex {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "&") || byte == 0x0D || byte == 0 else {
                index += 1
                continue
            }
            output += bytes[plainStart..<index]
            switch byte {
            case UInt8(ascii: "&"): index = decodeReference(bytes[index...])
            case 0x0D:
                output.append(0x0A)
                index += 1
                if index < bytes.endIndex, bytes[index] == 0x0A { index += 1 }
            default:
                if inAttribute { append(0xFFFD) }
                index += 1
            }
            plainStart = index
        }
        output += bytes[plainStart...]
    }

    /// Takes the reference that the slice starts with, or the ampersand alone when it starts none.
    private mutating func decodeReference(_ bytes: ArraySlice<UInt8>) -> Int {
        let next = bytes.startIndex + 1
        // Nearly all references are this one.
        if bytes.dropFirst().starts(with: Self.ampersand) {
            output.append(UInt8(ascii: "&"))
            return next + Self.ampersand.count
        }
        if next < bytes.endIndex {
            if bytes[next] == UInt8(ascii: "#") {
                if let end = decodeNumber(bytes[(next + 1)...]) { return end }
            } else if isASCIIAlphanumeric(bytes[next]), let end = decodeName(bytes[next...]) {
                return end
            }
        }
        output.append(UInt8(ascii: "&"))
        return next
    }

    private mutating func decodeNumber(_ bytes: ArraySlice<UInt8>) -> Int? {
        var index = bytes.startIndex
        var isHexadecimal = false
        if index < bytes.endIndex, bytes[index] | 0x20 == UInt8(ascii: "x") {
            isHexadecimal = true
            index += 1
        }
        var value: UInt32 = 0
        let first = index
        while index < bytes.endIndex, let digit = hexadecimalDigit(bytes[index]), isHexadecimal || digit < 10 {
            value = min(value * (isHexadecimal ? 16 : 10) + digit, 0x110000)
            index += 1
        }
        if index == first { return nil }
        append(replacement(value))
        if index < bytes.endIndex, bytes[index] == UInt8(ascii: ";") { index += 1 }
        return index
    }

    /// The longest name in the table wins: with its semicolon first, then, for the names of old, a prefix without it.
    private mutating func decodeName(_ bytes: ArraySlice<UInt8>) -> Int? {
        var end = bytes.startIndex
        let limit = min(bytes.endIndex, bytes.startIndex + NamedReferences.longest + 1)
        while end < limit, isASCIIAlphanumeric(bytes[end]) { end += 1 }
        if end < bytes.endIndex, bytes[end] == UInt8(ascii: ";"),
            let match = NamedReferences.table.find(bytes[bytes.startIndex..<end])
        {
            append(match)
            return end + 1
        }
        var length = min(end - bytes.startIndex, NamedReferences.longestLegacy)
        while length >= 2 {
            let nameEnd = bytes.startIndex + length
            if let match = NamedReferences.table.find(bytes[bytes.startIndex..<nameEnd]), match.isLegacy {
                if inAttribute, nameEnd < bytes.endIndex,
                    bytes[nameEnd] == UInt8(ascii: "=") || isASCIIAlphanumeric(bytes[nameEnd])
                {
                    return nil
                }
                append(match)
                return nameEnd
            }
            length -= 1
        }
        return nil
    }

    private mutating func append(_ match: NamedReferences.Match) {
        var value: UInt32 = 0
        for byte in match.codePoints {
            if let digit = hexadecimalDigit(byte) {
                value = value &* 16 &+ digit
            } else {
                append(value)
                value = 0
            }
        }
        append(value)
    }

    private mutating func append(_ codePoint: UInt32) {
        output += String(Unicode.Scalar(codePoint) ?? "\u{FFFD}").utf8
    }
}

/// References to C1 controls mean what windows-1252 has there (WHATWG HTML, 13.2.5.80).
private func replacement(_ value: UInt32) -> UInt32 {
    let windows1252: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D,
        0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D,
        0x17E, 0x178,
    ]
    if value == 0 { return 0xFFFD }
    return (0x80...0x9F).contains(value) ? windows1252[Int(value - 0x80)] : value
}

private func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
}
