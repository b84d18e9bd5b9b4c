import HTML
import JSON
import URLs

/// What a body is that is read for links, told by its content.
package enum SourceKind: String, Sendable {
    case html
    /// RSS, RDF or Atom.
    case feed
    case jsonFeed
    /// A sitemap or an index of sitemaps (sitemaps.org).
    case sitemap
    /// A URL a line.
    case urlList
    /// A robots.txt, which names sitemaps.
    case robots
    /// A folder as an FTP server, or libcurl for an SFTP server, lists it.
    case ftpListing
    /// Nothing that links are read from.
    case other
}

extension SourceKind {
    /// As much of a body as is looked at.
    static let recognisable = 16 * 1024

    /// - Parameters:
    ///   - body: content codings and gzip removed; its first bytes are enough.
    ///   - contentType: as the server wrote it; it decides only where the content does not.
    ///   - url: where it came from.
    ///   - isWhole: false when more may follow, so that the last line may be cut.
    init(of body: [UInt8], contentType: String?, url: WebURL, isWhole: Bool = true) {
        if ["ftp", "sftp"].contains(url.scheme), url.path.utf8.last == UInt8(ascii: "/") {
            self = .ftpListing
            return
        }
        // UTF-16 without its zeros is close enough to tell a root element.
        let head = body.prefix(Self.recognisable).filter { $0 != 0 }
        let text = head.drop { isHTMLSpace($0) || [0xEF, 0xBB, 0xBF, 0xFE, 0xFF].contains($0) }
        let type = contentType?.lowercased() ?? ""
        if text.first == UInt8(ascii: "<") {
            self = Self.ofMarkup(Array(text), type)
        } else if text.first == UInt8(ascii: "{"), contains(text, "jsonfeed.org/version") {
            self = .jsonFeed
        } else if type.contains("html") {
            self = .html
        } else if isURLList(text, isWhole: isWhole && body.count <= Self.recognisable) {
            self = .urlList
        } else if url.path == "/robots.txt" {
            self = .robots
        } else {
            self = type.isEmpty ? .html : .other
        }
    }

    private static func ofMarkup(_ text: [UInt8], _ type: String) -> SourceKind {
        switch rootElement(text) {
        case "rss", "rdf", "feed", "channel": .feed
        case "urlset", "sitemapindex": .sitemap
        default: type.contains("xml") && !type.contains("xhtml") && !looksLikeHTML(text) ? .other : .html
        }
    }
}

/// The local name of a document's first element, in lower case; nil where text stands before it.
private func rootElement(_ text: [UInt8]) -> String? {
    var reader = XMLReader(text)
    while let event = reader.next() {
        switch event {
        case .start(let tag): return reader.name(tag.localName)
        case .text(let run) where reader.decoded(run).allSatisfy(isHTMLSpace): continue
        default: return nil
        }
    }
    return nil
}

private func looksLikeHTML(_ text: [UInt8]) -> Bool { rootElement(text) == "html" }

/// True when every line is a URL or a comment, and one is a URL.
private func isURLList(_ text: ArraySlice<UInt8>, isWhole: Bool) -> Bool {
    var lines = text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
    // The last may be cut.
    if !isWhole, lines.count > 1 { lines.removeLast() }
    var urls = 0
    for line in lines {
        let line = trimmed(line)
        if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
        guard ["http://", "https://", "ftp://"].contains(where: { startsIgnoringCase(line, $0) }),
            !line.contains(where: isHTMLSpace)
        else { return false }
        urls += 1
    }
    return urls > 0
}

private func contains(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
    let wanted = Array(text.utf8)
    return bytes.indices.contains { bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted) }
}
