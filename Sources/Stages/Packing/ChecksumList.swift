import Digests
import Files
import Glibc

/// The lines of `SHA256SUMS`, in a file without a name while the bundle grows, so that a million of them do not live
/// in memory. It also remembers where the first name of each content stands: eight bytes of digest and an offset.
final class ChecksumList {
    private let file: DraftFile
    private var pending: [UInt8] = []
    private var written: Int64 = 0
    private var firsts: [UInt64: Int64] = [:]

    init(in directory: Directory, for bundle: String) throws {
        file = try DraftFile("\(bundle).sums", in: directory)
        pending.reserveCapacity(1 << 16)
    }

    /// Bytes of all lines.
    var bytes: Int64 { written + Int64(pending.count) }
    private(set) var count = 0

    func append(_ line: ChecksumLine) throws {
        let key = Self.key(line.sha256)
        if firsts[key] == nil { firsts[key] = bytes }
        pending += line.bytes
        count += 1
        if pending.count >= 1 << 16 { try flush() }
    }

    /// The first name in the list of the content with this digest.
    func firstName(of sha256: [UInt8]) throws -> String? {
        guard let offset = firsts[Self.key(sha256)] else { return nil }
        // The key is a part of the digest: only the line tells whether this is the same content.
        guard let line = try line(at: offset), line.sha256 == sha256 else { return nil }
        return line.name
    }

    /// The whole list from its start, in pieces, also after more was appended.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try flush()
        while true {
            let count = pread(file.descriptor.number, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            if errno != EINTR { throw SystemError.last("read", file.descriptor.path) }
        }
    }

    private func line(at offset: Int64) throws -> ChecksumLine? {
        if offset >= written {
            let rest = pending[Int(offset - written)...]
            return ChecksumLine(rest.prefix { $0 != UInt8(ascii: "\n") })
        }
        // A path has 4,095 bytes at most, and escaping at most doubles them.
        var chunk = [UInt8](repeating: 0, count: 8192 + 80)
        let count = try chunk.withUnsafeMutableBytes { try read(at: offset, into: $0) }
        return ChecksumLine(chunk[..<count].prefix { $0 != UInt8(ascii: "\n") })
    }

    private func flush() throws {
        guard !pending.isEmpty else { return }
        try file.descriptor.write(pending)
        written += Int64(pending.count)
        pending.removeAll(keepingCapacity: true)
    }

    private static func key(_ sha256: [UInt8]) -> UInt64 {
        sha256.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The lines of a list, one after the other.
struct ChecksumLines {
    private let list: ChecksumList
    private var offset: Int64 = 0
    private var chunk: [UInt8] = []
    private var position = 0

    init(_ list: ChecksumList) { self.list = list }

    /// Nil after the last.
    mutating func next() throws -> ChecksumLine? {
        while true {
            if let end = chunk[position...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { position = end + 1 }
                return ChecksumLine(chunk[position..<end])
            }
            chunk.removeFirst(position)
            position = 0
            let start = chunk.count
            chunk += [UInt8](repeating: 0, count: 1 << 16)
            let count = try chunk.withUnsafeMutableBytes { buffer in
                try list.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
            }
            chunk.removeLast((1 << 16) - count)
            offset += Int64(count)
            if count == 0 { return nil }
        }
    }
}
