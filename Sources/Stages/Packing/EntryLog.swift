import Digests
import Files
import Glibc
import Lanes
import Synchronization

/// What a volume holds, entry by entry, as far as it is written: in a file without a name, so that a million entries
/// do not live in memory. One thread writes it; another may read along, to hold what it finds in the archive against
/// it.
///
/// It also remembers where the first name of each content stands: eight bytes of digest and an offset.
final class EntryLog: Sendable {
    private struct State {
        var pending: [UInt8] = []
        var written: Int64 = 0
        var firsts: [UInt64: Int64] = [:]
        var count = 0
        var isClosed = false
        /// What comes after the content: lists and tags.
        var tags: [ChecksumLine] = []

        var bytes: Int64 { written + Int64(pending.count) }
    }
    private let file: SharedDraft
    private let state = Mutex(State())
    private let grown = Semaphore()

    init(in directory: Directory, for bundle: String) throws {
        file = try SharedDraft("\(bundle).entries", in: directory)
    }

    /// Content entries so far.
    var count: Int { state.withLock { $0.count } }

    /// - Parameter line: its digest may be a SHA-256 with a SHA-512 behind it.
    func append(_ line: ChecksumLine) throws {
        try state.withLock { state in
            let key = Self.key(line.digest)
            if state.firsts[key] == nil { state.firsts[key] = state.bytes }
            state.pending += line.bytes
            state.count += 1
            if state.pending.count >= 1 << 16 { try flush(&state) }
        }
        grown.post()
    }

    func append(tag: ChecksumLine) {
        state.withLock { $0.tags.append(tag) }
        grown.post()
    }

    /// Nothing more comes.
    func close() {
        state.withLock { $0.isClosed = true }
        grown.post()
    }

    /// The first line of the content with this SHA-256.
    func first(of sha256: [UInt8]) throws -> ChecksumLine? {
        try state.withLock { state in
            guard let offset = state.firsts[Self.key(sha256)] else { return nil }
            // The key is a part of the digest: only the line tells whether this is the same content.
            guard let line = try line(at: offset, &state), line.digest.starts(with: sha256) else { return nil }
            return line
        }
    }

    /// The content's lines from their start, in pieces, as far as they are written.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try state.withLock { try flush(&$0) }
        return try file.read(at: offset, into: buffer)
    }

    /// Gives all lines of the content in pieces.
    func copy(to write: (UnsafeRawBufferPointer) throws -> Void) throws {
        try state.withLock { try flush(&$0) }
        try file.copy(to: write)
    }

    /// Waits until more than `count` entries, tags included, are written; false when there never will be.
    func waits(for count: Int) -> Bool {
        while true {
            let (isThere, isOver) = state.withLock { ($0.count + $0.tags.count > count, $0.isClosed) }
            if isThere || isOver { return isThere }
            grown.wait()
        }
    }

    /// The tag of that number, from 0; only when the content is whole.
    func tag(_ number: Int) -> ChecksumLine? {
        state.withLock { $0.tags.indices.contains(number) ? $0.tags[number] : nil }
    }

    private func line(at offset: Int64, _ state: inout State) throws -> ChecksumLine? {
        if offset >= state.written {
            let rest = state.pending[Int(offset - state.written)...]
            return ChecksumLine(rest.prefix { $0 != UInt8(ascii: "\n") })
        }
        // A path has 4,095 bytes at most, and escaping at most doubles them.
        var chunk = [UInt8](repeating: 0, count: 8192 + 256)
        let count = try chunk.withUnsafeMutableBytes { try file.read(at: offset, into: $0) }
        return ChecksumLine(chunk[..<count].prefix { $0 != UInt8(ascii: "\n") })
    }

    private func flush(_ state: inout State) throws {
        guard !state.pending.isEmpty else { return }
        try file.write(state.pending)
        state.written += Int64(state.pending.count)
        state.pending.removeAll(keepingCapacity: true)
    }

    private static func key(_ sha256: [UInt8]) -> UInt64 {
        sha256.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The lines of a log, one after the other, as far as they are written.
struct EntryLines {
    private static let step = 1 << 14
    private let log: EntryLog
    private var offset: Int64 = 0
    private var chunk: [UInt8] = []
    private var position = 0

    init(_ log: EntryLog) { self.log = log }

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
            chunk += [UInt8](repeating: 0, count: Self.step)
            let count = try chunk.withUnsafeMutableBytes { buffer in
                try log.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
            }
            chunk.removeLast(Self.step - count)
            offset += Int64(count)
            if count == 0 { return nil }
        }
    }
}
