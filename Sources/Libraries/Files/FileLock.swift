import Glibc

/// A lock that one process holds; the system frees it when its holder dies, however it dies.
package final class FileLock: Sendable {
    private let descriptor: Descriptor

    private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    package enum Attempt {
        case held(FileLock)
        /// Somebody else's; what the holder wrote about itself.
        case taken(by: String)
    }

    /// Takes the lock if it is free.
    /// - Parameter note: written into the file for the message of whoever comes second.
    package static func attempt(_ name: String, in directory: Directory, note: String) throws(SystemError) -> Attempt {
        let file = try directory.openOrCreate(name)
        guard take(file.number) else {
            if errno == EWOULDBLOCK {
                let note = try file.readAll(limit: 4096)
                return .taken(by: String(decoding: note, as: UTF8.self))
            }
            throw .last("lock", directory.below(name))
        }
        try check("write", directory.below(name)) { ftruncate(file.number, 0) }
        try file.write(Array(note.utf8))
        return .held(FileLock(file))
    }

    /// Tries again for a moment, since ``holder(_:in:)`` takes the lock for an instant to see whether it is free.
    private static func take(_ number: Int32) -> Bool {
        for _ in 0..<5 {
            if flock(number, LOCK_EX | LOCK_NB) == 0 { return true }
            if errno != EWOULDBLOCK { return false }
            usleep(4000)
        }
        return flock(number, LOCK_EX | LOCK_NB) == 0
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
