/// The value of `filename*`: charset, language and percent-encoded bytes between single quotes (RFC 8187, 3.2).
enum ExtendedValue {
    /// `UTF-8'en'`, or `UTF-8'` where a server forgot the language.
    struct Prefix {
        var charset: String
        var length: Int
        var isWhole: Bool

        init?(_ value: [UInt8]) {
            guard let quote = value.firstIndex(of: UInt8(ascii: "'")), quote > 0, quote < 50 else { return nil }
            charset = String(decoding: value[..<quote], as: UTF8.self)
            let second = value[(quote + 1)...].firstIndex(of: UInt8(ascii: "'"))
            isWhole = second != nil
            length = (second ?? quote) + 1
        }
    }

    /// The name; nil for a broken value. Two breaks are mended while the name is plain ASCII, since no charset is
    /// needed for that: an unknown charset, and a known one with one quote only.
    static func decode(_ value: [UInt8]) -> String? {
        let value = value.first == UInt8(ascii: "\"") ? ContentDisposition.unquoted(value) : value
        guard let prefix = Prefix(value), let bytes = unescape(value[prefix.length...]) else { return nil }
        let name = decoded(bytes, label: prefix.charset)
        if prefix.isWhole, let name { return name }
        guard bytes.allSatisfy({ $0 < 0x80 }), prefix.isWhole != (name != nil) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Percent-encoded bytes; nil for a broken escape, a byte beyond ASCII or a quote, which all must be escaped.
    static func unescape(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        guard value.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "\"") })
        else { return nil }
        return percentDecoded(value, strict: true)
    }
}

/// The value of `filename`, without its quotes: what servers put there, in the order of likelihood.
enum PlainValue {
    /// The name; nil when its bytes are in no encoding that can be told.
    static func decode(_ value: [UInt8], charset: String?) -> String? {
        guard value.allSatisfy({ $0 < 0x80 }) else { return raw(value, charset: charset) }
        var text = ""
        var wasEncoded = true
        var word: [UInt8] = []
        for byte in value {
            guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else {
                word.append(byte)
                continue
            }
            guard append(word, to: &text, &wasEncoded, charset: charset) else { return nil }
            word = []
            // Blanks around an encoded word belong to the encoding, not to the name (RFC 2047, 6.2).
            if !wasEncoded { text.append(" ") }
        }
        return append(word, to: &text, &wasEncoded, charset: charset) ? text : nil
    }

    private static func append(
        _ word: [UInt8], to text: inout String, _ wasEncoded: inout Bool, charset: String?
    ) -> Bool {
        guard !word.isEmpty else { return true }
        wasEncoded = word.starts(with: "=?".utf8)
        let part = wasEncoded ? EncodedWord.decode(word) : escaped(word, charset: charset)
        guard let part else { return false }
        text += part
        return true
    }

    /// Bytes beyond ASCII, sent as they are: UTF-8, else the page's charset, else Latin-1 as RFC 2616 had it.
    private static func raw(_ value: [UInt8], charset: String?) -> String? {
        if let text = String(validating: value, as: UTF8.self) { return text }
        if let charset, let text = decoded(value, label: charset) { return text }
        return decoded(value, label: "windows-1252")
            ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    }

    /// A name that was percent-encoded though nothing says so, as browsers take it.
    private static func escaped(_ word: [UInt8], charset: String?) -> String? {
        guard word.contains(UInt8(ascii: "%")) else { return String(decoding: word, as: UTF8.self) }
        guard let bytes = percentDecoded(word[...], strict: false) else { return nil }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return charset.flatMap { decoded(bytes, label: $0) }
    }
}

/// `=?UTF-8?Q?caf=C3=A9?=`: RFC 2047, which was never meant for HTTP, but is sent.
enum EncodedWord {
    /// Nil for what is not one whole encoded word.
    static func decode(_ word: [UInt8]) -> String? {
        let parts = word.split(separator: UInt8(ascii: "?"), maxSplits: 6, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].elementsEqual("=".utf8), parts[4].elementsEqual("=".utf8) else { return nil }
        let bytes: [UInt8]?
        switch parts[2].first {
        case UInt8(ascii: "Q"), UInt8(ascii: "q"): bytes = quotedPrintable(parts[3])
        case UInt8(ascii: "B"), UInt8(ascii: "b"): bytes = base64(parts[3])
        default: bytes = nil
        }
        // A charset may have a language behind it (RFC 2231, 5).
        let label = parts[1].prefix { $0 != UInt8(ascii: "*") }
        guard parts[2].count == 1, let bytes else { return nil }
        return decoded(bytes, label: String(decoding: label, as: UTF8.self))
    }

    private static func quotedPrintable(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var place = text.startIndex
        while place < text.endIndex {
            switch text[place] {
            case UInt8(ascii: "="):
                guard place + 2 < text.endIndex, let high = hexDigit(text[place + 1]),
                    let low = hexDigit(text[place + 2])
                else { return nil }
                bytes.append(high << 4 | low)
                place += 2
            case UInt8(ascii: "_"): bytes.append(0x20)
            default: bytes.append(text[place])
            }
            place += 1
        }
        return bytes
    }

    static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text {
            let value: UInt8
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0") + 52
            case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
            case UInt8(ascii: "="): continue
            default: return nil
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}

/// Bytes with `%xx` replaced.
/// - Parameter strict: gives nil for a percent sign that starts no escape, instead of leaving it.
func percentDecoded(_ text: ArraySlice<UInt8>, strict: Bool) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var place = text.startIndex
    while place < text.endIndex {
        if text[place] == UInt8(ascii: "%") {
            if place + 2 < text.endIndex, let high = hexDigit(text[place + 1]), let low = hexDigit(text[place + 2]) {
                bytes.append(high << 4 | low)
                place += 3
                continue
            }
            if strict { return nil }
        }
        bytes.append(text[place])
        place += 1
    }
    return bytes
}

func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
