import CShims
import Glibc

/// An open file; closed exactly once.
package struct Descriptor: ~Copyable, Sendable {
    /// For calls that this library does not wrap; valid while the descriptor lives.
    package private(set) var number: Int32
    /// For messages.
    package let path: String

    package init(owning number: Int32, path: String) {
        self.number = number
        self.path = path
    }

    deinit { if number >= 0 { Glibc.close(number) } }

    /// Closes and tells what a write that was put off has to say. The descriptor is gone also when this throws.
    package consuming func close() throws(SystemError) {
        let open = number
        number = -1
        // Not repeated after EINTR: on Linux the descriptor is closed all the same.
        if Glibc.close(open) != 0 && errno != EINTR { throw .last("close", path) }
    }

    /// Writes all bytes at the file's position.
    package borrowing func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw .last("write", path)
            }
            rest = rest.dropFirst(count)
        }
    }

    package borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
        do { try bytes.withUnsafeBytes { try write($0) } } catch let error as SystemError { throw error } catch {
            throw SystemError("write", path, code: EIO)
        }
    }

    /// Writes all bytes at a place of the file; its position stays.
    package borrowing func write(_ bytes: UnsafeRawBufferPointer, at place: Int64) throws(SystemError) {
        var rest = bytes[...]
        var place = place
        while !rest.isEmpty {
            let count = pwrite(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, off_t(place))
            if count < 0 {
                if errno == EINTR { continue }
                throw .last("write", path)
            }
            rest = rest.dropFirst(count)
            place += Int64(count)
        }
    }

    /// Makes the file that long, with room for all of it where the file system can promise that.
    package borrowing func allocate(_ size: Int64) throws(SystemError) {
        while nj_fallocate(number, size) != 0 {
            switch errno {
            case EINTR: continue
            case EOPNOTSUPP:
                try check("enlarge", path) { ftruncate(number, off_t(size)) }
                return
            default: throw .last("make room for", path)
            }
        }
    }

    /// Reads up to `buffer.count` bytes; 0 at the end of the file.
    package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = Glibc.read(number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR { throw .last("read", path) }
        }
    }

    /// What one read gives of the next `most` bytes.
    package borrowing func readBeginning(_ most: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count: Int
        do { count = try bytes.withUnsafeMutableBytes { try read(into: $0) } } catch let error as SystemError {
            throw error
        } catch { throw SystemError("read", path, code: EIO) }
        bytes.removeSubrange(count...)
        return bytes
    }

    /// The rest of the file.
    /// - Throws: EFBIG when more than `limit` bytes are left.
    package borrowing func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count: Int
            do { count = try chunk.withUnsafeMutableBytes { try read(into: $0) } } catch let error as SystemError {
                throw error
            } catch { throw SystemError("read", path, code: EIO) }
            if count == 0 { return result }
            guard result.count + count <= limit else { throw SystemError("read", path, code: EFBIG) }
            result += chunk[..<count]
        }
    }

    /// Cuts the file, or fills it up with zeros, and goes on at its new end.
    package borrowing func truncate(to size: Int64) throws(SystemError) {
        try check("cut", path) { ftruncate(number, off_t(size)) }
        try seek(to: size)
    }

    /// Goes on reading and writing there.
    package borrowing func seek(to position: Int64) throws(SystemError) {
        guard lseek(number, off_t(position), SEEK_SET) >= 0 else { throw .last("seek in", path) }
    }

    /// Makes content and size durable.
    package borrowing func synchronize() throws(SystemError) {
        try check("make durable", path) { fsync(number) }
    }

    /// Begins to write a range to the disk, so that making it durable later takes less long. What goes wrong is told
    /// then.
    package borrowing func startWriting(from offset: Int64, count: Int64) {
        _ = nj_start_writing(number, offset, count)
    }

    package borrowing func setMode(_ mode: UInt32) throws(SystemError) {
        try check("set the mode of", path) { fchmod(number, mode_t(mode)) }
    }

    /// - Parameter seconds: since 1970.
    package borrowing func setModified(_ seconds: Double) throws(SystemError) {
        guard let whole = Int(exactly: seconds.rounded(.down)) else {
            throw SystemError("set the time of", path, code: EINVAL)
        }
        // UTIME_OMIT, a macro that Swift does not import: the access time stays.
        let fraction = Int((seconds - Double(whole)) * 1e9)
        let times = [timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2), timespec(tv_sec: whole, tv_nsec: fraction)]
        try check("set the time of", path) { futimens(number, times) }
    }

    /// Copies the whole content to an empty file: shares the blocks where the file system can, else writes them.
    package borrowing func copyContent(to copy: borrowing Descriptor) throws(SystemError) {
        if nj_reflink(copy.number, number) == 0 { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            let count = try read(into: buffer)
            if count == 0 { return }
            try copy.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    package borrowing func status() throws(SystemError) -> FileStatus {
        var status = stat()
        try check("examine", path) { fstat(number, &status) }
        return FileStatus(status)
    }
}

/// What the file system says of a file.
package struct FileStatus: Sendable, Hashable {
    package let bytes: Int64
    package let isRegular: Bool
    package let isDirectory: Bool
    package let isSymbolicLink: Bool
    package let device: UInt64
    package let inode: UInt64
    package let links: UInt64
    /// Seconds since 1970 of the last change of the content.
    package let modified: Int64
    /// The same with its fraction, as exact as a Double is.
    package let modifiedTime: Double

    init(_ status: stat) {
        bytes = Int64(status.st_size)
        let kind = status.st_mode & S_IFMT
        isRegular = kind == S_IFREG
        isDirectory = kind == S_IFDIR
        isSymbolicLink = kind == S_IFLNK
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        links = UInt64(status.st_nlink)
        modified = Int64(status.st_mtim.tv_sec)
        modifiedTime = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    }
}
