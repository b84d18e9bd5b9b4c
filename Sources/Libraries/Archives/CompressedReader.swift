import CArchive
import Glibc

/// Decodes one compressed file: xz, zstd or bzip2, and no other filter. Blocks; for one thread at a time.
package final class CompressedReader {
    private let handle: OpaquePointer
    private var hasContent = false

    /// - Parameter descriptor: at the file's first byte; stays open and belongs to the caller.
    package init(descriptor: Int32) throws(ArchiveError) {
        guard let handle = archive_read_new() else { throw .fatal("decode", "out of memory", code: ENOMEM) }
        self.handle = handle
        for support in [
            archive_read_support_format_raw, archive_read_support_format_empty, archive_read_support_filter_zstd,
            archive_read_support_filter_xz, archive_read_support_filter_bzip2,
        ] {
            try check(handle, support(handle), "decode")
        }
        try check(handle, archive_read_open_fd(handle, descriptor, 256 * 1024), "decode")
        var entry: OpaquePointer?
        let result = archive_read_next_header(handle, &entry)
        if result != ARCHIVE_EOF {
            try check(handle, result, "decode")
            hasContent = true
        }
    }

    deinit { archive_read_free(handle) }

    /// Reads decoded content; 0 at its end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard hasContent else { return 0 }
        let count = archive_read_data(handle, buffer.baseAddress, buffer.count)
        if count < 0 { try check(handle, Int32(clamping: count), "decode") }
        return max(count, 0)
    }
}
