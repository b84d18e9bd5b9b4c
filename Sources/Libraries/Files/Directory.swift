import CShims
import Glibc

/// An open directory. Names below it are resolved one component at a time and never through a symbolic link, so that
/// nothing is read or written outside it whatever somebody planted there.
package final class Directory: Sendable {
    private let descriptor: Descriptor
    /// For messages.
    package let path: String

    private init(_ descriptor: consuming Descriptor) {
        path = descriptor.path
        self.descriptor = descriptor
    }

    /// Opens a directory by any path; links in it are the caller's own and followed.
    /// - Parameter create: makes the directory and those above it, mode 0777 less the umask.
    package convenience init(_ path: String, create: Bool = false) throws(SystemError) {
        if create { try Directory.makeAll(path) }
        let number = try check("open directory", path) {
            nj_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        }
        self.init(Descriptor(owning: number, path: path))
    }

    package var number: Int32 { descriptor.number }

    /// Opens a directory below this one.
    /// - Parameter name: components separated by slashes.
    package func directory(_ name: String, create: Bool = false) throws(SystemError) -> Directory {
        var current = self
        for component in name.utf8.split(separator: UInt8(ascii: "/")) {
            current = try current.child(String(decoding: component, as: UTF8.self), create: create)
        }
        return current
    }

    private func child(_ name: String, create: Bool) throws(SystemError) -> Directory {
        let path = below(name)
        guard name != ".." && name != "." else { throw SystemError("open directory", path, code: EINVAL) }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let known = nj_openat(number, name, flags, 0)
        if known >= 0 { return Directory(Descriptor(owning: known, path: path)) }
        if create, errno == ENOENT, mkdirat(number, name, 0o777) != 0, errno != EEXIST {
            throw .last("make directory", path)
        }
        let opened = try check("open directory", path) { nj_openat(number, name, flags, 0) }
        return Directory(Descriptor(owning: opened, path: path))
    }

    /// Opens a file of this directory for reading, never through a symbolic link.
    package func open(_ name: String) throws(SystemError) -> Descriptor {
        let opened = try check("open", below(name)) {
            nj_openat(number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
        }
        return Descriptor(owning: opened, path: below(name))
    }

    /// Makes a new file for writing; one that exists is an error.
    package func create(_ name: String, mode: UInt32 = 0o666) throws(SystemError) -> Descriptor {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let opened = try check("create", below(name)) { nj_openat(number, name, flags, mode_t(mode)) }
        return Descriptor(owning: opened, path: below(name))
    }

    /// Opens a file for reading and writing, made when missing.
    package func openOrCreate(_ name: String, mode: UInt32 = 0o666) throws(SystemError) -> Descriptor {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let opened = try check("open", below(name)) { nj_openat(number, name, flags, mode_t(mode)) }
        return Descriptor(owning: opened, path: below(name))
    }

    /// The status of a name itself, not of what a link points to; nil when nothing has that name.
    package func status(_ name: String) throws(SystemError) -> FileStatus? {
        var status = stat()
        if fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return FileStatus(status) }
        if errno == ENOENT { return nil }
        throw .last("examine", below(name))
    }

    /// What a symbolic link says; nil when the name is missing or no link.
    package func linkTarget(_ name: String) throws(SystemError) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(number, name, &buffer, buffer.count)
        if count >= 0 { return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) }
        if errno == EINVAL || errno == ENOENT { return nil }
        throw .last("read the link", below(name))
    }

    /// Renames over what may have the new name.
    package func rename(_ name: String, to other: Directory, _ newName: String) throws(SystemError) {
        try check("rename", "\(below(name)) to \(other.below(newName))") {
            renameat(number, name, other.number, newName)
        }
    }

    /// Renames, or throws EEXIST when the new name is taken.
    package func renameNew(_ name: String, to other: Directory, _ newName: String) throws(SystemError) {
        try check("rename", "\(below(name)) to \(other.below(newName))") {
            nj_rename_new(number, name, other.number, newName)
        }
    }

    /// Gives a file a second name (hard link); EEXIST when it is taken.
    package func link(_ name: String, to other: Directory, _ newName: String) throws(SystemError) {
        try check("link", "\(below(name)) to \(other.below(newName))") {
            linkat(number, name, other.number, newName, 0)
        }
    }

    /// Removes a file's name; one that is missing is no error.
    package func remove(_ name: String) throws(SystemError) {
        if unlinkat(number, name, 0) != 0 && errno != ENOENT { throw .last("remove", below(name)) }
    }

    package func removeDirectory(_ name: String) throws(SystemError) {
        if unlinkat(number, name, AT_REMOVEDIR) != 0 && errno != ENOENT { throw .last("remove", below(name)) }
    }

    /// Makes the names in this directory durable.
    package func synchronize() throws(SystemError) { try descriptor.synchronize() }

    /// Makes everything written to this file system durable, in one go for many files.
    package func synchronizeFileSystem() throws(SystemError) {
        try check("make durable", path) { nj_sync_file_system(number) }
    }

    /// The names in this directory, without `.` and `..`, in no order.
    package func names() throws(SystemError) -> [String] {
        var names: [String] = []
        try eachName { names.append(String(decoding: $0, as: UTF8.self)) }
        return names
    }

    /// Calls `body` with the bytes of each name in this directory but `.` and `..`, in no order.
    func eachName(_ body: ([UInt8]) -> Void) throws(SystemError) {
        let copy = try check("open directory", path) { nj_openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        guard let stream = fdopendir(copy) else {
            defer { Glibc.close(copy) }
            throw .last("read directory", path)
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw .last("read directory", path) }
                return
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [UInt8(ascii: ".")], name != Array("..".utf8) { body(name) }
        }
    }

    /// Bytes that an ordinary user may still write to this file system.
    package func freeBytes() throws(SystemError) -> Int64 {
        var status = statvfs()
        try check("examine file system", path) { fstatvfs(number, &status) }
        return Int64(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }

    /// The path of a name in this directory, for messages.
    package func below(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    private static func makeAll(_ path: String) throws(SystemError) {
        if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.utf8.dropLast().lastIndex(of: UInt8(ascii: "/")),
            slash > path.startIndex
        else { throw .last("make directory", path) }
        try makeAll(String(path[..<slash]))
        if mkdir(path, 0o777) != 0 && errno != EEXIST { throw .last("make directory", path) }
    }
}
