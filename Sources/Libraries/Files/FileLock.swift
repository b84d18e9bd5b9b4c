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
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
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
}
