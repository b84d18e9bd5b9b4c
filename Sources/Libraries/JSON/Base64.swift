/// Decodes base64 (RFC 4648, section 4), with padding or without; ASCII whitespace counts for nothing. Nil for
/// everything else.
package func base64Decoded(_ text: [UInt8]) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(text.count / 4 * 3 + 3)
    var (bits, count): (UInt32, Int) = (0, 0)
    var isPadded = false
    for byte in text {
        if byte == 0x20 || (0x09...0x0D).contains(byte) { continue }
        if byte == UInt8(ascii: "=") {
            isPadded = true
            continue
        }
        guard !isPadded, let digit = digit(byte) else { return nil }
        bits = bits << 6 | digit
        count += 1
        if count == 4 {
            output.append(UInt8(truncatingIfNeeded: bits >> 16))
            output.append(UInt8(truncatingIfNeeded: bits >> 8))
            output.append(UInt8(truncatingIfNeeded: bits))
            (bits, count) = (0, 0)
        }
    }
    if count == 1 { return nil }
    if count >= 2 { output.append(UInt8(truncatingIfNeeded: count == 2 ? bits >> 4 : bits >> 10)) }
    if count == 3 { output.append(UInt8(truncatingIfNeeded: bits >> 2)) }
    return output
}

@inline(__always) private func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
}
