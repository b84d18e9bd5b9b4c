import CArchive
import Glibc

/// Takes an archive's bytes from libarchive: shows them to the observer, writes them to the descriptor, counts them.
final class ArchiveSink {
    private let descriptor: Int32
    private let observe: (UnsafeRawBufferPointer) -> Void
    private(set) var bytes: Int64 = 0
    /// errno of the write that failed; libarchive itself only learns that one did.
    private(set) var failure: Int32?

    init(descriptor: Int32, observe: @escaping (UnsafeRawBufferPointer) -> Void) {
        self.descriptor = descriptor
        self.observe = observe
    }

    func take(_ block: UnsafeRawBufferPointer) -> Int {
        var rest = block[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                failure = errno
                return -1
            }
            rest = rest.dropFirst(count)
        }
        observe(block)
        bytes += Int64(block.count)
        return block.count
    }
}

/// libarchive's write callback; `context` is an ``ArchiveSink`` that the writer keeps alive.
func takeBlock(
    _ handle: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ block: UnsafeRawPointer?, _ count: Int
) -> Int {
    guard let context else { return -1 }
    let sink = Unmanaged<ArchiveSink>.fromOpaque(context).takeUnretainedValue()
    return sink.take(UnsafeRawBufferPointer(start: block, count: count))
}
