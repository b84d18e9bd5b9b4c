import Glibc

/// A lock that one process holds; the system frees it when its holder dies, however it dies.
package final class FileLock: Sendable {
    private let descriptor: Descriptor
    /// Another lock that is held as long as this one.
    private let companion: FileLock?

    private init(_ descriptor: consuming Descriptor, _ companion: FileLock?) {
        self.descriptor = descriptor
        self.companion = companion
    }

    package enum Attempt {
        case held(FileLock)
        /// Somebody else's; what the holder wrote about itself.
        case taken(by: String)
    }

    /// Takes the lock if it is free.
    /// - Parameters:
    ///   - note: written into the file for the message of whoever comes second.
    ///   - companion: a lock to hold on to as long as this one.
    package static func attempt(
        _ name: String, in directory: Directory, note: String, with companion: FileLock? = nil
    ) throws(SystemError) -> Attempt {
        try attempt(name, in: directory, note: note, LOCK_EX, companion)
    }

    /// Takes the lock together with others who share it, if nobody has it alone.
    package static func attemptShared(_ name: String, in directory: Directory) throws(SystemError) -> Attempt {
        try attempt(name, in: directory, note: nil, LOCK_SH, nil)
    }

    private static func attempt(
        _ name: String, in directory: Directory, note: String?, _ kind: Int32, _ companion: FileLock?
    ) throws(SystemError) -> Attempt {
        let file = try directory.openOrCreate(name)
        guard take(file.number, kind) else {
            if errno == EWOULDBLOCK {
                let note = try file.readAll(limit: 4096)
                return .taken(by: String(decoding: note, as: UTF8.self))
            }
            throw .last("lock", directory.below(name))
        }
        if let note {
            try check("write", directory.below(name)) { ftruncate(file.number, 0) }
            try file.write(Array(note.utf8))
        }
        return .held(FileLock(file, companion))
    }

    /// Tries again for a moment, since ``holder(_:in:)`` takes the lock for an instant to see whether it is free.
    private static func take(_ number: Int32, _ kind: Int32) -> Bool {
        for _ in 0..<5 {
            if flock(number, kind | LOCK_NB) == 0 { return true }
            if errno != EWOULDBLOCK { return false }
            usleep(4000)
        }
        return flock(number, kind | LOCK_NB) == 0
    }

    /// What the holder of a lock wrote about itself; nil when nobody has it.
    package static func holder(_ name: String, in directory: Directory) throws(SystemError) -> String? {
        guard try directory.status(name) != nil else { return nil }
        let file = try directory.open(name)
        if flock(file.number, LOCK_SH | LOCK_NB) == 0 { return nil }
        guard errno == EWOULDBLOCK else { throw .last("lock", directory.below(name)) }
        return String(decoding: try file.readAll(limit: 4096), as: UTF8.self)
    }
}
