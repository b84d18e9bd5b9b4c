import Archives
import Digests
import Files
import Lanes
import Model
import Synchronization

/// Reads a volume back while it is still being written, so that the proof costs little time: one thread holds its
/// entries against what was put in, another makes its digest. What can only be read from its end (7z, a zip's
/// directory) is read when it is whole.
final class ReadBack: Sendable {
    private struct State {
        var available: Int64 = 0
        var isWhole = false
        var isAbandoned = false
        var checking: Task<Void, any Error>?
        var digesting: Task<[UInt8], any Error>?
    }
    private let file: SharedDraft
    private let check: BundleCheck
    private let format: BundleFormat
    private let passphrase: String?
    private let state = Mutex(State())
    /// One for each who reads along.
    private let grown = (entries: Semaphore(), digest: Semaphore())

    init(_ file: SharedDraft, _ log: EntryLog, _ format: BundleFormat, prefix: String, passphrase: String?) {
        self.file = file
        self.format = format
        self.passphrase = passphrase
        check = BundleCheck(log: log, prefix: prefix, isEmptyLast: format == .sevenZip)
    }

    /// Begins to read along.
    func start(on lanes: CheckLanes) {
        let checking = Task { [self] in
            guard format != .sevenZip else { return }
            try await lanes.entries.run { [self] in
                try check.run(ArchiveReader(following: Follower(self, grown.entries), passphrase: passphrase))
            }
        }
        let digesting = Task { [self] in try await lanes.digest.run { [self] in try digest() } }
        state.withLock { ($0.checking, $0.digesting) = (checking, digesting) }
    }

    /// More of the archive lies in the file.
    func grew(by bytes: Int) { change { $0.available += Int64(bytes) } }

    /// The archive is whole: waits for the verdict.
    /// - Returns: the SHA-256 of the file.
    /// - Throws: what is wrong with it.
    func finish(isolation: isolated (any Actor)? = #isolation) async throws -> [UInt8] {
        change { $0.isWhole = true }
        try await state.withLock { $0.checking }?.value
        switch format {
        case .sevenZip:
            try file.rewind()
            try check.run(ArchiveReader(descriptor: file.number, format: .sevenZip))
        case .zip:
            try file.rewind()
            try check.names(ArchiveReader(descriptor: file.number, format: .zip, passphrase: passphrase))
        default: break
        }
        return try await state.withLock { $0.digesting }?.value ?? []
    }

    /// Nobody waits for the verdict any more.
    func abandon() {
        check.log.close()
        change { $0.isAbandoned = true }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        grown.entries.post()
        grown.digest.post()
    }

    private func digest() throws -> [UInt8] {
        let follower = Follower(self, grown.digest)
        var hash = try SHA256()
        while let piece = follower.next() {
            try checkCancellation()
            if piece.isEmpty { return try hash.finish() }
            try hash.update(piece)
        }
        throw Failure(.io, "a bundle could not be read back to its end")
    }

    /// How many bytes lie at an offset; waits for the first. 0 at the end, nil when there is no end.
    fileprivate func available(at offset: Int64, _ grown: Semaphore) -> Int64? {
        while true {
            let (available, isWhole, isAbandoned) = state.withLock { ($0.available, $0.isWhole, $0.isAbandoned) }
            if isAbandoned { return nil }
            if available > offset || isWhole { return available - offset }
            grown.wait()
        }
    }

    fileprivate func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        try? file.read(at: offset, into: buffer)
    }
}

/// A file that grows, as an archive reader takes it.
private final class Follower: ArchiveSource {
    private let readBack: ReadBack
    private let grown: Semaphore
    private let chunk = Chunk()
    private var offset: Int64 = 0

    init(_ readBack: ReadBack, _ grown: Semaphore) {
        self.readBack = readBack
        self.grown = grown
    }

    func next() -> UnsafeRawBufferPointer? {
        guard let available = readBack.available(at: offset, grown) else { return nil }
        let wanted = Int(min(available, Int64(chunk.memory.count)))
        guard wanted > 0 else { return chunk.prefix(0) }
        let part = UnsafeMutableRawBufferPointer(rebasing: chunk.memory[..<wanted])
        guard let count = readBack.read(at: offset, into: part), count > 0 else { return nil }
        offset += Int64(count)
        return chunk.prefix(count)
    }
}

/// Threads that read along.
struct CheckLanes: Sendable {
    let entries: Lane
    let digest: Lane

    init() throws(LaneError) {
        entries = try Lane("pack-check")
        digest = try Lane("pack-digest")
    }
}
