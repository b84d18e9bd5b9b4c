import Files
import Glibc

/// A file without a name that one thread writes and others read; closed when the last of them lets it go.
final class SharedDraft: Sendable {
    private let file: DraftFile

    init(_ name: String, in directory: Directory) throws { file = try DraftFile(name, in: directory) }

    /// For libraries that write to it by number; valid while this value lives.
    var number: Int32 { file.descriptor.number }
    var path: String { file.descriptor.path }

    func write(_ bytes: [UInt8]) throws(SystemError) { try file.descriptor.write(bytes) }

    /// Reads from an offset, wherever others read and write; 0 at the end.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = pread(number, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            if errno != EINTR { throw SystemError.last("read", path) }
        }
    }

    /// Gives the whole in pieces.
    func copy(to write: (UnsafeRawBufferPointer) throws -> Void) throws {
        let chunk = Chunk(bytes: 1 << 16)
        var offset: Int64 = 0
        while true {
            let count = try read(at: offset, into: chunk.memory)
            if count == 0 { return }
            try write(chunk.prefix(count))
            offset += Int64(count)
        }
    }

    /// Begins to write a range to the disk, so that making it durable at the end takes less long.
    func startWriting(from offset: Int64, count: Int64) { file.descriptor.startWriting(from: offset, count: count) }

    func rewind() throws(SystemError) { try file.descriptor.seek(to: 0) }

    func synchronize() throws(SystemError) { try file.descriptor.synchronize() }

    /// Gives the file its name in its directory; EEXIST when that is taken.
    func link(as name: String) throws(SystemError) { try file.link(as: name) }
}
