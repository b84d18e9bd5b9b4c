import Glibc

/// ASCII whitespace of the standard, and CR, which its preprocessing turns into LF.
@inline(__always) func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (byte >= 0x09 && byte <= 0x0D && byte != 0x0B)
}

@inline(__always) func isASCIILetter(_ byte: UInt8) -> Bool {
    let lower = byte | 0x20
    return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
}

@inline(__always) func isASCIIAlphanumeric(_ byte: UInt8) -> Bool {
    isASCIILetter(byte) || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
}

/// The byte in lower case where it is an ASCII letter.
@inline(__always) func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}

extension [UInt8] {
    /// The next place of a byte, or the end of the array.
    func next(_ byte: UInt8, from start: Int) -> Int {
        guard start < count else { return count }
        return unsafe withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, let found = unsafe memchr(base + start, Int32(byte), count - start)
            else { return count }
            return unsafe UnsafeRawPointer(found) - base
        }
    }

    /// True when the bytes from `start` are `text`, which is lower case, in any case.
    func has(_ text: StaticString, at start: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard start >= 0, count - start >= length else { return false }
        return text.withUTF8Buffer { expected in
            var index = 0
            while index < length {
                if lowercased(self[start + index]) != expected[index] { return false }
                index += 1
            }
            return true
        }
    }
}
