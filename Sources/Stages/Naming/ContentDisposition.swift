import Unicode

/// The file name that a Content-Disposition header gives (RFC 6266, RFC 8187), read as browsers read it.
///
/// In this order: `filename*`; `filename`; `filename*0*`, `filename*1*` and so on (RFC 2231), which servers written
/// for mail send. What cannot be decoded for sure is passed over, so that the URL gives the name.
package enum ContentDisposition {
    /// The name as the header means it: unsafe, to be made a component by `SafeName`; nil when it gives none.
    /// - Parameters:
    ///   - header: the header's bytes.
    ///   - charset: of the page that the link was on, for servers that send raw bytes of their own encoding.
    package static func filename(_ header: [UInt8], charset: String? = nil) -> String? {
        let parameters = parameters(of: header)
        func first(_ name: String) -> [UInt8]? { parameters.first { $0.name == name }?.value }
        if let value = first("filename*"), let name = ExtendedValue.decode(value), !name.isEmpty { return name }
        if let value = first("filename"), !runsOn(value),
            let name = PlainValue.decode(unquoted(value), charset: charset),
            name.unicodeScalars.contains(where: { !$0.properties.isWhitespace })
        {
            return name
        }
        guard let name = continued(parameters), !name.isEmpty else { return nil }
        return name
    }

    /// True for a value without quotes whose end nobody can tell, so that the URL is the better guess: another parameter
    /// follows without a semicolon, or a comma, by which proxies join repeated headers (RFC 9110, 5.3).
    private static func runsOn(_ value: [UInt8]) -> Bool {
        guard value.first != UInt8(ascii: "\"") else { return false }
        if value.contains(UInt8(ascii: ",")) { return true }
        return value.split(whereSeparator: isBlank).dropFirst().contains { word in
            guard let equals = word.firstIndex(of: UInt8(ascii: "=")), equals > word.startIndex else { return false }
            return word[..<equals].allSatisfy(isToken)
        }
    }

    struct Parameter {
        /// Lower-case.
        var name: String
        /// With its quotes, if it has them.
        var value: [UInt8]
    }

    /// The parameters up to the first that is none, as browsers do. A disposition type that is no token is itself
    /// taken for a parameter: servers forget it.
    static func parameters(of header: [UInt8]) -> [Parameter] {
        let pieces = split(header)
        var parameters: [Parameter] = []
        for (index, piece) in pieces.enumerated() {
            if piece.isEmpty || (index == 0 && piece.allSatisfy(isToken)) { continue }
            guard let equals = piece.firstIndex(of: UInt8(ascii: "=")), parameters.count < 100 else { break }
            let name = trimmed(piece[..<equals])
            guard !name.isEmpty else { break }
            parameters.append(
                Parameter(
                    name: String(decoding: name, as: UTF8.self).lowercased(),
                    value: Array(trimmed(piece[(equals + 1)...]))))
        }
        return parameters
    }

    /// Splits at semicolons that no quotes enclose.
    private static func split(_ header: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        var place = 0
        var isQuoted = false
        while place < header.count {
            switch header[place] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted: place += 1
            case UInt8(ascii: ";") where !isQuoted:
                pieces.append(trimmed(header[start..<place]))
                start = place + 1
            default: break
            }
            place += 1
        }
        pieces.append(trimmed(header[min(start, header.count)...]))
        return pieces
    }

    /// The text of a quoted string, whose end may be missing; what has no quotes stays as it is.
    static func unquoted(_ value: [UInt8]) -> [UInt8] {
        guard value.first == UInt8(ascii: "\"") else { return value }
        var inner = value.dropFirst()
        if inner.last == UInt8(ascii: "\"") { inner = inner.dropLast() }
        // A whole Windows path: its backslashes separate folders and escape nothing.
        if inner.count > 3, inner[inner.startIndex + 1] == UInt8(ascii: ":"),
            inner[inner.startIndex + 2] == UInt8(ascii: "\\"), inner[inner.startIndex + 3] != UInt8(ascii: "\\")
        {
            return Array(inner)
        }
        var text: [UInt8] = []
        var place = inner.startIndex
        while place < inner.endIndex {
            if inner[place] == UInt8(ascii: "\\"), place + 1 < inner.endIndex { place += 1 }
            text.append(inner[place])
            place += 1
        }
        return text
    }

    /// Joins the pieces of RFC 2231 from 0 up to the first that is missing. The first piece must say the charset:
    /// pieces without one come from clients' own inventions, and no browser joins them.
    private static func continued(_ parameters: [Parameter]) -> String? {
        guard let first = parameters.first(where: { $0.name == "filename*0*" }) else { return nil }
        let value = unquoted(first.value)
        guard let prefix = ExtendedValue.Prefix(value) else { return nil }
        guard var bytes = ExtendedValue.unescape(value[prefix.length...]) else { return nil }
        for number in 1...100 {
            if let next = parameters.first(where: { $0.name == "filename*\(number)*" }) {
                guard let more = ExtendedValue.unescape(unquoted(next.value)[...]) else { return nil }
                bytes += more
            } else if let next = parameters.first(where: { $0.name == "filename*\(number)" }) {
                bytes += unquoted(next.value)
            } else {
                break
            }
        }
        return decoded(bytes, label: prefix.charset)
    }
}

func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return bytes[bytes.startIndex..<bytes.startIndex] }
    return bytes[first...last]
}

/// A character of a token (RFC 9110, 5.6.2).
func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// Bytes of a named charset as text; nil when the charset is unknown or a byte does not fit it.
func decoded(_ bytes: [UInt8], label: String) -> String? {
    guard let charset = Charset(label: label) else { return nil }
    if charset == .utf8 { return String(validating: bytes, as: UTF8.self) }
    let text = charset.decode(bytes)
    return text.unicodeScalars.contains("\u{FFFD}") ? nil : text
}
