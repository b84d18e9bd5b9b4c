/// A character encoding of the WHATWG Encoding Standard.
package struct Charset: Sendable, Hashable {
    /// The standard's name of it, as `UTF-8`, `EUC-KR` or `windows-1252`.
    package let name: String
    let method: Method

    /// How the bytes are turned into text.
    enum Method: Sendable, Hashable {
        case utf8
        /// The bytes from 0x80 on by a table of ours: ICU has no such converter, or ours is faster.
        case table([UInt16])
        case icu(String)
        /// The encodings that the standard refuses to decode, since they have been used to smuggle markup.
        case replacement
    }

    /// What a page without any other sign is in.
    package static let windows1252 = Charset(name: "windows-1252", method: .table(windows1252Table))
    package static let utf8 = Charset(name: "UTF-8", method: .utf8)
    package static let utf16LE = Charset(name: "UTF-16LE", method: .icu("UTF-16LE"))
    package static let utf16BE = Charset(name: "UTF-16BE", method: .icu("UTF-16BE"))

    /// The encoding that a label names ("get an encoding", section 4.2): case and surrounding blanks do not count, and
    /// old names mean what browsers take them for, `latin1` windows-1252 and `euc-kr` windows-949. Nil when unknown.
    package init?(label: String) {
        let blanks: [UInt8] = [0x09, 0x0A, 0x0C, 0x0D, 0x20]
        let bytes = Array(label.utf8.drop { blanks.contains($0) })
        let length = bytes.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? 0
        guard length > 0, length <= 40 else { return nil }
        let folded = bytes[..<length].map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        guard let charset = charsetsByLabel[String(decoding: folded, as: UTF8.self)] else { return nil }
        self = charset
    }

    /// The encoding that a byte order mark at the start of a body gives away, which outweighs every label.
    package init?(byteOrderMark bytes: some Sequence<UInt8>) {
        switch Array(bytes.prefix(3)) {
        case [0xEF, 0xBB, 0xBF]: self = .utf8
        case let mark where mark.starts(with: [0xFE, 0xFF]): self = .utf16BE
        case let mark where mark.starts(with: [0xFF, 0xFE]): self = .utf16LE
        default: return nil
        }
    }

    init(name: String, method: Method) {
        self.name = name
        self.method = method
    }

    /// The bytes as text, all at once: a byte order mark is dropped, and what is malformed becomes U+FFFD.
    package func decode(_ bytes: [UInt8]) -> String {
        var decoder = CharsetDecoder(self)
        var utf8: [UInt8] = []
        decoder.decode(bytes.span, isLast: true, into: &utf8)
        return String(decoding: utf8, as: UTF8.self)
    }

    package static func == (left: Charset, right: Charset) -> Bool { left.name == right.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
