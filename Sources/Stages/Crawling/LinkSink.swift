import Model
import URLs

/// Takes the references of one document, whatever its kind, and keeps those that are links.
struct LinkSink {
    var page: PageLinks
    private var queries: QueryEncoder?
    private let schemes: [[UInt8]]
    private let keepsOmitted: Bool

    init(base: WebURL, extractor: LinkExtractor, queries: QueryEncoder? = nil) {
        page = PageLinks(base: base)
        self.queries = queries
        schemes = extractor.schemes.map { Array($0.lowercased().utf8) }
        keepsOmitted = extractor.keepsOmitted
    }

    /// Keeps a link; nil when it is none or the page has too many.
    ///
    /// - Parameter base: another than the page's.
    @discardableResult
    mutating func add(_ reference: [UInt8], source: String, base: WebURL? = nil) -> Int? {
        guard page.links.count < LinkExtractor.mostLinks else {
            page.isCut = true
            return nil
        }
        let marked = afterScheme(reference)
        guard let url = resolve(marked ?? reference, base: base) else {
            omit(reference, source: source, reason: "not a URL")
            return nil
        }
        if url.hasOpaquePath {
            omit(reference, source: source, reason: "\(url.scheme): is no address to fetch")
            return nil
        }
        var link = Link(url: url, source: source)
        link.isMarked = marked != nil
        page.links.append(link)
        return page.links.count - 1
    }

    /// Keeps the page that goes on where this one ends.
    mutating func addNext(_ reference: [UInt8], source: String, base: WebURL? = nil) {
        guard let index = add(reference, source: source, base: base) else { return }
        page.links[index].isSource = true
        if page.next == nil { page.next = page.links[index].url }
    }

    /// Keeps a link to a feed or a sitemap.
    mutating func addSource(_ reference: [UInt8], source: String, base: WebURL? = nil) {
        if let index = add(reference, source: source, base: base) { page.links[index].isSource = true }
    }

    mutating func resolve(_ reference: [UInt8], base: WebURL? = nil) -> WebURL? {
        // Long, frequent and never fetched: not worth parsing.
        if let first = reference.first, first | 0x20 == UInt8(ascii: "d"), startsIgnoringCase(reference, "data:") {
            return WebURL("data:,")
        }
        return WebURL(utf8: queries?.encode(reference) ?? reference, base: base ?? page.base)
    }

    mutating func omit(_ reference: [UInt8], source: String, reason: String, base: WebURL? = nil) {
        guard keepsOmitted, page.omitted.count < LinkExtractor.mostLinks else { return }
        let isLong = reference.count > 2000
        page.omitted.append(
            OmittedReference(
                reference: String(decoding: reference.prefix(2000), as: UTF8.self),
                url: isLong ? nil : WebURL(utf8: reference, base: base ?? page.base)?.href, source: source,
                reason: reason, position: page.links.count))
    }

    /// What follows one of the manifest's schemes; nil when the reference begins with none.
    private func afterScheme(_ reference: [UInt8]) -> [UInt8]? {
        if schemes.isEmpty { return nil }
        let start = reference.firstIndex { $0 > 0x20 } ?? reference.count
        let rest = reference[start...]
        for scheme in schemes where rest.count >= scheme.count {
            let head = rest.prefix(scheme.count)
            if head.elementsEqual(scheme, by: { lowercasedASCII($0) == $1 }) {
                return Array(rest.dropFirst(scheme.count))
            }
        }
        return nil
    }

    /// Takes over what was found in a part of the document.
    mutating func append(_ part: PageLinks) {
        let before = page.links.count
        let room = LinkExtractor.mostLinks - before
        page.links += part.links.prefix(room)
        page.isCut = page.isCut || part.isCut || part.links.count > room
        for var reference in part.omitted where page.omitted.count < LinkExtractor.mostLinks {
            reference.position = min(before + reference.position, page.links.count)
            page.omitted.append(reference)
        }
    }
}
