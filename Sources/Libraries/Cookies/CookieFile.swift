package import Files
import Glibc

/// A jar's file, shared between processes: read and replaced under a lock, whole and readable for its owner alone.
/// Everything here blocks.
package struct CookieFile: Sendable {
    /// Which version of the file was read.
    struct Stamp: Sendable, Hashable {
        let inode: UInt64
        let bytes: Int64
        /// Of the newest change in it, in seconds since 1970.
        let modified: Double

        init(_ status: FileStatus) {
            inode = status.inode
            bytes = status.bytes
            modified = status.modifiedTime
        }
    }
    private let directory: Directory
    private let name: String
    private let lock: AccessLock

    /// - Parameter name: of the jar, without `.txt`.
    package init(_ name: String, in directory: Directory) throws(SystemError) {
        self.directory = directory
        self.name = "\(name).txt"
        lock = try AccessLock(".\(name).lock", in: directory)
    }

    /// For messages.
    package var path: String { directory.below(name) }

    /// Who works with the jar for longer.
    func users() throws(SystemError) -> AccessLock {
        try AccessLock(".\(name.dropLast(4)).use", in: directory)
    }

    /// Who asks hosts whose cookies change with every answer.
    func turns() throws(SystemError) -> AccessLock {
        try AccessLock(".\(name.dropLast(4)).turn", in: directory)
    }

    /// Runs `work` while no other process writes, and with `alone` while none reads either.
    func locked<Value>(alone: Bool, _ work: () throws(SystemError) -> Value) throws(SystemError) -> Value {
        try lock.acquire(alone: alone, patience: .seconds(30))
        defer { lock.release() }
        return try work()
    }

    func stamp() throws(SystemError) -> Stamp? { try directory.status(name).map(Stamp.init) }

    /// The jar; empty when there is no file.
    package func read(now: Double) throws(SystemError) -> CookieText.Content {
        let file: Descriptor
        do { file = try directory.open(name) } catch  where error.isMissing { return CookieText.Content() }
        guard try file.status().isRegular else { throw SystemError("read", path, code: EINVAL) }
        return CookieText.read(try file.readAll(limit: CookieText.largest), now: now)
    }

    /// Replaces the file.
    func write(_ content: CookieText.Content, modified: Double) throws(SystemError) -> Stamp {
        let text = CookieText.write(
            content.jar.cookies, isUnderWay: content.isUnderWay, imported: content.imported)
        let file = try AtomicFile(name, in: directory, mode: 0o600)
        try file.write(text)
        try file.setModified(modified)
        let stamp = Stamp(try file.status())
        try file.publish()
        return stamp
    }

    /// Changes the file in one go; a run that uses the jar takes over what was changed.
    package func edit(now: Double, _ change: (inout CookieText.Content) -> Void) throws(SystemError) {
        try locked(alone: true) { () throws(SystemError) in
            var content = try read(now: now)
            change(&content)
            _ = try write(content, modified: now)
        }
    }

    /// Removes what writers left that were killed. The caller holds the lock alone.
    func removeLeftovers() throws(SystemError) {
        for leftover in try directory.names() where leftover.hasPrefix(".\(name).") && leftover.hasSuffix(".tmp") {
            try directory.remove(leftover)
        }
    }

    /// The names of the jars in a folder, sorted.
    package static func names(in directory: Directory) throws(SystemError) -> [String] {
        try directory.names().filter { $0.hasSuffix(".txt") && !$0.hasPrefix(".") }.map { String($0.dropLast(4)) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
