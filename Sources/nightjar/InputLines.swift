import Glibc

/// The lines of an open file, handed over as they come, in memory for the longest of them.
struct InputLines {
    /// A page of 64 MiB in base64 fits well.
    static let longest = 256 << 20
    private static let chunk = 256 << 10

    private let number: Int32
    private var buffer: [UInt8] = []
    /// Set while the rest of a line that was too long is passed over.
    private var isSkipping = false

    init(_ number: Int32) { self.number = number }

    /// - Parameters:
    ///   - body: takes a line without its end, or nil for one that is too long.
    ///   - pause: called when nothing more can be read at once; false ends the reading.
    /// - Returns: false when `pause` ended it.
    mutating func forEach(_ body: (ArraySlice<UInt8>?) -> Void, pause: () -> Bool) -> Bool {
        while let searched = fill() {
            var start = 0
            var next = searched
            while let end = lineEnd(from: next) {
                hand(start..<end, to: body)
                start = end + 1
                next = start
            }
            if start > 0 { buffer.removeFirst(start) }
            if buffer.count > Self.longest || isSkipping {
                if !isSkipping { body(nil) }
                isSkipping = true
                buffer.removeAll()
            }
            guard pause() else { return false }
        }
        if !buffer.isEmpty { hand(0..<buffer.count, to: body) }
        return pause()
    }

    private func lineEnd(from start: Int) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    private mutating func hand(_ range: Range<Int>, to body: (ArraySlice<UInt8>?) -> Void) {
        if isSkipping {
            isSkipping = false
        } else {
            body(buffer[range])
        }
    }

    /// Reads more.
    /// - Returns: how much of the buffer was there before; nil at the end.
    private mutating func fill() -> Int? {
        let before = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: Self.chunk))
        let count = buffer.withUnsafeMutableBytes { room in
            while true {
                let count = read(number, room.baseAddress.map { $0 + before }, Self.chunk)
                if count >= 0 || errno != EINTR { return count }
            }
        }
        buffer.removeLast(Self.chunk - max(count, 0))
        return count > 0 ? before : nil
    }
}

/// The whole content of a file, "-" for standard input.
/// - Throws: ``UsageError`` when it cannot be read or has more than 256 MiB.
func content(ofFile path: String) throws -> [UInt8] {
    let number = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw UsageError("cannot open \(path): \(String(cString: strerror(errno)))") }
    defer { if path != "-" { close(number) } }
    var content: [UInt8] = []
    while true {
        let chunk = try [UInt8](unsafeUninitializedCapacity: 1 << 16) { room, count in
            let received = read(number, room.baseAddress, room.count)
            guard received >= 0 else { throw UsageError("cannot read \(path): \(String(cString: strerror(errno)))") }
            count = received
        }
        if chunk.isEmpty { return content }
        content += chunk
        if content.count > InputLines.longest { throw UsageError("\(path) has more than 256 MiB") }
    }
}
