import CArchive
import Glibc

/// An entry as an archive tells of it.
package struct ArchiveEntry: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case file
        case directory
        /// A second name of an earlier entry.
        case hardLink(to: String)
        /// A symbolic link, a device and the like.
        case other
    }
    /// As libarchive gives it: composed (NFC), and in a zip with slashes for backslashes where it has no slash.
    package let name: String
    package let kind: Kind
    /// Nil where the archive does not tell.
    package let bytes: Int64?
    /// Seconds since 1970.
    package let modified: Int64
}

/// Reads one archive from a descriptor, entry after entry, in bounded memory; knows tar and zip, plain or behind gzip,
/// zstd or xz, and nothing else, so that no hostile format is ever tried. For one thread at a time; calls block.
package final class ArchiveReader {
    private let handle: OpaquePointer
    private let locale: UTF8Locale
    private var current: String?

    /// - Parameter descriptor: at the archive's first byte; stays open and belongs to the caller.
    package init(descriptor: Int32) throws(ArchiveError) {
        locale = try UTF8Locale()
        guard let handle = archive_read_new() else { throw .fatal("open archive", "out of memory", code: ENOMEM) }
        self.handle = handle
        for support in [
            archive_read_support_format_tar, archive_read_support_format_zip, archive_read_support_filter_gzip,
            archive_read_support_filter_zstd, archive_read_support_filter_xz,
        ] {
            try check(handle, support(handle), "open archive")
        }
        let opened = locale.run { archive_read_open_fd(handle, descriptor, 256 * 1024) }
        try check(handle, opened, "open archive")
    }

    deinit { archive_read_free(handle) }

    /// Goes on to the next entry; what was not read of the one before is skipped. Nil after the last.
    /// - Throws: ``ArchiveError`` for whatever is not wholly right.
    package func next() throws(ArchiveError) -> ArchiveEntry? {
        var entry: OpaquePointer?
        let result = locale.run { archive_read_next_header(handle, &entry) }
        if result == ARCHIVE_EOF { return nil }
        try check(handle, result, "read the entry after", entry: current)
        guard let entry else { throw .fatal("read archive", "libarchive gave no entry") }
        let described = locale.run { ArchiveEntry(entry) }
        guard let described else { throw .failed("read the entry after", entry: current, "its name is no UTF-8") }
        current = described.name
        return described
    }

    /// Reads content of the entry at hand; 0 at its end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count = archive_read_data(handle, buffer.baseAddress, buffer.count)
        if count < 0 { try check(handle, Int32(clamping: count), "read", entry: current) }
        return max(count, 0)
    }
}

extension ArchiveEntry {
    fileprivate init?(_ entry: OpaquePointer) {
        guard let name = archive_entry_pathname_utf8(entry) else { return nil }
        self.name = String(cString: name)
        if let target = archive_entry_hardlink_utf8(entry) {
            kind = .hardLink(to: String(cString: target))
        } else {
            switch UInt32(archive_entry_filetype(entry)) {
            case Glibc.S_IFREG: kind = .file
            case Glibc.S_IFDIR: kind = .directory
            default: kind = .other
            }
        }
        bytes = archive_entry_size_is_set(entry) == 0 ? nil : archive_entry_size(entry)
        modified = Int64(archive_entry_mtime(entry))
    }
}

extension ArchiveError {
    fileprivate static func failed(_ operation: String, entry: String?, _ reason: String) -> ArchiveError {
        ArchiveError(severity: .failed, operation: operation, entry: entry, reason: reason, code: 0)
    }
}
