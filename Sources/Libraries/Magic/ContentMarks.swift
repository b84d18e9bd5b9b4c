/// The type of a zip file by the names inside it, from its first bytes; nil for what is no zip.
///
/// OpenDocument and EPUB store their type as the first entry (ODF 1.3, part 2, 3.3; OCF 3.3, 4.3); Office Open XML,
/// Java and Android are known by the folders they must hold (ECMA-376, part 2).
func zipType(_ bytes: [UInt8]) -> String? {
    guard bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) else {
        return bytes.starts(with: [0x50, 0x4B, 0x05, 0x06]) ? "application/zip" : nil
    }
    var isJava = false
    var isOffice = false
    var place = 0
    for _ in 0..<200 {
        guard place + 30 <= bytes.count else { break }
        let nameLength = Int(bytes[place + 26]) | Int(bytes[place + 27]) << 8
        let extraLength = Int(bytes[place + 28]) | Int(bytes[place + 29]) << 8
        let nameEnd = min(place + 30 + nameLength, bytes.count)
        let name = String(decoding: bytes[(place + 30)..<nameEnd], as: UTF8.self)
        if place == 0, name == "mimetype", let type = storedType(bytes, at: nameEnd + extraLength) { return type }
        if let type = type(ofEntry: name) { return type }
        isJava = isJava || name.hasPrefix("META-INF/")
        isOffice = isOffice || name == "[Content_Types].xml" || name.hasPrefix("_rels/")
        guard let next = nextEntry(bytes, after: nameEnd) else { break }
        place = next
    }
    if isJava, !isOffice { return "application/x-java-archive" }
    return "application/zip"
}

/// What one entry's name alone tells of the whole.
private func type(ofEntry name: String) -> String? {
    let office = "application/vnd.openxmlformats-officedocument."
    if name.hasPrefix("word/") { return office + "wordprocessingml.document" }
    if name.hasPrefix("xl/") { return office + "spreadsheetml.sheet" }
    if name.hasPrefix("ppt/") { return office + "presentationml.presentation" }
    if name.hasPrefix("visio/") { return "application/vnd.ms-visio.drawing.main+xml" }
    switch name {
    case "AndroidManifest.xml", "classes.dex", "resources.arsc": return "application/vnd.android.package-archive"
    case "doc.kml": return "application/vnd.google-earth.kmz"
    default: return nil
    }
}

/// The type that a stored `mimetype` entry holds, up to what cannot be in one.
private func storedType(_ bytes: [UInt8], at start: Int) -> String? {
    guard start < bytes.count else { return nil }
    let held = bytes[start...].prefix(100).prefix { byte in
        (byte >= 0x61 && byte <= 0x7A) || (byte >= 0x30 && byte <= 0x39) || "/.+-".utf8.contains(byte)
    }
    let type = String(decoding: held, as: UTF8.self)
    return held.contains(UInt8(ascii: "/")) && type.hasPrefix("application/") ? type : nil
}

/// Entries are found by their signature, since the lengths before them may be written only behind the data.
private func nextEntry(_ bytes: [UInt8], after start: Int) -> Int? {
    var place = start
    while place + 4 <= bytes.count {
        guard let found = bytes[place...].firstIndex(of: 0x50), found + 4 <= bytes.count else { return nil }
        if bytes[found + 1] == 0x4B, bytes[found + 2] == 0x03, bytes[found + 3] == 0x04 { return found }
        place = found + 1
    }
    return nil
}

/// Kinds that libmagic of Debian 12 does not know, or knows under no type.
func signatureType(_ bytes: [UInt8]) -> String? {
    let marks: [(mark: [UInt8], type: String)] = [
        (Array("PAR1".utf8), "application/vnd.apache.parquet"),
        (Array("ARROW1".utf8), "application/vnd.apache.arrow.file"),
        (Array("WARC/1.".utf8), "application/warc"), (Array("HWP Document File".utf8), "application/x-hwp"),
        ([0x28, 0xB5, 0x2F, 0xFD], "application/zstd"), ([0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A], "application/x-hdf"),
        (Array("%PDF-".utf8), "application/pdf"),
    ]
    return marks.first { bytes.starts(with: $0.mark) }?.type
}

/// The tags that WHATWG MIME Sniffing (7.1) takes a text for HTML by, after blanks, a byte order mark and comments.
package func looksLikeHTML(_ bytes: [UInt8]) -> Bool {
    var rest = bytes.prefix(4096)
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    while true {
        rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard rest.starts(with: "<!--".utf8) else { break }
        guard let end = rest.indices.dropFirst(4).first(where: { rest[$0...].starts(with: "-->".utf8) }) else {
            return true
        }
        rest = rest[(end + 3)...]
    }
    guard rest.first == UInt8(ascii: "<") else { return false }
    let start = String(decoding: rest.prefix(16), as: UTF8.self).lowercased()
    let tags = [
        "<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style",
        "<title", "<b", "<body", "<br", "<p",
    ]
    return tags.contains { tag in
        guard start.hasPrefix(tag) else { return false }
        let next = start.dropFirst(tag.count).first
        return next == ">" || next == " " || next == "\n" || next == "\t" || next == "\r\n" || next == "\r"
    }
}
