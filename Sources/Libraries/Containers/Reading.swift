import Glibc

/// Why a test ended before its end.
enum Stop: Error {
    case damaged(String)
    case bound(String)
    /// Of a kind that cannot be tested from this file alone.
    case unknowable
}

/// What a test may still spend.
struct Budget {
    private var decoded: Int64
    private let deadline: ContinuousClock.Instant
    private let isCancelled: @Sendable () -> Bool

    /// Half a minute and 16 MiB a second; 1 GiB decoded, and fifty times the file's length.
    init(fileBytes: Int64, isCancelled: @escaping @Sendable () -> Bool) {
        let size = min(fileBytes, 1 << 50)
        decoded = 1 << 30 + size * 50
        deadline = .now + .seconds(30 + Double(size) / Double(16 << 20))
        self.isCancelled = isCancelled
    }

    /// Counts bytes that were read or decoded.
    mutating func spend(_ bytes: Int) throws {
        if isCancelled() { throw ContainerError(code: 0, description: "the test of the file was broken off") }
        decoded -= Int64(bytes)
        if decoded < 0 { throw Stop.bound("what it holds is more than can be decoded here") }
        if ContinuousClock.now > deadline { throw Stop.bound("the test took too long") }
    }
}

/// An open file's bytes, read at any place.
struct FileBytes {
    let number: Int32
    let size: Int64

    init(_ number: Int32) throws {
        self.number = number
        var status = stat()
        guard fstat(number, &status) == 0 else { throw FileBytes.error(errno) }
        size = Int64(status.st_size)
    }

    /// Fewer bytes than asked for only at the file's end.
    func read(at place: Int64, count: Int) throws -> [UInt8] {
        guard place >= 0, place < size, count > 0 else { return [] }
        let wanted = Int(min(Int64(count), size - place))
        var bytes = [UInt8](repeating: 0, count: wanted)
        var filled = 0
        while filled < wanted {
            let read = bytes.withUnsafeMutableBytes {
                pread(number, $0.baseAddress.map { $0 + filled }, wanted - filled, off_t(place) + off_t(filled))
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw FileBytes.error(errno) }
            if read == 0 { break }
            filled += read
        }
        return filled == wanted ? bytes : Array(bytes[..<filled])
    }

    private static func error(_ code: Int32) -> ContainerError {
        ContainerError(code: code, description: "the file cannot be read: \(String(cString: strerror(code)))")
    }
}

/// A file read in order through a buffer, from wherever one likes.
struct Window {
    let file: FileBytes
    /// Read and not yet taken.
    private(set) var rest: ArraySlice<UInt8> = []
    /// Where `rest` begins in the file.
    private(set) var place: Int64
    private static let size = 128 * 1024

    init(_ file: FileBytes, at place: Int64 = 0) {
        self.file = file
        self.place = place
    }

    var isAtEnd: Bool { place >= file.size }

    /// Makes sure that so many bytes are in `rest`.
    /// - Returns: false when the file ends before.
    mutating func fill(_ count: Int = 1) throws -> Bool {
        if rest.count >= count { return true }
        rest = try file.read(at: place, count: max(Window.size, count))[...]
        return rest.count >= count
    }

    /// The next bytes; nil when the file ends before.
    mutating func take(_ count: Int) throws -> ArraySlice<UInt8>? {
        guard try fill(count) else { return nil }
        let taken = rest.prefix(count)
        skip(Int64(count))
        return taken
    }

    mutating func skip(_ count: Int64) {
        rest = count < Int64(rest.count) ? rest.dropFirst(Int(count)) : []
        place += count
    }
}

extension ArraySlice<UInt8> {
    /// A little-endian number so many bytes long, at an offset from the slice's start; the slice must hold it.
    func little(_ offset: Int, _ count: Int) -> Int64 {
        var value: UInt64 = 0
        for index in (0..<count).reversed() { value = value << 8 | UInt64(self[startIndex + offset + index]) }
        return Int64(truncatingIfNeeded: value)
    }

    func big32(_ offset: Int) -> Int {
        (0..<4).reduce(0) { $0 << 8 | Int(self[startIndex + offset + $1]) }
    }
}
