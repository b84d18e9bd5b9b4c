/// A URL as the WHATWG URL standard (url.spec.whatwg.org) parses and serialises it.
///
/// A value is always valid, and its text always ASCII. Two are equal when their texts are equal byte for byte; `key`
/// gives the form in which two spellings of one resource meet.
package struct WebURL: Sendable {
    /// The serialised URL, fragment and credentials included: for the wire, not for a log (see `displayed`).
    package let href: String
    let layout: Layout

    /// Parses `input`, relative to `base` where it is not absolute. Nil where the standard says failure.
    package init?(_ input: String, base: WebURL? = nil) {
        var native = input
        native.makeContiguousUTF8()
        self.init(validUTF8: native.utf8.span, base: base)
    }

    /// Parses bytes of UTF-8; what is malformed in them counts as U+FFFD, as a decoder would give it.
    package init?(utf8 input: [UInt8], base: WebURL? = nil) {
        self.init(utf8: input.span, base: base)
    }

    /// Parses bytes that the caller holds, without a copy of them.
    package init?(utf8 input: UnsafeRawBufferPointer, base: WebURL? = nil) {
        self.init(utf8: Span(_unsafeBytes: input), base: base)
    }

    /// Parses bytes of UTF-8; what is malformed in them counts as U+FFFD, as a decoder would give it.
    package init?(utf8 input: Span<UInt8>, base: WebURL? = nil) {
        if (try? UTF8Span(validating: input)) != nil {
            self.init(validUTF8: input, base: base)
        } else {
            let mended = input.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            self.init(mended, base: base)
        }
    }

    private init?(validUTF8 input: Span<UInt8>, base: WebURL?) {
        var parser = URLParser()
        guard parser.parse(input, base: base) else { return nil }
        self.init(serialized: parser.out, layout: parser.layout)
    }

    init(serialized: [UInt8], layout: Layout) {
        href = String(decoding: serialized, as: UTF8.self)
        self.layout = layout
    }
}

extension WebURL: Hashable, CustomStringConvertible {
    package static func == (left: WebURL, right: WebURL) -> Bool { left.href == right.href }

    package func hash(into hasher: inout Hasher) { hasher.combine(href) }

    /// As `displayed`, so that no interpolation into a message tells a secret.
    package var description: String { displayed }
}

// MARK: - Parts

extension WebURL {
    /// In lower case, without the colon.
    package var scheme: String { layout.scheme.name ?? text(0, Int(layout.schemeEnd)) }

    /// Percent-encoded; empty when there is none.
    package var username: String {
        layout.hasCredentials ? text(Int(layout.schemeEnd) + 3, Int(layout.usernameEnd)) : ""
    }

    /// Percent-encoded; empty when there is none.
    package var password: String {
        let start = Int(layout.usernameEnd) + 1
        let end = Int(layout.hostStart) - 1
        return start < end ? text(start, end) : ""
    }

    /// The host as it is serialised: a domain in ASCII, `127.0.0.1` or `[::1]`. Empty in `file:///`, nil in `data:`.
    package var host: String? {
        layout.hasAuthority ? text(Int(layout.hostStart), Int(layout.hostEnd)) : nil
    }

    /// The port, nil when it is the scheme's own.
    package var port: UInt16? { layout.port }

    /// The port, or the scheme's own; nil for schemes that have none.
    package var effectivePort: UInt16? { layout.port ?? layout.scheme.defaultPort }

    /// Percent-encoded, with its leading slash; an opaque path (`data:`, `mailto:`) has none.
    package var path: String { text(Int(layout.pathStart), layout.pathEnd(of: href.utf8.count)) }

    /// Percent-encoded, without the question mark; nil when there is none, empty behind a bare one.
    package var query: String? {
        layout.queryStart == 0 ? nil : text(Int(layout.queryStart) + 1, layout.queryEnd(of: href.utf8.count))
    }

    /// Percent-encoded, without the number sign; nil when there is none.
    package var fragment: String? {
        layout.fragmentStart == 0 ? nil : text(Int(layout.fragmentStart) + 1, href.utf8.count)
    }

    /// Path and query, as the request line has them.
    package var pathAndQuery: String { text(Int(layout.pathStart), layout.queryEnd(of: href.utf8.count)) }

    /// Whether the scheme is http, https, ftp, file, ws or wss.
    package var isSpecial: Bool { layout.scheme.isSpecial }

    /// Whether the scheme is http or https.
    package var isHTTP: Bool { layout.scheme == .http || layout.scheme == .https }

    /// Whether the scheme is one that resources are fetched by: http, https, ftp or sftp.
    package var isFetchable: Bool { isHTTP || layout.scheme == .ftp || scheme == "sftp" }

    /// Whether the path is no list of segments, as in `mailto:` and `data:`: nothing can be relative to it.
    package var hasOpaquePath: Bool {
        guard !layout.hasAuthority else { return false }
        let bytes = href.utf8.span
        let start = Int(layout.pathStart)
        return start >= bytes.count || bytes[start] != UInt8(ascii: "/")
    }

    /// Whether there is neither a query nor a fragment.
    package var isPlain: Bool { layout.queryStart == 0 && layout.fragmentStart == 0 }

    /// Whether there is a user name or a password.
    package var hasCredentials: Bool { layout.hasCredentials }

    func text(_ start: Int, _ end: Int) -> String {
        String(copying: UTF8Span(unchecked: href.utf8.span.extracting(start..<end), isKnownASCII: true))
    }
}
