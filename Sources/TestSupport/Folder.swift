import Files
import Glibc

/// A folder that a test owns, and what a test asks of a tree of files; made to check the program from outside, so
/// that it shares no code with it.
package struct Folder: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// Runs `body` in a new, empty folder that is removed with all that is in it when `body` ends.
    /// - Parameter parent: where to make it; `$TMPDIR`, else `/tmp`.
    package static func temporary<Result>(
        in parent: String? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (Folder) async throws -> sending Result
    ) async throws -> sending Result {
        let base = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/nightjar-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last("make a folder in", base) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = Folder(path)
        defer { folder.remove() }
        return try await body(folder)
    }

    /// The folder of that name below this one; made when missing, with those above it.
    package func folder(_ name: String) throws -> Folder {
        let below = Folder("\(path)/\(name)")
        try below.make()
        return below
    }

    /// Writes a file, over an older one, and makes the folders above it.
    package func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = "\(path)/\(name)"
        if let slash = file.lastIndex(of: "/") { try Folder(String(file[..<slash])).make() }
        guard let stream = fopen(file, "we") else { throw SystemError.last("create", file) }
        let written = fwrite(bytes, 1, bytes.count, stream)
        guard fclose(stream) == 0, written == bytes.count else { throw SystemError.last("write", file) }
    }

    package func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

    package func read(_ name: String) throws -> [UInt8] {
        let file = "\(path)/\(name)"
        guard let stream = fopen(file, "re") else { throw SystemError.last("open", file) }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, stream)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        guard ferror(stream) == 0 else { throw SystemError.last("read", file) }
        return bytes
    }

    package func text(_ name: String) throws -> String { String(decoding: try read(name), as: UTF8.self) }

    /// Makes a file of that size without content on disk, but for its first bytes.
    package func writeSparse(_ name: String, head: [UInt8], bytes: Int) throws {
        try write(name, head)
        guard truncate("\(path)/\(name)", off_t(bytes)) == 0 else { throw SystemError.last("enlarge", name) }
    }

    /// The bytes of a file; nil when there is none.
    package func size(_ name: String) -> Int? {
        var status = stat()
        return stat("\(path)/\(name)", &status) == 0 ? Int(status.st_size) : nil
    }

    package func exists(_ name: String) -> Bool { access("\(path)/\(name)", F_OK) == 0 }

    /// Bytes that an ordinary user may still write here.
    package var freeBytes: Int {
        var status = statvfs()
        return statvfs(path, &status) == 0 ? Int(status.f_bavail) * Int(status.f_frsize) : 0
    }

    /// The names in this folder alone, in no order; none when there is no folder.
    package var names: [String] {
        guard let handle = opendir(path) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let record = readdir(handle) {
            let name = withUnsafePointer(to: &record.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// One entry of a tree.
    package struct Entry: Sendable {
        /// Below the folder asked, components separated by slashes.
        package let name: String
        package let bytes: Int
        package let inode: UInt64
        package let mode: UInt32
        package var isFolder: Bool { mode & S_IFMT == S_IFDIR }
        package var isFile: Bool { mode & S_IFMT == S_IFREG }
    }

    /// Everything below the folder, sorted by name; empty when there is no folder.
    package func tree(_ below: String = "") -> [Entry] {
        let folder = Folder(below.isEmpty ? path : "\(path)/\(below)")
        var entries: [Entry] = []
        for name in folder.names {
            var status = stat()
            // What vanishes between the listing and the look was not there.
            guard lstat("\(folder.path)/\(name)", &status) == 0 else { continue }
            let entry = Entry(
                name: below.isEmpty ? name : "\(below)/\(name)", bytes: Int(status.st_size),
                inode: UInt64(status.st_ino), mode: status.st_mode)
            entries.append(entry)
            if entry.isFolder { entries += tree(entry.name) }
        }
        return entries.sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) }
    }

    /// The regular files below a folder of this one, named from there.
    package func files(_ below: String = "") -> [Entry] {
        Folder(below.isEmpty ? path : "\(path)/\(below)").tree().filter(\.isFile)
    }

    private func make() throws {
        if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw SystemError.last("make the folder", path)
        }
        try Folder(String(path[..<slash])).make()
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw SystemError.last("make the folder", path) }
    }

    private func remove() {
        for entry in tree().reversed() {
            let file = "\(path)/\(entry.name)"
            _ = entry.isFolder ? rmdir(file) : unlink(file)
        }
        rmdir(path)
    }
}
