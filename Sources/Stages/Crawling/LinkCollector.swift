import HTML
import Model
import URLs

/// One pass over a page: takes the reader's events and keeps the links.
struct LinkCollector {
    private(set) var page: PageLinks
    private var reader: HTMLReader
    private var queries: QueryEncoder?
    private let schemes: [[UInt8]]
    private let attributes: [[UInt8]]
    private let keepsOmitted: Bool
    /// The link whose text is being read, as an index into the page's links.
    private var anchor: Int?
    private var anchorText = CollapsedText()
    private var titleText = CollapsedText()
    private var isInTitle = false
    private var isInStyle = false

    init(text: PageText, page: WebURL, extractor: LinkExtractor) {
        queries = text.queries
        reader = HTMLReader(text.utf8)
        schemes = extractor.schemes.map { Array($0.lowercased().utf8) }
        attributes = extractor.attributes.map { Array($0.lowercased().utf8) }
        keepsOmitted = extractor.keepsOmitted
        self.page = PageLinks(base: baseURL(of: text.utf8, page: page))
    }

    mutating func run() {
        while let event = reader.next() {
            switch event {
            case .start(let tag): start(tag)
            case .end(let tag): end(tag)
            case .text(let text): read(text)
            }
        }
        endAnchor()
        page.title = titleText.text
    }

    // MARK: Events

    private mutating func start(_ tag: HTMLTag) {
        // Neither holds elements; in SVG, where the reader lets them, what follows is another text.
        isInStyle = tag.element == .style && !(tag.isForeign && tag.isSelfClosing)
        isInTitle = tag.element == .title && !tag.isForeign && titleText.isEmpty
        if tag.element == .a {
            startAnchor()
        } else if !tag.isForeign {
            startLinking(tag)
        }
        guard !reader.attributes.isEmpty else { return }
        if let style = reader.attribute("style") { addStyle(style, source: { "\($0.name(of: tag))[style]" }) }
        for name in attributes {
            if let value = reader.attribute(named: name) {
                add(value, source: "\(reader.name(of: tag))[\(String(decoding: name, as: UTF8.self))]")
            }
        }
    }

    private mutating func startLinking(_ tag: HTMLTag) {
        switch tag.element {
        case .area: startArea()
        case .link: startLink()
        case .img, .image:
            addAttribute("src", source: "img[src]")
            addCandidates(source: "img[srcset]")
        case .source:
            addAttribute("src", source: "source[src]")
            addCandidates(source: "source[srcset]")
        case .video: addAttribute("src", source: "video[src]")
        case .audio: addAttribute("src", source: "audio[src]")
        case .track: addAttribute("src", source: "track[src]")
        case .embed: addAttribute("src", source: "embed[src]")
        case .object: addAttribute("data", source: "object[data]")
        case .iframe: addAttribute("src", source: "iframe[src]")
        case .frame: addAttribute("src", source: "frame[src]")
        case .meta: startMeta()
        default: break
        }
    }

    private mutating func end(_ tag: HTMLTag) {
        switch tag.element {
        case .a: endAnchor()
        case .style: isInStyle = false
        case .title: isInTitle = false
        default: break
        }
    }

    private mutating func read(_ text: HTMLText) {
        if isInStyle {
            addStyle(reader.decoded(text), source: { _ in "style[url]" })
        } else if isInTitle {
            if !titleText.isFull { titleText.append(reader.decoded(text)) }
        } else if anchor != nil, text.kind == .text, !anchorText.isFull {
            anchorText.append(reader.decoded(text))
        }
    }

    // MARK: Elements

    private mutating func startAnchor() {
        endAnchor()
        guard let href = reader.attribute("href"), let index = add(href, source: "a[href]") else { return }
        anchor = index
        takeDownloadAndRelation(index)
    }

    private mutating func endAnchor() {
        guard let index = anchor else { return }
        page.links[index].text = anchorText.text
        anchorText.reset()
        anchor = nil
    }

    private mutating func startArea() {
        guard let href = reader.attribute("href"), let index = add(href, source: "area[href]") else { return }
        takeDownloadAndRelation(index)
        if let alternative = reader.attribute("alt") {
            var text = CollapsedText()
            text.append(alternative)
            page.links[index].text = text.text
        }
    }

    private mutating func takeDownloadAndRelation(_ index: Int) {
        if let download = reader.attribute("download") {
            page.links[index].download = String(decoding: download, as: UTF8.self)
        }
        if page.next == nil, let relation = reader.attribute("rel"), tokens(relation).contains("next") {
            page.next = page.links[index].url
        }
    }

    /// Of all relations only these lead on: the next page and feeds; the canonical address is noted.
    private mutating func startLink() {
        guard let relation = reader.attribute("rel"), let href = reader.attribute("href") else { return }
        let relations = tokens(relation)
        if relations.contains("next") {
            if let index = add(href, source: "link[href]"), page.next == nil { page.next = page.links[index].url }
        } else if relations.contains("alternate"), let type = reader.attribute("type"), namesFeed(type) {
            add(href, source: "link[href]")
        } else if relations.contains("canonical") {
            if page.canonical == nil { page.canonical = resolve(href) }
            omit(href, source: "link[href]", reason: "a canonical address is noted, not followed")
        } else {
            omit(href, source: "link[href]", reason: "rel=\(relations.joined(separator: " ")) leads to no page or file")
        }
    }

    private mutating func startMeta() {
        if let directive = reader.attribute("http-equiv"), equalsIgnoringCase(directive, "refresh"),
            let content = reader.attribute("content"), let target = refreshTarget(content)
        {
            add(target, source: "meta[refresh]")
        }
        if let name = reader.attribute("name"), equalsIgnoringCase(name, "robots"),
            let content = reader.attribute("content"), saysNofollow(content)
        {
            page.nofollow = true
        }
    }

    private mutating func addAttribute(_ name: StaticString, source: String) {
        guard let value = reader.attribute(name), !value.allSatisfy({ $0 <= 0x20 }) else { return }
        add(value, source: source)
    }

    private mutating func addCandidates(source: String) {
        guard let srcset = reader.attribute("srcset") else { return }
        for candidate in imageCandidates(srcset) { add(candidate.url, source: source) }
    }

    private mutating func addStyle(_ css: [UInt8], source: (HTMLReader) -> String) {
        for reference in styleReferences(css) { add(reference, source: source(reader)) }
    }

    // MARK: Links

    /// Keeps a link; nil when it is none or the page has too many.
    @discardableResult
    private mutating func add(_ reference: [UInt8], source: String) -> Int? {
        guard page.links.count < LinkExtractor.mostLinks else {
            page.isCut = true
            return nil
        }
        let marked = afterScheme(reference)
        guard let url = resolve(marked ?? reference) else {
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

    private mutating func resolve(_ reference: [UInt8]) -> WebURL? {
        // Long, frequent and never fetched: not worth parsing.
        if startsIgnoringCase(reference, "data:") { return WebURL("data:,") }
        return WebURL(utf8: queries?.encode(reference) ?? reference, base: page.base)
    }

    private mutating func omit(_ reference: [UInt8], source: String, reason: String) {
        guard keepsOmitted else { return }
        page.omitted.append(
            OmittedReference(
                reference: String(decoding: reference.prefix(2000), as: UTF8.self), source: source, reason: reason,
                position: page.links.count))
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
}
