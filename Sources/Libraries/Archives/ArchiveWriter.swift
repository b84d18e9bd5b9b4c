import CArchive
import Glibc

/// Writes one archive to a descriptor, entry after entry, in bounded memory.
///
/// Entries are regular files with mode 0644 and owner 0 without names, so that nothing of this machine is told. The
/// caller sorts. A writer that goes without ``finish()`` leaves an archive cut short, never one that looks whole. For
/// one thread at a time; calls block.
///
/// A zip holds local time: its bytes are the same everywhere only in a process that called ``useUTCAsLocalTime()``.
package final class ArchiveWriter {
    private let handle: OpaquePointer
    private let entry: OpaquePointer
    private let locale: UTF8Locale
    private let sink: ArchiveSink
    private let format: ArchiveFormat
    private var open: (name: String, left: Int64)?
    private var isFinished = false

    /// - Parameters:
    ///   - descriptor: where the archive goes, from the position it has; stays open and belongs to the caller.
    ///   - observe: sees every byte of the archive in order, once it is written; to hash it on the way.
    /// - Throws: ``ArchiveError`` also for a level that the format does not have.
    package init(
        descriptor: Int32, options: ArchiveOptions,
        observe: @escaping (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws(ArchiveError) {
        locale = try UTF8Locale()
        guard let handle = archive_write_new() else { throw .fatal("create archive", "out of memory", code: ENOMEM) }
        guard let entry = archive_entry_new() else {
            archive_write_free(handle)
            throw .fatal("create archive", "out of memory", code: ENOMEM)
        }
        self.handle = handle
        self.entry = entry
        sink = ArchiveSink(descriptor: descriptor, observe: observe)
        format = options.format
        try setUp(options)
    }

    deinit {
        // Else freeing would write the end that makes a torn archive look whole.
        if !isFinished { archive_write_fail(handle) }
        archive_write_free(handle)
        archive_entry_free(entry)
    }

    private func setUp(_ options: ArchiveOptions) throws(ArchiveError) {
        let setFormat =
            switch options.format {
            case .tar: archive_write_set_format_pax_restricted
            case .zip: archive_write_set_format_zip
            case .sevenZip: archive_write_set_format_7zip
            }
        try check(setFormat(handle), "create archive")
        switch options.filter {
        case .none: break
        case .gzip: try check(archive_write_add_filter_gzip(handle), "create archive")
        case .zstd: try check(archive_write_add_filter_zstd(handle), "create archive")
        case .xz: try check(archive_write_add_filter_xz(handle), "create archive")
        }
        if let passphrase = options.passphrase {
            guard options.format == .zip else { throw .fatal("create archive", "only a zip can be encrypted") }
            try check(archive_write_set_passphrase(handle, passphrase), "create archive")
        }
        try check(locale.run { archive_write_set_options(handle, options.text) }, "set archive options")
        // Large blocks for few system calls; the last one ends where the archive does.
        try check(archive_write_set_bytes_per_block(handle, 256 * 1024), "create archive")
        try check(archive_write_set_bytes_in_last_block(handle, 1), "create archive")
        let context = Unmanaged.passUnretained(sink).toOpaque()
        try check(archive_write_open2(handle, context, nil, takeBlock, nil, nil), "create archive")
    }

    /// Bytes of the archive that were written so far; what the compressor still holds is not counted.
    package var bytes: Int64 { sink.bytes }

    /// Begins a regular file; its content follows by ``write(_:)``.
    /// - Parameters:
    ///   - name: relative, components separated by slashes.
    ///   - bytes: the exact size of the content.
    ///   - modified: seconds since 1970; for a zip within ``ZipTime``.
    ///   - stored: in a zip, not to be compressed; without effect elsewhere.
    package func beginFile(_ name: String, bytes: Int64, modified: Int64, stored: Bool = false) throws(ArchiveError) {
        describe(name, modified: modified)
        archive_entry_set_size(entry, bytes)
        if format == .zip {
            let method = stored ? archive_write_zip_set_compression_store : archive_write_zip_set_compression_deflate
            try check(method(handle), "add", entry: name)
        }
        try check(locale.run { archive_write_header(handle, entry) }, "add", entry: name)
        open = (name, bytes)
    }

    /// Adds to the content of the file that was begun.
    /// - Throws: ``ArchiveError`` also when that is more than its announced size.
    package func write(_ content: UnsafeRawBufferPointer) throws(ArchiveError) {
        guard let file = open, Int64(content.count) <= file.left else {
            throw .fatal("add", entry: open?.name, "its content is longer than its size")
        }
        var rest = content[...]
        while !rest.isEmpty {
            let count = archive_write_data(handle, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard count > 0 else {
                try check(count == 0 ? ARCHIVE_FATAL : Int32(clamping: count), "add", entry: file.name)
                return
            }
            rest = rest.dropFirst(count)
        }
        open = (file.name, file.left - Int64(content.count))
    }

    /// Ends the file that was begun.
    /// - Throws: ``ArchiveError`` also when content is missing, which libarchive would fill with zeros.
    package func endFile() throws(ArchiveError) {
        guard let file = open, file.left == 0 else {
            throw .fatal("add", entry: open?.name, "its content is shorter than its size")
        }
        try check(archive_write_finish_entry(handle), "add", entry: file.name)
        open = nil
    }

    /// Adds a second name of an earlier file; tar only.
    package func addHardLink(_ name: String, to target: String, modified: Int64) throws(ArchiveError) {
        guard format == .tar else { throw .fatal("add", entry: name, "this format has no hard links") }
        describe(name, modified: modified)
        archive_entry_set_size(entry, 0)
        archive_entry_copy_hardlink(entry, target)
        try check(locale.run { archive_write_header(handle, entry) }, "add", entry: name)
    }

    /// Writes the end of the archive. Nothing may follow.
    /// - Returns: the archive's size in bytes.
    @discardableResult package func finish() throws(ArchiveError) -> Int64 {
        guard open == nil else { throw .fatal("finish archive", "an entry is still open") }
        try check(locale.run { archive_write_close(handle) }, "finish archive")
        isFinished = true
        return sink.bytes
    }

    private func describe(_ name: String, modified: Int64) {
        archive_entry_clear(entry)
        // Not by the UTF-8 variant: that composes names (NFC), so that two of a folder could become one.
        archive_entry_copy_pathname(entry, name)
        archive_entry_set_filetype(entry, UInt32(Glibc.S_IFREG))
        archive_entry_set_perm(entry, 0o644)
        archive_entry_set_uid(entry, 0)
        archive_entry_set_gid(entry, 0)
        archive_entry_set_mtime(entry, time_t(modified), 0)
    }

    private func check(_ result: Int32, _ operation: String, entry: String? = nil) throws(ArchiveError) {
        if result != ARCHIVE_OK, let code = sink.failure {
            throw .fatal(operation, entry: entry, String(cString: strerror(code)), code: code)
        }
        try Archives.check(handle, result, operation, entry: entry)
    }
}
