import Archives
import Files
import Lanes
import Model
import Synchronization

/// Reads a volume back on a thread of its own while it is still being written, so that the proof costs little time.
/// What can only be read from its end (7z, a zip's directory) is read when it is whole.
final class ReadBack: Sendable {
    private struct State {
        var available: Int64 = 0
        var isWhole = false
        var isAbandoned = false
    }
    private let file: SharedDraft
    private let check: BundleCheck
    private let format: BundleFormat
    private let passphrase: String?
    private let state = Mutex(State())
    private let grown = Semaphore()
    private let reading = Mutex<Task<[UInt8], any Error>?>(nil)

    init(_ file: SharedDraft, _ log: EntryLog, _ format: BundleFormat, prefix: String, passphrase: String?) {
        self.file = file
        self.format = format
        self.passphrase = passphrase
        check = BundleCheck(log: log, prefix: prefix, isEmptyLast: format == .sevenZip)
    }

    /// Begins to read along.
    func start(on lane: Lane) {
        guard format != .sevenZip else { return }
        let task = Task { [self] in
            try await lane.run { [self] in
                let follower = try Follower(self)
                try check.run(ArchiveReader(following: follower, passphrase: passphrase))
                return try follower.digest()
            }
        }
        reading.withLock { $0 = task }
    }

    /// More of the archive lies in the file.
    func grew(by bytes: Int) {
        state.withLock { $0.available += Int64(bytes) }
        grown.post()
    }

    /// The archive is whole: waits for the verdict.
    /// - Returns: the SHA-256 of the file where it was read as a stream; nil for a 7z.
    /// - Throws: what is wrong with it.
    func finish(isolation: isolated (any Actor)? = #isolation) async throws -> [UInt8]? {
        state.withLock { $0.isWhole = true }
        grown.post()
        let sha256 = try await reading.withLock { $0 }?.value
        switch format {
        case .sevenZip:
            try file.rewind()
            try check.run(ArchiveReader(descriptor: file.number, format: .sevenZip))
        case .zip:
            try file.rewind()
            try check.names(ArchiveReader(descriptor: file.number, format: .zip, passphrase: passphrase))
        default: break
        }
        return sha256
    }

    /// Nobody waits for the verdict any more.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        check.log.close()
        grown.post()
    }

    /// How many bytes lie at an offset; waits for the first. 0 at the end, nil when there is no end.
    fileprivate func available(at offset: Int64) -> Int64? {
        while true {
            let seen = state.withLock { $0 }
            if seen.isAbandoned { return nil }
            if seen.available > offset || seen.isWhole { return seen.available - offset }
            grown.wait()
        }
    }

    fileprivate func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        try? file.read(at: offset, into: buffer)
    }
}

/// A file that grows, as an archive reader takes it; hashed on the way, since this thread has the time for it.
private final class Follower: ArchiveSource {
    private let readBack: ReadBack
    private let chunk = Chunk()
    private let hash: RunningDigest
    private var offset: Int64 = 0

    init(_ readBack: ReadBack) throws {
        self.readBack = readBack
        hash = try RunningDigest()
    }

    /// SHA-256 of the whole file, also of what an archive reader leaves at its end.
    func digest() throws -> [UInt8] {
        while let rest = next() {
            try checkCancellation()
            if rest.isEmpty { return try hash.finish() }
        }
        throw Failure(.io, "a bundle could not be read back to its end")
    }

    func next() -> UnsafeRawBufferPointer? {
        guard let available = readBack.available(at: offset) else { return nil }
        let wanted = Int(min(available, Int64(chunk.memory.count)))
        guard wanted > 0 else { return chunk.prefix(0) }
        let part = UnsafeMutableRawBufferPointer(rebasing: chunk.memory[..<wanted])
        guard let count = readBack.read(at: offset, into: part), count > 0 else { return nil }
        offset += Int64(count)
        hash.update(chunk.prefix(count))
        return chunk.prefix(count)
    }
}
