/// The container that holds the entries.
package enum ArchiveFormat: Sendable, Hashable, CaseIterable {
    /// POSIX.1-2001 (pax): ustar headers, with extended ones only where an entry needs them.
    case tar
    /// PKWARE's APPNOTE 6.3: UTF-8 names flagged as such, zip64 where an entry or the directory needs it.
    case zip
    /// 7-Zip's own, LZMA. Written through a temporary file in `$TMPDIR`, since its directory comes last and its head
    /// first.
    case sevenZip
}

/// What compresses the container as a whole. Zip and 7z compress by themselves and take `none`.
package enum ArchiveFilter: Sendable, Hashable, CaseIterable {
    case none, gzip, zstd, xz
}

/// How an archive is to be written. The same entries under the same options give the same bytes, unless encrypted.
package struct ArchiveOptions: Sendable, Hashable {
    package var format: ArchiveFormat
    package var filter: ArchiveFilter
    /// As the format's own tool counts: gzip, zip and 7z 0...9, xz 0...9 (libarchive 3.6 takes 7 and more for 6),
    /// zstd 1...22; nil takes libarchive's default.
    package var level: Int?
    /// Threads that compress; zstd and xz only. The bytes do not depend on it.
    package var threads: Int
    /// Encrypts the content of a zip with AES-256 (WinZip's AE-2); names stay readable. Zip only.
    package var passphrase: String?

    package init(
        format: ArchiveFormat, filter: ArchiveFilter = .none, level: Int? = nil, threads: Int = 1,
        passphrase: String? = nil
    ) {
        self.format = format
        self.filter = filter
        self.level = level
        self.threads = threads
        self.passphrase = passphrase
    }

    /// The options in libarchive's syntax (archive_write_set_options(3)).
    var text: String {
        var options: [String] = []
        let module: String
        switch (format, filter) {
        case (.zip, _):
            module = "zip"
            options.append("zip:hdrcharset=UTF-8")
            if passphrase != nil { options.append("zip:encryption=aes256") }
        case (.sevenZip, _): module = "7zip"
        case (.tar, .none): return ""
        case (.tar, .gzip):
            module = "gzip"
            // The head of a gzip stream would hold the time of day.
            options.append("gzip:!timestamp")
        case (.tar, .zstd):
            module = "zstd"
            // Without a worker zstd cuts its blocks elsewhere, so one is always asked for.
            options.append("zstd:threads=\(max(threads, 1))")
        case (.tar, .xz):
            module = "xz"
            // One thread means the single-thread encoder, which gives other bytes than two or more do.
            options.append("xz:threads=\(max(threads, 2))")
        }
        if let level { options.append("\(module):compression-level=\(level)") }
        return options.joined(separator: ",")
    }
}
