import Glibc

/// Waits until something in some folders changes (inotify).
package final class FolderWatch: Sendable {
    private let descriptor: Descriptor
    private let folders: [String]
    /// An editor writes more than one file; what follows within that time is the same change.
    private static let settling: UInt32 = 300_000
    /// After that many milliseconds without a change the folders are looked up anew: one may have been put in place of
    /// another.
    private static let patience: Int32 = 20_000

    /// - Throws: ``SystemError``, also when a folder is not there.
    package init(_ folders: [String]) throws(SystemError) {
        let number = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard number >= 0 else { throw .last("watch", folders.joined(separator: ", ")) }
        descriptor = Descriptor(owning: number, path: "inotify")
        self.folders = folders
        for folder in folders { try watch(folder) }
    }

    private func watch(_ folder: String) throws(SystemError) {
        let mask = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
        guard inotify_add_watch(descriptor.number, folder, UInt32(mask)) >= 0 else { throw .last("watch", folder) }
    }

    /// Blocks until there was a change, or for a while.
    /// - Returns: whether there was one.
    package func waitForChange() -> Bool {
        // One that is gone is watched again when it is back.
        for folder in folders { try? watch(folder) }
        var stream = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        guard poll(&stream, 1, Self.patience) > 0 else { return false }
        usleep(Self.settling)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while read(descriptor.number, &buffer, buffer.count) > 0 {}
        return true
    }
}
