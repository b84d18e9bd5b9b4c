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

/// Reads one archive, entry after entry, in bounded memory; knows tar and zip, plain or behind gzip, zstd or xz, or
/// 7z when that is what it is told, and nothing else, so that no hostile format is ever tried. For one thread at a
/// time; calls block.
package final class ArchiveReader {
    private let handle: OpaquePointer
    private let locale: UTF8Locale
    private let source: (any ArchiveSource)?
    private var current: String?
    /// Bytes of the entry at hand that were given.
    private var given: Int64 = 0

    /// - Parameters:
    ///   - descriptor: at the archive's first byte; stays open and belongs to the caller.
    ///   - format: what it is; nil for a tar or a zip.
    ///   - passphrase: of an encrypted zip.
    package convenience init(
        descriptor: Int32, format: ArchiveFormat? = nil, passphrase: String? = nil
    ) throws(ArchiveError) {
        let supports: [(OpaquePointer?) -> Int32] =
            switch format {
            case .sevenZip: [archive_read_support_format_7zip]
            case .tar: [archive_read_support_format_tar]
            case .zip: [archive_read_support_format_zip]
            case nil: [archive_read_support_format_tar, archive_read_support_format_zip]
            }
        try self.init(supports, passphrase, source: nil)
        try check(handle, locale.run { archive_read_open_fd(handle, descriptor, 256 * 1024) }, "open archive")
    }

    /// Reads from the front to the back, as a stream: a zip by the heads of its entries, not by its directory.
    /// - Parameter source: the archive's bytes.
    package convenience init(
        following source: any ArchiveSource, passphrase: String? = nil
    ) throws(ArchiveError) {
        try self.init(
            [archive_read_support_format_tar, archive_read_support_format_zip_streamable], passphrase, source: source)
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(handle, locale.run { archive_read_open(handle, context, nil, giveBlock, nil) }, "open archive")
    }

    private init(
        _ formats: [(OpaquePointer?) -> Int32], _ passphrase: String?, source: (any ArchiveSource)?
    ) throws(ArchiveError) {
        locale = try UTF8Locale()
        guard let handle = archive_read_new() else { throw .fatal("open archive", "out of memory", code: ENOMEM) }
        self.handle = handle
        self.source = source
        let filters: [(OpaquePointer?) -> Int32] = [
            archive_read_support_filter_gzip, archive_read_support_filter_zstd, archive_read_support_filter_xz,
        ]
        for support in formats + filters { try check(handle, support(handle), "open archive") }
        if let passphrase { try check(handle, archive_read_add_passphrase(handle, passphrase), "open archive") }
    }

    /// The next block of what is followed.
    fileprivate func nextBlock() -> UnsafeRawBufferPointer? { source?.next() }

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
        given = 0
        return described
    }

    /// The content of the entry at hand, piece by piece as it was decoded; valid until the next call, empty at the end.
    /// - Throws: ``ArchiveError`` also for a hole in the content, which none of ours has.
    package func read() throws(ArchiveError) -> UnsafeRawBufferPointer {
        while true {
            var (start, count, offset): (UnsafeRawPointer?, Int, Int64) = (nil, 0, 0)
            let result = archive_read_data_block(handle, &start, &count, &offset)
            if result == ARCHIVE_EOF { return UnsafeRawBufferPointer(start: nil, count: 0) }
            try check(handle, result, "read", entry: current)
            guard count > 0 else { continue }
            guard offset == given else { throw .failed("read", entry: current, "its content has a hole") }
            given += Int64(count)
            return UnsafeRawBufferPointer(start: start, count: count)
        }
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

/// Where the bytes of an archive come from that is read as a stream.
package protocol ArchiveSource: AnyObject {
    /// The next bytes, which stay valid until the next call; empty at the end, nil when they cannot be had.
    func next() -> UnsafeRawBufferPointer?
}

/// libarchive's read callback; `context` is the ``ArchiveReader``, which frees the handle before it goes.
private func giveBlock(
    _ handle: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ block: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int {
    guard let context, let block else { return -1 }
    let reader = Unmanaged<ArchiveReader>.fromOpaque(context).takeUnretainedValue()
    guard let bytes = reader.nextBlock() else { return -1 }
    block.pointee = bytes.baseAddress
    return bytes.count
}
