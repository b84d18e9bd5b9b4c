import Glibc

/// A lock file that any number of processes share, or one holds alone; the system frees it when its holder dies.
/// For one thread at a time.
package final class AccessLock: Sendable {
    private let descriptor: Descriptor

    /// - Parameter name: made when missing, readable for its owner alone.
    package init(_ name: String, in directory: Directory) throws(SystemError) {
        descriptor = try directory.openOrCreate(name, mode: 0o600)
    }

    /// Takes the lock if it is free; what was held of it before is gone either way.
    /// - Returns: false when it is somebody else's.
    package func attempt(alone: Bool) throws(SystemError) -> Bool {
        while flock(descriptor.number, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            if errno != EINTR { throw .last("lock", descriptor.path) }
        }
        return true
    }

    /// Waits for the lock. Blocks.
    /// - Throws: EWOULDBLOCK when nobody let it go for that long.
    package func acquire(alone: Bool, patience: Duration) throws(SystemError) {
        let end = SuspendingClock.now + patience
        var pause: UInt32 = 100
        while try !attempt(alone: alone) {
            guard SuspendingClock.now < end else { throw SystemError("lock", descriptor.path, code: EWOULDBLOCK) }
            usleep(pause)
            pause = min(pause * 2, 5000)
        }
    }

    package func release() { flock(descriptor.number, LOCK_UN) }
}
