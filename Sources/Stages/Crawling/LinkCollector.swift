import HTML
import Model
import URLs

/// One pass over a page: takes the reader's events and keeps the links.
struct LinkCollector {
    private var sink: LinkSink
    private var reader: HTMLReader
    private let attributes: [[UInt8]]
    private let agent: String
    /// The link whose text is being read, as an index into the page's links.
    private var anchor: Int?
    private var anchorText = CollapsedText()
    private var titleText = CollapsedText()
    private var isInTitle = false
    private var isInStyle = false
    private var matcher: SelectorMatcher?
    /// Set while the element at hand is one that the manifest's selector takes.
    private var isSelected = true

    /// - Parameter base: what the document's references are relative to.
    init(utf8: [UInt8], base: WebURL, extractor: LinkExtractor, queries: QueryEncoder? = nil) {
        reader = HTMLReader(utf8)
        attributes = extractor.attributes.map { Array($0.lowercased().utf8) }
        agent = extractor.agent
        sink = LinkSink(base: base, extractor: extractor, queries: queries)
        matcher = extractor.select.map { SelectorMatcher($0) }
    }

    var page: PageLinks { sink.page }

    mutating func run() {
        var count = 0
        while let event = reader.next() {
            count &+= 1
            // A page may take long, and a run that is told to end must not wait for it.
            if count & 0xff == 0, Task.isCancelled {
                sink.page.isCut = true
                break
            }
            switch event {
            case .start(let tag): matcher == nil ? start(tag) : startSelecting(tag)
            case .end(let tag):
                end(tag)
                matcher?.end(tag, reader)
            case .text(let text): read(text)
            }
        }
        endAnchor()
        sink.page.title = titleText.text
    }

    // MARK: Events

    private mutating func start(_ tag: HTMLTag) {
        // Neither holds elements; in SVG, where the reader lets them, what follows is another text.
        isInStyle = tag.element == .style && !(tag.isForeign && tag.isSelfClosing)
        isInTitle = tag.element == .title && !tag.isForeign && titleText.isEmpty
        if tag.element == .a {
            startAnchor(tag)
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

    /// An element that the selector matches and that carries no link stands for the links in it.
    private mutating func startSelecting(_ tag: HTMLTag) {
        let isHeld = matcher?.isHeld ?? false
        let isMatched = matcher?.start(tag, reader) ?? true
        isSelected = isHeld || isMatched
        let before = sink.page.links.count
        start(tag)
        if isMatched, sink.page.links.count == before { matcher?.hold() }
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

    private mutating func startAnchor(_ tag: HTMLTag) {
        endAnchor()
        // SVG's older way to write it (SVG 2, 16.2).
        let older = tag.isForeign ? reader.attribute("xlink:href") : nil
        guard let href = reader.attribute("href") ?? older, let index = add(href, source: "a[href]") else { return }
        anchor = index
        takeDownloadAndRelation(index)
    }

    private mutating func endAnchor() {
        guard let index = anchor else { return }
        sink.page.links[index].text = anchorText.text
        anchorText.reset()
        anchor = nil
    }

    private mutating func startArea() {
        guard let href = reader.attribute("href"), let index = add(href, source: "area[href]") else { return }
        takeDownloadAndRelation(index)
        if let alternative = reader.attribute("alt") {
            var text = CollapsedText()
            text.append(alternative)
            sink.page.links[index].text = text.text
        }
    }

    private mutating func takeDownloadAndRelation(_ index: Int) {
        if let download = reader.attribute("download") {
            sink.page.links[index].download = String(decoding: download, as: UTF8.self)
        }
        if sink.page.next == nil, let relation = reader.attribute("rel"), tokens(relation).contains("next") {
            sink.page.next = sink.page.links[index].url
        }
    }

    /// Of all relations only these lead on: the next page and feeds; the canonical address is noted.
    private mutating func startLink() {
        guard let relation = reader.attribute("rel"), let href = reader.attribute("href") else { return }
        let relations = tokens(relation)
        if relations.contains("next") {
            if isSelected { sink.addNext(href, source: "link[href]") } else { add(href, source: "link[href]") }
        } else if relations.contains("alternate"), let type = reader.attribute("type"), namesFeed(type) {
            if isSelected { sink.addSource(href, source: "link[href]") } else { add(href, source: "link[href]") }
        } else if relations.contains("canonical") {
            if sink.page.canonical == nil { sink.page.canonical = sink.resolve(href) }
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
        if let name = reader.attribute("name"), equalsIgnoringCase(name, "robots") || equalsIgnoringCase(name, agent),
            let content = reader.attribute("content"), saysNofollow(content)
        {
            sink.page.nofollow = true
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

    @discardableResult
    private mutating func add(_ reference: [UInt8], source: String) -> Int? {
        if isSelected { return sink.add(reference, source: source) }
        sink.omit(reference, source: source, reason: "crawl.select does not match it")
        return nil
    }

    private mutating func omit(_ reference: [UInt8], source: String, reason: String) {
        sink.omit(reference, source: source, reason: reason)
    }
}
