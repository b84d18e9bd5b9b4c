/// Text as a JSON string (RFC 8259, 7) with its quotation marks.
package func jsonString(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    appendJSONString(text, to: &bytes)
    return bytes
}

/// Appends text as a JSON string with its quotation marks. What would do harm on a terminal is escaped too: controls,
/// line separators, and whatever turns the reading direction.
package func appendJSONString(_ text: String, to bytes: inout [UInt8]) {
    var native = text
    native.withUTF8 { text in
        bytes.append(UInt8(ascii: "\""))
        // Runs that need no escape are taken whole.
        var start = 0
        var index = 0
        while index < text.count {
            guard !isPlain(text[index]), let (code, length) = unsafe(text, at: index) else {
                index += 1
                continue
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            appendEscape(code, to: &bytes)
            index += length
            start = index
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        bytes.append(UInt8(ascii: "\""))
    }
}

@inline(__always) private func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7f, 0xc2, 0xd8, 0xe2: false
    default: byte >= 0x20
    }
}

/// The character at `index` and its bytes, when it is to be escaped: what JSON demands, DEL, C1 controls, line
/// separators, and whatever turns the reading direction (UAX 9).
private func unsafe(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> (code: UInt16, length: Int)? {
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

private func appendEscape(_ code: UInt16, to bytes: inout [UInt8]) {
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
