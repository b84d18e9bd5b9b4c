import Containers
package import HTML
package import Model
package import URLs
import Unicode

/// Finds the links of a page: a function of its bytes, its address and its headers.
package struct LinkExtractor: Sendable {
    /// Prefixes such as `f:` that mark a link as a download (the manifest's `download.schemes`).
    package var schemes: [String]
    /// Names of further attributes that hold links (the manifest's `crawl.attributes`).
    package var attributes: [String]
    /// Only the elements that it matches, and those in matched elements that carry no link (the manifest's
    /// `crawl.select`); nil takes all.
    package var select: Selector?
    /// The product token that robots are told about by name, in lower case.
    package var agent = "nightjar"
    /// Bodies are text in UTF-8 already, whatever they say of their encoding.
    package var isDecoded = false
    /// Keep what is found but is no link, with the reason.
    package var keepsOmitted = false

    /// A page has more links than this only in order to do harm; the rest is left out and the page marked as cut.
    package static let mostLinks = 1_000_000

    package init(schemes: [String] = [], attributes: [String] = [], select: Selector? = nil) {
        self.schemes = schemes
        self.attributes = attributes
        self.select = select
    }

    /// A body that gzip makes larger than this is read up to here; sitemaps.org allows 50 MB.
    package static let mostDecoded = 64 << 20

    /// The links of a page: of HTML, of a feed, a sitemap or a list of URLs, which its content tells. Links that stand
    /// in the response's `Link` fields come first.
    ///
    /// - Parameters:
    ///   - body: the page as it was received, content codings removed; a gzip file is opened.
    ///   - url: where it was received from, after redirects.
    ///   - contentType: the Content-Type as the server wrote it; it may name the charset.
    ///   - headers: the response's other fields; `Link`, `Content-Location` and `X-Robots-Tag` are read.
    package func links(
        in body: [UInt8], url: WebURL, contentType: String?, headers: HeaderFields = HeaderFields()
    ) -> PageLinks {
        var isCut = false
        var content = body
        if body.starts(with: [0x1F, 0x8B]) {
            guard let decoded = gunzipped(body, limit: Self.mostDecoded) else { return other(url) }
            (content, isCut) = decoded
        }
        let kind = SourceKind(of: content, contentType: contentType, url: url)
        var sink = LinkSink(base: url, extractor: self)
        for field in headers.all("link") { addLinks(of: field, to: &sink) }
        let linked = sink.page
        let found = collect(content, kind, url: url, contentType: contentType, headers: headers)
        sink = LinkSink(base: url, extractor: self)
        sink.page = found
        if !linked.links.isEmpty || !linked.omitted.isEmpty {
            sink.page.links = []
            sink.page.omitted = []
            sink.append(linked)
            sink.append(found)
            sink.page.next = linked.next ?? found.next
        }
        var page = sink.page
        page.kind = kind
        page.isCut = page.isCut || isCut
        page.nofollow = page.nofollow || headers.all("x-robots-tag").contains { tagSaysNofollow($0, agent: agent) }
        page.isListing = kind == .html && isListing(page, at: url)
        return page
    }

    /// Whether a body that is no HTML may be read for links, by its first bytes, 4 KiB or so.
    package func mayBeSource(beginning prefix: [UInt8], url: WebURL, contentType: String?) -> Bool {
        if prefix.starts(with: [0x1F, 0x8B]) { return namesCompressedSource(url) }
        let kind = SourceKind(
            of: prefix, contentType: contentType ?? "application/octet-stream", url: url, isWhole: false)
        return kind != .other && kind != .html
    }

    private func collect(
        _ body: [UInt8], _ kind: SourceKind, url: WebURL, contentType: String?, headers: HeaderFields
    ) -> PageLinks {
        var sink = LinkSink(base: url, extractor: self)
        switch kind {
        case .html:
            let text =
                isDecoded
                ? PageText(decoded: body, contentType: contentType) : PageText(body, contentType: contentType)
            var collector = LinkCollector(
                utf8: text.utf8, base: baseURL(of: text.utf8, page: url), extractor: self, queries: text.queries)
            collector.run()
            sink.page = collector.page
            if select == nil { collectScriptedListing(text.utf8, into: &sink) }
            return sink.page
        case .feed, .sitemap:
            // Feeds still come with it, and their readers still obey it (RFC 2616, 14.14).
            let named = headers.bytes("content-location").flatMap { WebURL(utf8: $0, base: url) }
            let base = named.flatMap { $0.isHTTP ? $0 : nil } ?? url
            let text =
                isDecoded
                ? PageText(decoded: body, contentType: contentType) : PageText(xml: body, contentType: contentType)
            var collector = FeedCollector(text, page: base, isSitemap: kind == .sitemap, extractor: self)
            collector.run()
            return collector.sink.page
        case .jsonFeed: collectJSONFeed(body, into: &sink, extractor: self)
        case .urlList: collectURLList(body, into: &sink)
        case .robots: collectSitemaps(body, into: &sink)
        case .ftpListing: collectFTPListing(body, into: &sink)
        case .other: break
        }
        return sink.page
    }

    private func other(_ url: WebURL) -> PageLinks {
        var page = PageLinks(base: url)
        page.kind = .other
        return page
    }

    /// Of all relations only these lead on: the next page, feeds, and the parts of a collection (RFC 6573).
    private func addLinks(of field: [UInt8], to sink: inout LinkSink) {
        for value in linkHeaderValues(field) {
            let relations = tokens(Array((value["rel"] ?? "").utf8))
            let source = "header[link]"
            guard value.isWellFormed, value["anchor"] == nil else {
                let reason = value.isWellFormed ? "a link of another resource" : "no target in angle brackets"
                sink.omit(value.target, source: source, reason: reason)
                continue
            }
            let isFeed = relations.contains("alternate") && namesFeed(Array((value["type"] ?? "").utf8))
            guard isFeed || !Set(relations).isDisjoint(with: ["next", "item", "enclosure"]) else {
                let reason = "rel=\(relations.joined(separator: " ")) leads to no page or file"
                sink.omit(value.target, source: source, reason: reason)
                continue
            }
            if relations.contains("next") {
                sink.addNext(value.target, source: source)
            } else if isFeed {
                sink.addSource(value.target, source: source)
            } else {
                sink.add(value.target, source: source)
            }
        }
    }

    /// The name of the encoding that a page is read in, by the Encoding Standard.
    package func charset(of body: [UInt8], contentType: String?) -> String {
        PageText.charset(of: body, contentType: contentType).name
    }
}
