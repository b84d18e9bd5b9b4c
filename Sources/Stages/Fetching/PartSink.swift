import Codings
import Digests
import Files
import HTTP
import Model
import Synchronization

/// A body on its way into a file below `partial/`, hashed as it comes, over as many answers as it takes.
/// ``begin(_:claim:at:)`` and the properties may be used anywhere; the rest is called on threads that may block.
final class PartSink: BodySink {
    struct State: ~Copyable {
        var file: Descriptor?
        var log: Descriptor?
        var digest: BodyDigest?
        var origin: PartOrigin?
        var claim: DigestClaim?
        var codings: [ContentCoding] = []
        /// Where the body that comes next belongs; done by its first write.
        var start: Int64?
        /// Up to where the log reaches.
        var logged: Int64 = 0
        var loggedAt = SuspendingClock.now
        var isMade = false
        var part: PartFile?
        /// Where the free space was last looked at.
        var measuredAt: Int64?
        /// There is room, but not for this; what has been written is right.
        var isAtFloor = false
        /// What the server says the content's digest is, and what it is instead.
        var mismatch: DigestClaim.Mismatch?

        var bytes: Int64 {
            switch digest {
            case .some(let digest): digest.bytes
            case nil: 0
            }
        }
    }

    let state: Mutex<State>
    let directory: Directory
    let name: String
    /// Bytes that must stay free on the file system.
    private let keepFree: Int64?

    /// - Parameter state: what is there already.
    init(
        _ name: String, in directory: Directory, keepFree: Int64? = nil, state: consuming sending State = State()
    ) {
        self.state = Mutex(state)
        self.name = name
        self.keepFree = keepFree
        self.directory = directory
    }

    /// The whole file, once the body has ended well.
    var part: PartFile? { state.withLock { $0.part } }

    /// How much has come, and of how much if the server said so.
    var progress: (received: Int64, total: Int64?) { state.withLock { ($0.bytes, $0.origin?.total) } }

    var codings: [ContentCoding] { state.withLock { $0.codings } }

    /// How the whole body contradicts what the server said of it.
    var mismatch: DigestClaim.Mismatch? { state.withLock { $0.mismatch } }

    /// The beginning that a later answer may go on from; nil when there is none.
    var kept: (origin: PartOrigin, bytes: Int64)? {
        state.withLock { state in
            guard state.part == nil, state.bytes > 0 else { return nil }
            return state.origin.map { ($0, state.bytes) }
        }
    }

    /// What comes next is the body of `origin` from `start` on.
    /// - Parameters:
    ///   - origin: nil when the body could not be gone on with.
    ///   - claim: what the server says that the whole content's digest is.
    ///   - codings: what is to be taken off the whole body; it is kept, hashed and gone on with as it came.
    func begin(_ origin: PartOrigin?, claim: DigestClaim?, at start: Int64, codings: [ContentCoding] = []) {
        state.withLock { state in
            state.origin = origin
            state.claim = claim
            state.codings = codings
            state.start = start
        }
    }

    func write(_ bytes: [UInt8]) throws(HTTPError) {
        try change { state in
            try open(&state)
            if let keepFree { try checkSpace(&state, keepFree) }
            try bytes.withUnsafeBytes { piece in
                try state.digest?.update(piece)
                try state.file?.write(piece)
            }
            if state.isLogDue { try self.log(&state) }
        }
    }

    func finish() throws(HTTPError) {
        try change { state in
            // An empty body has not been written yet.
            try open(&state)
            if let total = state.origin?.total, total != state.bytes {
                throw HTTPError(.truncated, "\(state.bytes) bytes of \(total) have come")
            }
            guard let file = state.file.take() else { return }
            // Until the store has the file, a log that says all of it came saves fetching it again.
            if state.log != nil { try self.log(&state) }
            state.log = nil
            // Not made durable here: the store does that for many files at once.
            try file.close()
            switch state.digest {
            case .some(let digest):
                state.mismatch = try state.claim?.mismatch(with: digest)
                state.part = PartFile(
                    name: name, bytes: digest.bytes, sha256: try digest.current(), prefix: digest.prefix)
            case nil: break
            }
        }
    }

    func abandon(_ error: HTTPError) {
        let isKept = state.withLock { state in
            defer {
                state.file = nil
                state.log = nil
            }
            state.part = nil
            let isWhole = state.start == nil || state.start == state.bytes
            guard error.kind.isInterruption || state.isAtFloor, state.origin != nil, state.bytes > 0, isWhole else {
                return false
            }
            state.start = nil
            return (try? self.log(&state)) != nil
        }
        if !isKept { discard() }
    }

    /// Removes what there is of it. One that cannot be removed is found by the next run, which clears the folder.
    func discard() {
        let isMade = state.withLock { state in
            defer {
                state.digest = nil
                state.origin = nil
                state.file = nil
                state.log = nil
                state.part = nil
                state.isMade = false
            }
            return state.isMade
        }
        guard isMade else { return }
        try? directory.remove(PartFile.logName(of: name))
        try? directory.remove(name)
    }

    private func change(_ body: (inout State) throws -> Void) throws(HTTPError) {
        do { try state.withLock { try body(&$0) } } catch let error as HTTPError { throw error } catch {
            let isFull = (error as? SystemError)?.isDiskFull == true
            throw HTTPError(isFull ? .diskFull : .io, "\(error)")
        }
    }
}
