import Glibc

/// ASCII whitespace as HTML has it: TAB, LF, FF, CR, space.
@inline(__always) func isHTMLSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (byte >= 0x09 && byte <= 0x0D && byte != 0x0B)
}

@inline(__always) func isASCIIDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
}

/// The byte in lower case where it is an ASCII letter.
@inline(__always) func lowercasedASCII(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}

/// - Parameter text: in lower case.
func equalsIgnoringCase(_ bytes: some Collection<UInt8>, _ text: String) -> Bool {
    bytes.count == text.utf8.count && startsIgnoringCase(bytes, text)
}

/// - Parameter prefix: in lower case.
func startsIgnoringCase(_ bytes: some Collection<UInt8>, _ prefix: String) -> Bool {
    var index = bytes.startIndex
    for expected in prefix.utf8 {
        guard index != bytes.endIndex, lowercasedASCII(bytes[index]) == expected else { return false }
        bytes.formIndex(after: &index)
    }
    return true
}

/// The bytes without ASCII whitespace at the ends.
func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let first = bytes.firstIndex(where: { !isHTMLSpace($0) }),
        let last = bytes.lastIndex(where: { !isHTMLSpace($0) })
    else { return bytes.prefix(0) }
    return bytes[first...last]
}

/// The words of an attribute such as `rel`, in lower case.
func tokens(_ value: [UInt8]) -> [String] {
    value.split(whereSeparator: isHTMLSpace).map { String(decoding: $0.map(lowercasedASCII), as: UTF8.self) }
}

/// The next place of a byte, or the end of the array.
func nextByte(_ byte: UInt8, in bytes: [UInt8], from start: Int) -> Int {
    guard start < bytes.count else { return bytes.count }
    return bytes.withUnsafeBytes { buffer in
        guard let base = buffer.baseAddress, let found = memchr(base + start, Int32(byte), bytes.count - start) else {
            return bytes.count
        }
        return UnsafeRawPointer(found) - base
    }
}
