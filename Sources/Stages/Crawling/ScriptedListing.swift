import JSON
import URLs

/// The entries of directory listings whose pages hold them as data that a script shows: those of dufs, pCloud's public
/// folders, and the `index.php` whose pages call `_d()` and `_f()` for each entry. Nothing else in a script is a link.
func collectScriptedListing(_ html: [UInt8], into sink: inout LinkSink) {
    if let start = place(of: "<template id=\"index-data\">", by: 18, in: html) {
        let end = nextByte(UInt8(ascii: "<"), in: html, from: start)
        if let json = base64Decoded(Array(trimmed(html[start..<end]))) { collectDufs(json, into: &sink) }
    } else if let start = place(of: "directLinkData=", by: 6, in: html) {
        collectPCloud(Array(html[start..<endOfObject(html, from: start)]), into: &sink)
    } else if let start = place(of: "_dirs[_dirs.length]=", by: 0, in: html) {
        collectCalls(html, from: start, into: &sink)
    }
}

private let source = "script[listing]"

/// `{"href": "/data", "paths": [{"path_type": "Dir", "name": "a"}]}`; names are no URLs yet.
private func collectDufs(_ json: [UInt8], into sink: inout LinkSink) {
    guard let data = try? JSONValue(parsing: json) else { return }
    for entry in data["paths"]?.elements ?? [] {
        guard let name = entry["name"]?.bytes, let type = entry["path_type"]?.text else { continue }
        let isFolder = type.hasSuffix("Dir")
        sink.add(relative(escaped(name), isFolder, to: sink.page.base), source: source)
    }
}

/// `{"content": [{"urlencodedname": "a%20b.pdf", "size": 5}]}`; folders have no size.
private func collectPCloud(_ json: [UInt8], into sink: inout LinkSink) {
    guard let data = try? JSONValue(parsing: json) else { return }
    for entry in data["content"]?.elements ?? [] {
        guard let name = entry["urlencodedname"]?.bytes else { continue }
        sink.add(relative(name, entry["size"] == nil, to: sink.page.base), source: source)
    }
}

/// `_d('name','date','url');` for folders, `_f('name',size,'date','url',seconds);` for files.
private func collectCalls(_ html: [UInt8], from start: Int, into sink: inout LinkSink) {
    var index = start
    while index < html.count {
        let line = nextByte(0x0A, in: html, from: index)
        let text = trimmed(html[index..<line])
        if text.starts(with: "_d(".utf8) || text.starts(with: "_f(".utf8) {
            let strings = stringLiterals(text)
            if strings.count >= 3 { sink.add(strings[2], source: source) }
        }
        index = line + 1
    }
}

private func stringLiterals(_ text: ArraySlice<UInt8>) -> [[UInt8]] {
    var literals: [[UInt8]] = []
    var literal: [UInt8]?
    var isEscaped = false
    for byte in text {
        guard let open = literal else {
            if byte == UInt8(ascii: "'") { literal = [] }
            continue
        }
        if !isEscaped, byte == UInt8(ascii: "'") {
            literals.append(open)
            literal = nil
        } else if !isEscaped, byte == UInt8(ascii: "\\") {
            isEscaped = true
            continue
        } else {
            literal?.append(byte)
        }
        isEscaped = false
    }
    return literals
}

/// Where the object that begins there ends, strings in it passed over.
private func endOfObject(_ bytes: [UInt8], from start: Int) -> Int {
    var depth = 0
    var isQuoted = false
    var index = start
    while index < bytes.count {
        switch bytes[index] {
        case UInt8(ascii: "\\") where isQuoted: index += 1
        case UInt8(ascii: "\""): isQuoted.toggle()
        case UInt8(ascii: "{") where !isQuoted: depth += 1
        case UInt8(ascii: "}") where !isQuoted:
            depth -= 1
            if depth <= 0 { return index + 1 }
        default: break
        }
        index += 1
    }
    return bytes.count
}

/// A reference to an entry, whether the folder's own URL ends in a slash or not.
private func relative(_ segment: [UInt8], _ isFolder: Bool, to page: WebURL) -> [UInt8] {
    let last = page.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? "".utf8[...]
    return Array("./".utf8) + last + (last.isEmpty ? [] : [UInt8(ascii: "/")]) + segment
        + (isFolder ? [UInt8(ascii: "/")] : [])
}

private func escaped(_ name: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return name.flatMap { byte in
        "%/\\?#".utf8.contains(byte)
            ? [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]] : [byte]
    }
}

/// Behind the first place of a text; nil when it is nowhere.
///
/// - Parameter key: which of its bytes is looked for: a rare one, since every page is searched.
private func place(of text: StaticString, by key: Int, in bytes: [UInt8]) -> Int? {
    let length = text.utf8CodeUnitCount
    return text.withUTF8Buffer { text in
        var index = nextByte(text[key], in: bytes, from: key)
        while index - key + length <= bytes.count {
            if bytes[(index - key)..<(index - key + length)].elementsEqual(text) { return index - key + length }
            index = nextByte(text[key], in: bytes, from: index + 1)
        }
        return nil
    }
}
