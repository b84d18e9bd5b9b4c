/// A set of bytes to percent-encode. Every byte outside of ASCII and every C0 control belongs to each set, as in the
/// WHATWG URL standard's section 1.3 all sets contain the "C0 control percent-encode set".
struct ByteSet: Sendable {
    private var low: UInt64
    private var high: UInt64

    /// U+0000 to U+001F, U+007F and everything above.
    static let control = ByteSet(low: 0xFFFF_FFFF, high: 1 << 63)
    static let fragment = control.adding(" \"<>`")
    static let query = control.adding(" \"#<>")
    static let specialQuery = query.adding("'")
    static let path = query.adding("?^`{}")
    static let userinfo = path.adding("/:;=@[\\]|")

    /// What stands in no part of a serialised URL but an opaque path.
    static let pattern = control.adding(" \"<>")

    /// What ends a segment of a path, beside what has to be encoded in it.
    static let pathStop = path.adding("/#?")
    static let specialPathStop = pathStop.adding("\\")

    static let forbiddenInHost = ByteSet(low: 0, high: 0).adding("\0\t\n\r #/:<>?@[\\]^|")
    static let forbiddenInDomain = control.adding(" #/:<>?@[\\]^|%")

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    private func adding(_ members: String) -> ByteSet {
        members.utf8.reduce(into: self) { set, byte in
            if byte < 64 { set.low |= 1 << UInt64(byte) } else { set.high |= 1 << UInt64(byte & 63) }
        }
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 != 0
    }

    /// Whether an ASCII byte is a member; bytes outside of ASCII are none.
    @inline(__always)
    func containsASCII(_ byte: UInt8) -> Bool { byte < 0x80 && contains(byte) }
}

extension [UInt8] {
    /// Appends `%XX`, in capitals as the standard wants it.
    @inline(__always)
    mutating func appendPercentEncoded(_ byte: UInt8) {
        append(UInt8(ascii: "%"))
        append(hexDigit(byte >> 4))
        append(hexDigit(byte & 15))
    }

    @inline(__always)
    mutating func append(_ byte: UInt8, encoding set: ByteSet) {
        if set.contains(byte) { appendPercentEncoded(byte) } else { append(byte) }
    }

    /// Appends a range of the input as it is: one copy instead of a check for each byte.
    @inline(__always)
    mutating func append(_ input: borrowing Span<UInt8>, _ range: Range<Int>) {
        if range.isEmpty { return }
        input.extracting(range).withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}

@inline(__always)
private func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x37 &+ value }

extension UInt8 {
    @inline(__always)
    var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }
    @inline(__always)
    var isASCIIDigit: Bool { self &- 0x30 < 10 }
    @inline(__always)
    var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// The value of a hexadecimal digit, nil for any other byte.
    @inline(__always)
    var hexValue: UInt8? {
        if isASCIIDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }
}
