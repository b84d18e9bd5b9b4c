import HTML
import Unicode

/// A page's text in UTF-8, and how it was encoded.
struct PageText {
    let utf8: [UInt8]
    private let charset: Charset

    /// By the order of the standard: byte order mark, Content-Type, `meta` prescan, windows-1252
    /// (WHATWG HTML, 13.2.3.2).
    init(_ body: [UInt8], contentType: String?) {
        self.init(body, in: Self.charset(of: body, contentType: contentType))
    }

    /// The same for XML, which is UTF-8 where nothing says otherwise (XML 1.0, appendix F).
    init(xml body: [UInt8], contentType: String?) {
        let named = contentType.flatMap { charsetLabel(inContent: Array($0.utf8)) }.flatMap { Charset(label: $0) }
        self.init(body, in: Charset(byteOrderMark: body) ?? named ?? MetaPrescan.charset(in: body) ?? .utf8)
    }

    /// The same for what was decoded already: what it says of its encoding is how its queries are written.
    init(decoded body: [UInt8], contentType: String?) {
        // In ASCII all queries are written alike.
        let isPlain = body.allSatisfy { $0 < 0x80 }
        charset = isPlain ? .utf8 : Self.named(in: body, contentType: contentType) ?? .utf8
        utf8 = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
    }

    private init(_ body: [UInt8], in charset: Charset) {
        self.charset = charset
        if charset == .utf8 {
            // The reader passes malformed bytes through, and what is kept is made text later.
            utf8 = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
            return
        }
        var decoder = CharsetDecoder(charset)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(body.count + body.count / 8)
        decoder.decode(body.span, isLast: true, into: &decoded)
        utf8 = decoded
    }

    static func charset(of body: [UInt8], contentType: String?) -> Charset {
        if let charset = named(in: body, contentType: contentType) { return charset }
        // XML is UTF-8 where nothing says otherwise (RFC 7303, 3.1).
        return contentType?.lowercased().contains("+xml") == true ? .utf8 : .windows1252
    }

    private static func named(in body: [UInt8], contentType: String?) -> Charset? {
        if let charset = Charset(byteOrderMark: body) { return charset }
        if let contentType, let label = charsetLabel(inContent: Array(contentType.utf8)),
            let charset = Charset(label: label)
        {
            return charset
        }
        return MetaPrescan.charset(in: body) ?? lateCharset(in: body)
    }

    /// What a `meta` element behind the prescan's reach says: a browser starts the page again for it (WHATWG HTML,
    /// 13.2.3.5). Looked for in the part of a page that a head may fill.
    private static func lateCharset(in body: [UInt8]) -> Charset? {
        guard body.count > 1024 else { return nil }
        var reader = HTMLReader(Array(body.prefix(256 * 1024)))
        while let event = reader.next() {
            guard case .start(let tag) = event, tag.element == .meta, !tag.isForeign else { continue }
            if let label = reader.attribute("charset") {
                if let charset = metaCharset(String(decoding: label, as: UTF8.self)) { return charset }
            } else if let directive = reader.attribute("http-equiv"), equalsIgnoringCase(directive, "content-type"),
                let label = reader.attribute("content").flatMap(charsetLabel), let charset = metaCharset(label)
            {
                return charset
            }
        }
        return nil
    }

    /// What writes queries in the page's encoding; nil for those whose queries are UTF-8 anyway.
    var queries: QueryEncoder? {
        switch charset {
        case .utf8, .utf16LE, .utf16BE: nil
        default: QueryEncoder(charset)
        }
    }
}
