import Digests
import Files
import HTTP
import Model
import Synchronization

/// Writes a body into a new file below `partial/` and takes its SHA-256 on the way. Called on threads that may block.
final class PartSink: BodySink {
    private struct State: ~Copyable {
        var file: Descriptor?
        var hash: SHA256?
        var prefix: [UInt8] = []
        var bytes: Int64 = 0
        var part: PartFile?
    }

    private let state = Mutex(State())
    private let directory: Directory
    private let name: String
    /// As much of the content as the inference of its type looks at.
    private static let prefixSize = 4096

    init(_ name: String, in directory: Directory) {
        self.name = name
        self.directory = directory
    }

    /// The whole file, once the body has ended well.
    var part: PartFile? { state.withLock { $0.part } }

    func write(_ bytes: [UInt8]) throws(HTTPError) {
        do {
            try state.withLock { state in
                try open(&state)
                try state.hash?.update(bytes)
                try state.file?.write(bytes)
                state.bytes += Int64(bytes.count)
                let missing = Self.prefixSize - state.prefix.count
                if missing > 0 { state.prefix += bytes.prefix(missing) }
            }
        } catch { throw failure(error) }
    }

    func finish() throws(HTTPError) {
        do {
            try state.withLock { state in
                // An empty body has not been written yet.
                try open(&state)
                guard let file = state.file.take(), let hash = state.hash.take() else { return }
                // Not made durable here: the store does that for many files at once.
                try file.close()
                state.part = PartFile(name: name, bytes: state.bytes, sha256: try hash.finish(), prefix: state.prefix)
            }
        } catch { throw failure(error) }
    }

    func abandon() {
        let isMade = state.withLock { state in
            let isMade = state.file != nil || state.part != nil || state.bytes > 0
            state.file = nil
            state.part = nil
            return isMade
        }
        // One that cannot be removed is found by the next run, which clears the folder.
        if isMade { try? directory.remove(name) }
    }

    private func open(_ state: inout State) throws {
        guard state.file == nil else { return }
        state.hash = try SHA256()
        state.file = try directory.create(name, mode: 0o600)
    }

    private func failure(_ error: any Error) -> HTTPError {
        let isFull = (error as? SystemError)?.isDiskFull == true
        return HTTPError(isFull ? .diskFull : .io, "\(error)")
    }
}

extension SHA256 {
    fileprivate mutating func update(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try update($0) }
    }
}
