import Digests
import Files
import HTTP
import Model
import Synchronization

/// A body that comes in several ranges at once, each into its own place of one file below `partial/`. Each range has a
/// digest of its own, so that after a kill what is right of it can be proven. Called on threads that may block.
final class SegmentedPart: Sendable {
    /// One of the ranges.
    final class Segment: BodySink {
        struct State: ~Copyable {
            var digest: SHA256
            /// How much of it is there.
            var bytes: Int64 = 0
            var logged: Int64 = 0
            var loggedAt = SuspendingClock.now
        }
        let index: Int
        let range: Range<Int64>
        let state: Mutex<State>
        private let write: @Sendable (UnsafeRawBufferPointer, Int64) throws -> Void
        private let log: @Sendable (PartLog.Checkpoint) throws -> Void
        private static let step: Int64 = 2 << 20

        init(
            _ index: Int, _ range: Range<Int64>, _ state: consuming sending State,
            write: @escaping @Sendable (UnsafeRawBufferPointer, Int64) throws -> Void,
            log: @escaping @Sendable (PartLog.Checkpoint) throws -> Void
        ) {
            self.index = index
            self.range = range
            self.state = Mutex(state)
            self.write = write
            self.log = log
        }

        /// The next byte that is missing.
        var next: Int64 { state.withLock { range.lowerBound + $0.bytes } }
        var isComplete: Bool { next == range.upperBound }

        func write(_ bytes: [UInt8]) throws(HTTPError) {
            try change { state in
                try bytes.withUnsafeBytes { piece in
                    try state.digest.update(piece)
                    try write(piece, range.lowerBound + state.bytes)
                }
                state.bytes += Int64(bytes.count)
                let isLate = SuspendingClock.now - state.loggedAt >= .seconds(1)
                if state.bytes - state.logged >= Self.step || state.logged == 0 || isLate { try note(&state) }
            }
        }

        func finish() throws(HTTPError) { try change { try note(&$0) } }

        func abandon(_ error: HTTPError) { try? change { try note(&$0) } }

        private func note(_ state: inout State) throws {
            guard state.bytes > state.logged else { return }
            try log(PartLog.Checkpoint(segment: index, bytes: state.bytes, sha256: try state.digest.current()))
            state.logged = state.bytes
            state.loggedAt = .now
        }

        private func change(_ body: (inout State) throws -> Void) throws(HTTPError) {
            do { try state.withLock { try body(&$0) } } catch let error as HTTPError { throw error } catch {
                let isFull = (error as? SystemError)?.isDiskFull == true
                throw HTTPError(isFull ? .diskFull : .io, "\(error)")
            }
        }
    }

    let name: String
    let directory: Directory
    let origin: PartOrigin
    let total: Int64
    let segments: [Segment]

    /// Less than this of a range is not worth a request.
    static let smallest: Int64 = 1 << 20

    private init(
        _ name: String, in directory: Directory, _ origin: PartOrigin, total: Int64, file: consuming Descriptor,
        log: consuming Descriptor, states: (Int, Range<Int64>) throws -> sending Segment.State
    ) throws {
        self.name = name
        self.directory = directory
        self.origin = origin
        self.total = total
        let file = Shared(file)
        let log = Shared(log)
        segments = try Self.ranges(total, origin.segments).enumerated().map { index, range in
            Segment(
                index, range, try states(index, range),
                write: { bytes, place in try file.descriptor.write(bytes, at: place) },
                log: { try log.descriptor.write(Array($0.line(isSegmented: true).utf8)) })
        }
    }

    /// An open file that several ranges write to; the system keeps their writes apart.
    private final class Shared: Sendable {
        let descriptor: Descriptor

        init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
    }

    /// How many ranges a body is fetched in; 1 when it is not worth it.
    static func count(of total: Int64, wanted: Int) -> Int { Int(clamping: min(Int64(wanted), total / smallest)) }

    private static func ranges(_ total: Int64, _ count: Int) -> [Range<Int64>] {
        let size = total / Int64(count)
        return (0..<Int64(count)).map { index in
            index * size..<(index == Int64(count) - 1 ? total : (index + 1) * size)
        }
    }

    /// Makes the file, whole but empty, and its log.
    /// - Throws: `SystemError`, `HTTPError` when there is no room.
    static func make(
        _ name: String, in directory: Directory, _ origin: PartOrigin, total: Int64, keepFree: Int64?
    ) throws -> SegmentedPart {
        if let keepFree, try directory.freeBytes() - keepFree < total {
            throw HTTPError(
                .diskFull,
                "\(total) bytes are to come into \(directory.path), and fetch.keep-free leaves \(keepFree) alone")
        }
        do {
            let file = try directory.create(name, mode: 0o600)
            try file.allocate(total)
            // The log appears whole, so that there is never one without its head.
            let logName = PartFile.logName(of: name)
            let log = try directory.create(logName + ".new", mode: 0o600)
            try log.write(PartLog.head(origin))
            try directory.rename(logName + ".new", to: directory, logName)
            return try SegmentedPart(name, in: directory, origin, total: total, file: file, log: log) { _, _ in
                Segment.State(digest: try SHA256())
            }
        } catch {
            try? directory.remove(PartFile.logName(of: name) + ".new")
            try? directory.remove(PartFile.logName(of: name))
            try? directory.remove(name)
            throw error
        }
    }

    /// Takes up what an earlier run has left, each range as far as its content is what the log says.
    /// - Returns: nil when it is of no use.
    static func reopened(
        _ name: String, _ log: PartLog, in directory: Directory, isCancelled: @Sendable () -> Bool
    ) throws -> SegmentedPart? {
        guard let total = log.origin.total else { return nil }
        let file = try directory.openOrCreate(name, mode: 0o600)
        let status = try file.status()
        guard status.isRegular, status.bytes == total else { return nil }
        let lines = try directory.openOrCreate(PartFile.logName(of: name), mode: 0o600)
        try lines.seek(to: lines.status().bytes)
        // What a kill cut short must not run into the next line.
        try lines.write([UInt8(ascii: "\n")])
        let reader = try directory.open(name)
        return try SegmentedPart(name, in: directory, log.origin, total: total, file: file, log: lines) {
            index, range in
            var points = log.checkpoints.filter {
                $0.segment == index && $0.bytes <= range.upperBound - range.lowerBound
            }
            while true {
                var digest = try SHA256()
                let proven = try reader.prove(points, from: range.lowerBound, &digest, isCancelled)
                guard proven < points.count else {
                    let bytes = points.last?.bytes ?? 0
                    return Segment.State(digest: digest, bytes: bytes, logged: bytes)
                }
                points.removeLast(points.count - proven)
            }
        }
    }

    /// Reads the whole file, once all ranges are there, and gives it the form of any other.
    /// - Throws: `HTTPError`, `SystemError`, `DigestError`.
    func whole(claim: DigestClaim?, isCancelled: () -> Bool) throws -> PartSink {
        let file = try directory.open(name)
        var digest = try BodyDigest(also: claim?.algorithm)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            guard !isCancelled() else { throw HTTPError(.cancelled, "stopped before it was complete") }
            let count = try file.read(into: buffer)
            if count == 0 { break }
            try digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        var state = PartSink.State()
        state.digest = consume digest
        state.file = consume file
        state.origin = origin
        state.claim = claim
        state.isMade = true
        let sink = PartSink(name, in: directory, state: state)
        try sink.finish()
        return sink
    }

    /// Bytes that are there.
    var bytes: Int64 { segments.reduce(0) { $0 + $1.next - $1.range.lowerBound } }

    /// Removes it. What cannot be removed is found by the next run.
    func discard() {
        try? directory.remove(PartFile.logName(of: name))
        try? directory.remove(name)
    }
}

extension Descriptor {
    /// - Returns: how many of the checkpoints are right.
    fileprivate borrowing func prove(
        _ points: [PartLog.Checkpoint], from start: Int64, _ digest: inout SHA256, _ isCancelled: () -> Bool
    ) throws -> Int {
        try seek(to: start)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var place: Int64 = 0
        for (index, point) in points.enumerated() {
            while place < point.bytes {
                let wanted = Int(clamping: min(Int64(buffer.count), point.bytes - place))
                let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
                guard count > 0, !isCancelled() else { return index }
                try digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                place += Int64(count)
            }
            guard try digest.current() == point.sha256 else { return index }
        }
        return points.count
    }
}
