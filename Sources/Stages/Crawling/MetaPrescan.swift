import Unicode

/// Looks for the name of an encoding in the first 1024 bytes of a page (WHATWG HTML, prescan a byte stream to
/// determine its encoding).
struct MetaPrescan {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    private struct Attribute {
        var name: [UInt8]
        var value: [UInt8]
    }

    /// The encoding that a `meta` element or an XML declaration names; nil when none does.
    static func charset(in page: [UInt8]) -> Charset? {
        if page.starts(with: [0x3C, 0, 0x3F, 0, 0x78, 0]) { return .utf16LE }
        if page.starts(with: [0, 0x3C, 0, 0x3F, 0, 0x78]) { return .utf16BE }
        var scanner = MetaPrescan(page)
        return scanner.run() ?? xmlLabel(page.prefix(1024)).flatMap { Charset(label: $0) }
    }

    private init(_ page: [UInt8]) {
        bytes = page.prefix(1024)
        index = 0
    }

    private mutating func run() -> Charset? {
        while index < bytes.endIndex {
            let rest = bytes[index...]
            if rest.starts(with: "<!--".utf8) {
                skipComment()
            } else if startsIgnoringCase(rest, "<meta"), let byte = rest.dropFirst(5).first,
                isHTMLSpace(byte) || byte == UInt8(ascii: "/")
            {
                index += 5
                if let charset = takeMeta() { return charset }
            } else if beginsTag(rest) {
                while index < bytes.endIndex, !isHTMLSpace(bytes[index]), bytes[index] != UInt8(ascii: ">") {
                    index += 1
                }
                while takeAttribute() != nil {}
            } else if let next = rest.dropFirst().first, rest.first == UInt8(ascii: "<"),
                next == UInt8(ascii: "!") || next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
            {
                while index < bytes.endIndex, bytes[index] != UInt8(ascii: ">") { index += 1 }
            }
            index += 1
        }
        return nil
    }

    /// To the last byte of the comment, whose dashes may be those it began with.
    private mutating func skipComment() {
        index += 2
        while index < bytes.endIndex {
            if bytes[index...].starts(with: "-->".utf8) {
                index += 2
                return
            }
            index += 1
        }
    }

    private func beginsTag(_ rest: ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: "<") else { return false }
        var next = rest.dropFirst()
        if next.first == UInt8(ascii: "/") { next = next.dropFirst() }
        guard let letter = next.first.map({ $0 | 0x20 }) else { return false }
        return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
    }

    private mutating func takeMeta() -> Charset? {
        var names: Set<[UInt8]> = []
        var gotPragma = false
        var needsPragma: Bool?
        var label: String?
        while let attribute = takeAttribute() {
            guard names.insert(attribute.name).inserted else { continue }
            switch String(decoding: attribute.name, as: UTF8.self) {
            case "http-equiv": if attribute.value.elementsEqual("content-type".utf8) { gotPragma = true }
            case "content":
                if label == nil, let found = charsetLabel(inContent: attribute.value) {
                    label = found
                    needsPragma = true
                }
            case "charset":
                label = String(decoding: attribute.value, as: UTF8.self)
                needsPragma = false
            default: break
            }
        }
        // Running into the end of what is scanned means that the element was not whole.
        guard index < bytes.endIndex, let needsPragma, gotPragma || !needsPragma, let label else { return nil }
        return metaCharset(label)
    }

    /// The next attribute in lower case, or nil at the end of the tag (WHATWG HTML, get an attribute).
    private mutating func takeAttribute() -> Attribute? {
        while index < bytes.endIndex, isHTMLSpace(bytes[index]) || bytes[index] == UInt8(ascii: "/") { index += 1 }
        guard index < bytes.endIndex, bytes[index] != UInt8(ascii: ">") else { return nil }
        var attribute = Attribute(name: [], value: [])
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "="), !attribute.name.isEmpty { break }
            if isHTMLSpace(byte) {
                while index < bytes.endIndex, isHTMLSpace(bytes[index]) { index += 1 }
                break
            }
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") { return attribute }
            attribute.name.append(lowercasedASCII(byte))
            index += 1
        }
        guard index < bytes.endIndex, bytes[index] == UInt8(ascii: "=") else { return attribute }
        index += 1
        attribute.value = takeValue()
        return attribute
    }

    private mutating func takeValue() -> [UInt8] {
        while index < bytes.endIndex, isHTMLSpace(bytes[index]) { index += 1 }
        guard index < bytes.endIndex else { return [] }
        var value: [UInt8] = []
        let quote = bytes[index]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            index += 1
            while index < bytes.endIndex, bytes[index] != quote {
                value.append(lowercasedASCII(bytes[index]))
                index += 1
            }
            if index < bytes.endIndex { index += 1 }
            return value
        }
        while index < bytes.endIndex, !isHTMLSpace(bytes[index]), bytes[index] != UInt8(ascii: ">") {
            value.append(lowercasedASCII(bytes[index]))
            index += 1
        }
        return value
    }
}

/// What a `meta` element's label means: it was read, so the page is in no UTF-16.
func metaCharset(_ label: String) -> Charset? {
    guard let charset = Charset(label: label) else { return nil }
    if charset == .utf16LE || charset == .utf16BE { return .utf8 }
    return charset.name == "x-user-defined" ? .windows1252 : charset
}

/// The charset in a Content-Type or in the content of a `meta` (WHATWG HTML, extracting a character encoding from a
/// meta element); nil when it names none.
func charsetLabel(inContent content: [UInt8]) -> String? {
    var rest = content[...]
    while let start = rest.indices.first(where: { startsIgnoringCase(rest[$0...], "charset") }) {
        rest = rest[(start + 7)...].drop(while: isHTMLSpace)
        guard rest.first == UInt8(ascii: "=") else { continue }
        rest = rest.dropFirst().drop(while: isHTMLSpace)
        guard let first = rest.first else { return nil }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            let value = rest.dropFirst().prefix { $0 != first }
            return value.endIndex < rest.endIndex ? String(decoding: value, as: UTF8.self) : nil
        }
        let value = rest.prefix { !isHTMLSpace($0) && $0 != UInt8(ascii: ";") }
        return String(decoding: value, as: UTF8.self)
    }
    return nil
}

/// The encoding of an XML declaration at the very beginning (WHATWG HTML, get an XML encoding).
private func xmlLabel(_ page: ArraySlice<UInt8>) -> String? {
    guard page.starts(with: "<?xml".utf8), let end = page.firstIndex(of: UInt8(ascii: ">")) else { return nil }
    let declaration = page[..<end]
    guard let start = declaration.indices.first(where: { declaration[$0...].starts(with: "encoding".utf8) }) else {
        return nil
    }
    let rest = declaration[(start + 8)...].drop { $0 <= 0x20 }
    guard rest.first == UInt8(ascii: "=") else { return nil }
    let quoted = rest.dropFirst().drop { $0 <= 0x20 }
    guard let quote = quoted.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
    let label = quoted.dropFirst().prefix { $0 != quote }
    if label.isEmpty || label.contains(where: { $0 <= 0x20 }) { return nil }
    let text = String(decoding: label, as: UTF8.self).lowercased()
    return text.hasPrefix("utf-16") ? "utf-8" : text
}
