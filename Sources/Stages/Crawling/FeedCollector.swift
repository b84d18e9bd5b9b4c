import HTML
import JSON
import Model
import URLs

/// One pass over a feed (RSS, RDF, Atom) or a sitemap: what it links to, what it encloses, and the links in the HTML
/// that it carries.
struct FeedCollector {
    private(set) var sink: LinkSink
    private var reader: XMLReader
    private let isSitemap: Bool
    private var extractor: LinkExtractor
    private var stack: [Node] = []
    /// Elements too deep to be kept apart.
    private var overflow = 0
    private var collected: Collected?

    private struct Node {
        var name: String
        /// What is relative is relative to it (XML Base).
        var base: WebURL
    }

    /// An element whose text is wanted.
    private struct Collected {
        enum Kind {
            case link
            case sitemap
            /// Noted, not followed; the reason.
            case omitted(String)
            case html(isBase64: Bool)
        }
        var kind: Kind
        var source: String
        var base: WebURL
        var text: [UInt8] = []
    }

    private static let deepest = 256
    /// No address is longer, and no entry's text.
    private static let longestLink = 64 * 1024
    private static let longestText = 8 << 20

    init(_ text: PageText, page: WebURL, isSitemap: Bool, extractor: LinkExtractor) {
        reader = XMLReader(text.utf8)
        self.isSitemap = isSitemap
        self.extractor = extractor
        // The selector is about pages, not about the text of entries.
        self.extractor.select = nil
        sink = LinkSink(base: page, extractor: extractor)
    }

    mutating func run() {
        while let event = reader.next() {
            switch event {
            case .start(let tag): start(tag)
            case .end(let name): end(reader.name(name))
            case .text(let run): collect(run)
            }
        }
        finishCollecting()
        sink.page.refusesEntities = reader.refusesEntities
    }

    // MARK: Structure

    private mutating func start(_ tag: XMLTag) {
        // An address has no elements in it: one that was never closed ends here.
        if case .html? = collected?.kind {} else { finishCollecting() }
        let name = reader.name(tag.name)
        let parent = stack.last
        var base = parent?.base ?? sink.page.base
        if let reference = reader.attribute("xml:base"), let url = WebURL(utf8: reference, base: base) { base = url }
        let local = reader.name(tag.localName)
        if stack.count < Self.deepest {
            stack.append(Node(name: name, base: base))
        } else {
            overflow += 1
        }
        if isSitemap {
            startInSitemap(name, local, parent: parent?.name ?? "", base)
        } else {
            startInFeed(name, local, parent: parent?.name ?? "", base)
        }
    }

    /// Closes the nearest element of that name; an end without a start closes nothing.
    private mutating func end(_ name: String) {
        if overflow > 0 {
            overflow -= 1
            return
        }
        guard let index = stack.lastIndex(where: { $0.name == name }) else { return }
        if let collected, collected.source.split(separator: "[").first.map(String.init) == name { finishCollecting() }
        stack.removeSubrange(index...)
    }

    private mutating func collect(_ run: HTMLText) {
        guard let collected, run.range.count <= Self.longestText else { return }
        let longest = if case .html = collected.kind { Self.longestText } else { Self.longestLink }
        if collected.text.count + run.range.count <= longest { self.collected?.text += reader.decoded(run) }
    }

    private mutating func wait(for kind: Collected.Kind, _ source: String, _ base: WebURL) {
        finishCollecting()
        collected = Collected(kind: kind, source: source, base: base)
    }

    private mutating func finishCollecting() {
        guard let done = collected else { return }
        collected = nil
        let text = Array(trimmed(done.text[...]))
        guard !text.isEmpty else { return }
        switch done.kind {
        case .link: sink.add(text, source: done.source, base: done.base)
        case .sitemap: sink.addSource(text, source: done.source, base: done.base)
        case .omitted(let reason): sink.omit(text, source: done.source, reason: reason, base: done.base)
        case .html(let isBase64): addHTML(isBase64 ? base64Decoded(text) ?? [] : text, base: done.base)
        }
    }

    /// The links of HTML that stands escaped in an element.
    private mutating func addHTML(_ html: [UInt8], base: WebURL) {
        guard html.contains(UInt8(ascii: "<")) else { return }
        var collector = LinkCollector(utf8: html, base: base, extractor: extractor)
        collector.run()
        sink.append(collector.page)
    }

    // MARK: Feeds

    private mutating func startInFeed(_ name: String, _ local: String, parent: String, _ base: WebURL) {
        switch name {
        case "enclosure": addAttribute("url", name, base)
        case "media:content", "media:thumbnail", "media:player": addAttribute("url", name, base)
        case "itunes:image":
            addAttribute("href", name, base)
            addAttribute("url", name, base)
        case "a":
            addAttribute("href", name, base)
            addAttribute("xlink:href", name, base)
        case "img", "audio", "video": addAttribute("src", name, base)
        case "guid":
            let isAddress = reader.attribute("ispermalink").map { !equalsIgnoringCase($0, "false") } ?? true
            wait(for: isAddress ? .link : .omitted("a name, not an address"), name, base)
        case "comments": wait(for: .link, name, base)
        case "icon", "logo": wait(for: .link, name, base)
        default:
            switch local {
            case "link": startLink(name, parent: parent, base)
            case "url" where parent == "image" || parent.hasSuffix(":image"): wait(for: .link, name, base)
            case "url", "uri", "docs", "homepage": wait(for: .omitted("noted, not followed"), name, base)
            case "content" where reader.attribute("src") != nil: addAttribute("src", name, base)
            case "title", "description", "summary", "subtitle", "tagline", "rights", "copyright", "info", "encoded",
                "content", "fullitem":
                let isBase64 = reader.attribute("mode").map { equalsIgnoringCase($0, "base64") } ?? false
                wait(for: .html(isBase64: isBase64 || isBinary), name, base)
            default:
                addAttribute("xlink:href", name, base)
                omitAttributes(name, base)
            }
        }
    }

    /// Content of a type that XML cannot hold as text is in base64 (RFC 4287, 4.1.3.3).
    private var isBinary: Bool {
        reader.attribute("type").map { equalsIgnoringCase($0, "application/octet-stream") } ?? false
    }

    /// RSS writes the address as text; Atom as an attribute, with a relation (RFC 4287, 4.2.7).
    private mutating func startLink(_ name: String, parent: String, _ base: WebURL) {
        guard let href = reader.attribute("href") else {
            let isForm = parent.lowercased().hasSuffix("textinput")
            return wait(for: isForm ? .omitted("the target of a form") : .link, name, base)
        }
        let relation = reader.attribute("rel").map { tokens($0).first ?? "alternate" } ?? "alternate"
        switch relation {
        case "next": sink.addNext(href, source: "\(name)[href]", base: base)
        case "alternate", "related", "via": sink.add(href, source: "\(name)[href]", base: base)
        case "enclosure": sink.add(href, source: "\(name)[enclosure]", base: base)
        default:
            sink.omit(href, source: "\(name)[href]", reason: "rel=\(relation) leads to no page or file", base: base)
        }
    }

    private mutating func addAttribute(_ attribute: StaticString, _ name: String, _ base: WebURL) {
        guard let value = reader.attribute(attribute), !value.isEmpty else { return }
        sink.add(value, source: "\(name)[\(attribute)]", base: base)
    }

    private mutating func omitAttributes(_ name: String, _ base: WebURL) {
        for attribute: StaticString in ["href", "url", "uri", "src"] {
            if let value = reader.attribute(attribute), !value.isEmpty {
                sink.omit(value, source: "\(name)[\(attribute)]", reason: "noted, not followed", base: base)
            }
        }
    }

    // MARK: Sitemaps

    private mutating func startInSitemap(_ name: String, _ local: String, parent: String, _ base: WebURL) {
        switch local {
        case "loc" where parent == "sitemap" || parent.hasSuffix(":sitemap"):
            wait(for: .sitemap, "\(name)[sitemap]", base)
        case "loc", "content_loc", "thumbnail_loc", "player_loc": wait(for: .link, name, base)
        case "link": addAttribute("href", name, base)
        default: break
        }
    }
}
