/// Whether content is compressed already, so that a zip stores it: deflating it again costs time and gains nothing.
enum CompressedContent {
    /// Extensions of formats whose content is compressed as a whole.
    private static let extensions: Set<String> = [
        "7z", "aac", "apk", "avi", "avif", "br", "bz2", "cab", "deb", "docm", "docx", "epub", "flac", "gif", "gz",
        "heic", "heif", "ipa", "jar", "jp2", "jpeg", "jpg", "jxl", "kmz", "lz", "lz4", "lzma", "m4a", "m4v", "mkv",
        "mov", "mp3", "mp4", "mpeg", "mpg", "nupkg", "odp", "ods", "odt", "oga", "ogg", "ogv", "opus", "png", "pptm",
        "pptx", "rar", "rpm", "tbz2", "tgz", "txz", "tzst", "webm", "webp", "whl", "wma", "wmv", "woff",
        "woff2", "xlsm", "xlsx", "xpi", "xz", "zip", "zst",
    ]

    /// First bytes of such formats, and where they lie.
    private static let marks: [(offset: Int, bytes: [UInt8])] = [
        (0, [0x1F, 0x8B]), (0, Array("PK\u{3}\u{4}".utf8)), (0, [0x28, 0xB5, 0x2F, 0xFD]),
        (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]), (0, Array("BZh".utf8)), (0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
        (0, Array("Rar!".utf8)), (0, [0xFF, 0xD8, 0xFF]), (0, [0x89, 0x50, 0x4E, 0x47]), (0, Array("GIF8".utf8)),
        (8, Array("WEBP".utf8)), (4, Array("ftyp".utf8)), (0, Array("OggS".utf8)), (0, Array("fLaC".utf8)),
        (0, Array("ID3".utf8)), (0, [0x1A, 0x45, 0xDF, 0xA3]), (0, Array("wOF2".utf8)), (0, Array("wOFF".utf8)),
    ]

    /// - Parameter prefix: the first bytes of the content, twelve where there are so many.
    static func isCompressed(name: String, prefix: UnsafeRawBufferPointer) -> Bool {
        if let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) {
            let end = name[name.utf8.index(after: dot)...]
            // A longer one is in no table, and need not be lowered.
            if end.utf8.count <= 8, extensions.contains(end.lowercased()) { return true }
        }
        return marks.contains { mark in
            prefix.count >= mark.offset + mark.bytes.count
                && prefix[mark.offset..<mark.offset + mark.bytes.count].elementsEqual(mark.bytes)
        }
    }
}
