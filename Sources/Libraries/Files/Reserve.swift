import Glibc

/// Room on the disk that is held back, so that the last word of a run can be written when everything else is full.
package final class Reserve: Sendable {
    private let directory: Directory
    private let name: String

    /// - Returns: nil when the room is not there, or the file system cannot hold any back.
    package init?(_ name: String, in directory: Directory, bytes: Int) {
        self.directory = directory
        self.name = name
        guard let file = try? directory.create(name), posix_fallocate(file.number, 0, off_t(bytes)) == 0 else {
            return nil
        }
    }

    deinit { release() }

    package func release() { try? directory.remove(name) }
}
