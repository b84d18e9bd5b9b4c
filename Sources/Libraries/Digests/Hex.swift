private let digits = Array("0123456789abcdef".utf8)

/// Lower-case hexadecimal of bytes.
package func hex(_ bytes: some Collection<UInt8>) -> String {
    // In one piece of memory, since walking a collection of a type that is not known here is slow.
    bytes.withContiguousStorageIfAvailable(text) ?? Array(bytes).withUnsafeBufferPointer(text)
}

private func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
        var position = 0
        for byte in bytes {
            buffer[position] = digits[Int(byte >> 4)]
            buffer[position + 1] = digits[Int(byte & 15)]
            position += 2
        }
        return position
    }
}

/// The bytes that hexadecimal text of either case stands for; nil when it is none.
package func bytes(hex text: String) -> [UInt8]? { bytes(hex: Array(text.utf8)[...]) }

/// The same of text in UTF-8.
package func bytes(hex digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(digits.count / 2)
    for start in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
        guard let high = value(digits[start]), let low = value(digits[start + 1]) else { return nil }
        result.append(high << 4 | low)
    }
    return result
}

private func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
