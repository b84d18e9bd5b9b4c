import Files
import HTTP
import Model
import Synchronization

extension PartSink.State {
    /// Whether it is time to write down how far the content has come: what is lost when the program is killed is
    /// bounded, and so is what the log costs.
    var isLogDue: Bool {
        guard let origin, origin.total.map({ bytes < $0 }) ?? (bytes >= 64 << 10) else { return false }
        let step = min(max(bytes / 16, 256 << 10), 8 << 20)
        return logged == 0 || bytes - logged >= step || SuspendingClock.now - loggedAt >= .seconds(1)
    }
}

extension PartSink {
    /// Opens the file where the next bytes belong.
    func open(_ state: inout State) throws {
        let start = state.start.take() ?? state.bytes
        if state.file != nil, start == state.bytes { return }
        guard state.isMade else {
            state.digest = try BodyDigest(also: state.claim?.algorithm)
            state.file = try directory.create(name, mode: 0o600)
            state.isMade = true
            return
        }
        let file = try directory.openOrCreate(name, mode: 0o600)
        let status = try file.status()
        guard status.isRegular, status.bytes >= start, start == 0 || start == state.bytes else {
            throw SystemError("go on with", directory.below(name), code: 5)
        }
        try file.truncate(to: start)
        if start == 0 {
            state.digest = try BodyDigest(also: state.claim?.algorithm)
            state.log = nil
            state.logged = 0
            try directory.remove(PartFile.logName(of: name))
        }
        state.file = consume file
    }

    /// Looks whether there is room for what is still to come, as far as that is known, now and then.
    func checkSpace(_ state: inout State, _ keepFree: Int64) throws {
        if let measured = state.measuredAt, state.bytes >= measured, state.bytes - measured < 8 << 20 { return }
        state.measuredAt = state.bytes
        let missing = max((state.origin?.total ?? 0) - state.bytes, 1 << 20)
        let free = try directory.freeBytes()
        guard free - keepFree < missing else { return }
        state.isAtFloor = true
        throw HTTPError(
            .diskFull,
            "\(free) bytes are free for \(directory.path), and fetch.keep-free leaves \(keepFree) of them alone")
    }

    /// Writes down how far the content has come.
    func log(_ state: inout State) throws {
        guard let origin = state.origin, state.bytes > state.logged else { return }
        var checkpoint: PartLog.Checkpoint?
        switch state.digest {
        case .some(let digest): checkpoint = .init(bytes: digest.bytes, sha256: try digest.current())
        case nil: break
        }
        guard let checkpoint else { return }
        let line = Array(checkpoint.line().utf8)
        let logName = PartFile.logName(of: name)
        if state.logged == 0 {
            // It appears whole, so that there is never a log without its head.
            let draft = logName + ".new"
            try directory.remove(draft)
            let log = try directory.create(draft, mode: 0o600)
            try log.write(PartLog.head(origin) + line)
            try directory.rename(draft, to: directory, logName)
            state.log = consume log
        } else {
            if state.log == nil {
                let log = try directory.openOrCreate(logName, mode: 0o600)
                try log.seek(to: log.status().bytes)
                state.log = consume log
            }
            try state.log?.write(line)
        }
        state.logged = state.bytes
        state.loggedAt = .now
    }

    /// Takes up what an earlier run has left, as far as its content is what the log says.
    /// - Parameter isCancelled: asked now and then.
    /// - Returns: nil when nothing of it can be proven.
    static func reopened(
        _ name: String, _ log: PartLog, in directory: Directory, keepFree: Int64?, isCancelled: @Sendable () -> Bool
    ) throws -> PartSink? {
        let sink = PartSink(name, in: directory, keepFree: keepFree)
        let proven = try sink.state.withLock { try sink.prove(&$0, log, isCancelled) }
        if proven == log.checkpoints.count { return sink }
        guard proven > 0, !isCancelled() else { return nil }
        // Once more, up to where it is right.
        var shorter = log
        shorter.checkpoints.removeLast(log.checkpoints.count - proven)
        return try reopened(name, shorter, in: directory, keepFree: keepFree, isCancelled: isCancelled)
    }

    /// - Returns: how many checkpoints are right.
    private func prove(_ state: inout State, _ log: PartLog, _ isCancelled: @Sendable () -> Bool) throws -> Int {
        let claim = DigestClaim(log.origin.headers)
        let file = try directory.open(name)
        guard try file.status().isRegular else { return 0 }
        var digest = try BodyDigest(also: claim?.algorithm)
        for (index, checkpoint) in log.checkpoints.enumerated() {
            guard try file.read(into: &digest, upTo: checkpoint.bytes, isCancelled: isCancelled),
                try digest.current() == checkpoint.sha256
            else { return index }
        }
        state.digest = consume digest
        state.origin = log.origin
        state.claim = claim
        state.isMade = true
        return log.checkpoints.count
    }
}

extension Descriptor {
    /// - Returns: false when the file ends before.
    fileprivate borrowing func read(
        into digest: inout BodyDigest, upTo end: Int64, isCancelled: @Sendable () -> Bool
    ) throws -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        while digest.bytes < end {
            let wanted = Int(clamping: min(Int64(buffer.count), end - digest.bytes))
            let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
            guard count > 0, !isCancelled() else { return false }
            try digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return true
    }
}
