import CShims
import Glibc

/// A file of any size that has no name until it is whole: when the process dies, nothing is left of it.
///
/// Where the file system knows no files without a name (NFS, say) it is `.<name>.part` meanwhile, which a killed
/// process does leave behind; ``isLeftover(_:)`` knows it.
package struct DraftFile: ~Copyable, Sendable {
    private let directory: Directory
    private let temporary: String?
    /// Open for reading and writing.
    package let descriptor: Descriptor

    /// - Parameters:
    ///   - name: for messages, and for the temporary name where one is needed.
    ///   - directory: on whose file system it lies.
    ///   - isUnnamed: false to have the temporary name at once.
    package init(_ name: String, in directory: Directory, mode: UInt32 = 0o666, isUnnamed: Bool = true)
        throws(SystemError)
    {
        self.directory = directory
        if isUnnamed, access("/proc/self/fd", X_OK) == 0 {
            let number = nj_open_unnamed(directory.number, mode_t(mode))
            if number >= 0 {
                temporary = nil
                descriptor = Descriptor(owning: number, path: directory.below(name))
                return
            }
            guard [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(errno) else {
                throw .last("create a file in", directory.path)
            }
        }
        let temporary = ".\(name).part"
        // One that is left can only be of a dead process: who writes here holds the lock of the job.
        try directory.remove(temporary)
        descriptor = try directory.create(temporary, mode: mode)
        self.temporary = temporary
    }

    deinit { if let temporary { try? directory.remove(temporary) } }

    /// Gives the file its name in its directory; EEXIST when that is taken. The caller has made the content durable
    /// and makes the directory so.
    package borrowing func link(as name: String) throws(SystemError) {
        if let temporary { return try directory.link(temporary, to: directory, name) }
        try check("link", directory.below(name)) { nj_link_unnamed(descriptor.number, directory.number, name) }
    }

    /// True for the temporary name of a draft or an ``AtomicFile``.
    package static func isLeftover(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: ".") && (name.hasSuffix(".part") || name.hasSuffix(".tmp"))
    }
}
