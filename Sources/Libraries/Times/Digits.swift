/// Appends a number of at least `width` digits, zeros before it; negative numbers count as 0.
func appendDigits(_ number: Int, width: Int, to bytes: inout [UInt8]) {
    var rest = max(0, number)
    let start = bytes.count
    repeat {
        bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
        rest /= 10
    } while rest > 0 || bytes.count - start < width
    bytes[start...].reverse()
}

func appendDigits(_ number: Int, width: Int, to text: inout String) {
    var bytes: [UInt8] = []
    appendDigits(number, width: width, to: &bytes)
    text += String(decoding: bytes, as: UTF8.self)
}

/// Reads text byte by byte, from left to right; every step that fails leaves the place as it was.
struct ByteScanner {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ text: some Sequence<UInt8>) { bytes = Array(text) }

    var isAtEnd: Bool { position == bytes.count }
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
        position += count
        return true
    }

    mutating func take(while isWanted: (UInt8) -> Bool) -> [UInt8] {
        let start = position
        while let byte = next, isWanted(byte) { position += 1 }
        return Array(bytes[start..<position])
    }

    /// A number of at least and at most that many digits, which must fit; `nil` where there is none.
    mutating func number(digits: ClosedRange<Int>) -> Int? {
        var end = position
        var value = 0
        while end < bytes.count, end - position < digits.upperBound, bytes[end] >= 48, bytes[end] <= 57 {
            value = value * 10 + Int(bytes[end] - 48)
            end += 1
        }
        guard digits.contains(end - position) else { return nil }
        position = end
        return value
    }
}
