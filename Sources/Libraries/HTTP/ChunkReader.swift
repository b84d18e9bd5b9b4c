/// Takes a chunked body apart (RFC 9112, 7.1) as it comes over the wire. libcurl can do that, but it reads past whatever
/// stands behind a size, as much as there is of it, and an answer that two readers take for two things is not to be kept.
struct ChunkReader {
    /// Size and extensions; nobody has a use for more.
    static let maxLine = 4096
    static let maxTrailers = 64 * 1024

    private enum State {
        case size(digits: Int)
        /// Behind the size: blanks, and extensions after a semicolon.
        case extensions(hasBegun: Bool)
        case sizeEnd
        case content
        case contentEnd(hasReturn: Bool)
        case trailers(isLineEmpty: Bool)
        case over
    }
    private var state = State.size(digits: 0)
    /// Of the chunk that is being read.
    private var left: Int64 = 0
    /// Bytes of the line of a size, or of all trailers.
    private var length = 0

    /// Passes on what is content; bytes behind the body's end are left.
    /// - Parameter take: returns false to stop.
    /// - Returns: false when `take` did.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool
    ) throws(HTTPError) -> Bool {
        var rest = bytes[...]
        while let byte = rest.first {
            if case .content = state {
                let piece = rest.prefix(Int(clamping: left))
                left -= Int64(piece.count)
                if left == 0 { state = .contentEnd(hasReturn: false) }
                guard take(UnsafeRawBufferPointer(rebasing: piece)) else { return false }
                rest = rest.dropFirst(piece.count)
                continue
            }
            if case .over = state { return true }
            try step(byte)
            rest = rest.dropFirst()
        }
        return true
    }

    private mutating func step(_ byte: UInt8) throws(HTTPError) {
        switch state {
        case .size(let digits):
            try count(within: Self.maxLine, "a chunk's size and extensions of more than 4 KiB")
            guard let value = hexadecimal(byte) else {
                guard digits > 0 else { throw violation("a chunk without its size") }
                state = .extensions(hasBegun: false)
                return try stepBehindSize(byte, hasBegun: false)
            }
            guard left <= Int64.max >> 4 else { throw violation("a chunk of 2^63 bytes or more") }
            left = left << 4 | Int64(value)
            state = .size(digits: digits + 1)
        case .extensions(let hasBegun):
            try count(within: Self.maxLine, "a chunk's size and extensions of more than 4 KiB")
            try stepBehindSize(byte, hasBegun: hasBegun)
        case .sizeEnd:
            guard byte == .lineFeed else { throw violation("a bare return behind a chunk's size") }
            endSize()
        case .contentEnd(let hasReturn):
            if byte == .carriageReturn, !hasReturn { return state = .contentEnd(hasReturn: true) }
            guard byte == .lineFeed else { throw violation("a chunk that is longer than its size") }
            state = .size(digits: 0)
            length = 0
        case .trailers(let isLineEmpty):
            try count(within: Self.maxTrailers, "trailers of more than 64 KiB")
            guard byte != 0 else { throw violation("a trailer with a NUL") }
            if byte == .lineFeed {
                state = isLineEmpty ? .over : .trailers(isLineEmpty: true)
            } else if byte != .carriageReturn {
                state = .trailers(isLineEmpty: false)
            }
        case .content, .over: break
        }
    }

    private mutating func stepBehindSize(_ byte: UInt8, hasBegun: Bool) throws(HTTPError) {
        switch byte {
        case .lineFeed: endSize()
        case .carriageReturn: state = .sizeEnd
        case .space, .tab: break
        case UInt8(ascii: ";"): state = .extensions(hasBegun: true)
        case 0x21...0x7e where hasBegun, 0x80... where hasBegun: break
        default: throw violation("a chunk's size that is no hexadecimal number")
        }
    }

    private mutating func endSize() {
        state = left == 0 ? .trailers(isLineEmpty: true) : .content
        length = 0
    }

    private mutating func count(within limit: Int, _ what: String) throws(HTTPError) {
        length += 1
        guard length <= limit else { throw violation(what) }
    }

    private func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private func violation(_ what: String) -> HTTPError { HTTPError(.protocolViolation, what) }
}
