/// What libmagic found, if it can be believed.
///
/// Many of its marks are one or two bytes long: of 40,000 random blocks it calls 500 a program, a zlib stream or music.
/// A name must not depend on such luck, so only kinds are believed whose marks are longer or checked in several places.
func trusted(_ found: String, _ prefix: [UInt8]) -> String? {
    if found.hasPrefix("text/"), !sureText.contains(found) {
        return looksLikeHTML(prefix) ? "text/html" : "text/plain"
    }
    if found == "audio/mpeg" { return prefix.starts(with: Array("ID3".utf8)) ? found : nil }
    return sureText.contains(found) || sureKinds.contains(found) || sureFamilies.contains { found.hasPrefix($0) }
        ? found : nil
}

private let sureText: Set<String> = [
    "text/html", "text/xml", "text/csv", "text/rtf", "text/calendar", "text/vcard", "text/x-shellscript",
    "text/x-diff", "text/vtt",
]

private let sureFamilies = [
    "application/vnd.openxmlformats", "application/vnd.oasis.opendocument", "application/vnd.ms-", "font/", "message/",
]

private let sureKinds: Set<String> = [
    "application/CDFV2", "application/epub+zip", "application/gzip", "application/java-archive", "application/json",
    "application/msword", "application/ogg", "application/pdf", "application/pgp-encrypted", "application/pgp-keys",
    "application/pgp-signature", "application/postscript", "application/rtf", "application/vnd.debian.binary-package",
    "application/vnd.rar", "application/vnd.sqlite3", "application/vnd.tcpdump.pcap", "application/warc",
    "application/wasm", "application/x-7z-compressed", "application/x-apple-diskimage", "application/x-archive",
    "application/x-bzip2", "application/x-cpio", "application/x-dbf", "application/x-debian-package",
    "application/x-hdf", "application/x-hdf5", "application/x-hwp", "application/x-iso9660-image",
    "application/x-lzip", "application/x-lz4", "application/x-ndjson", "application/x-netcdf",
    "application/x-ole-storage",
    "application/x-rar", "application/x-rpm", "application/x-sqlite3", "application/x-tar", "application/x-xz",
    "application/xml", "application/zip", "application/zstd", "audio/flac", "audio/midi", "audio/ogg", "audio/x-aiff",
    "audio/x-m4a", "audio/x-wav", "image/avif", "image/bmp", "image/gif", "image/heic", "image/heif", "image/jp2",
    "image/jpeg", "image/png", "image/svg+xml", "image/tiff", "image/vnd.adobe.photoshop", "image/vnd.djvu",
    "image/webp", "image/x-icns", "image/x-ms-bmp", "image/x-xcf", "video/mp4", "video/mpeg", "video/ogg",
    "video/quicktime", "video/webm", "video/x-m4v", "video/x-matroska", "video/x-ms-asf", "video/x-msvideo",
]
