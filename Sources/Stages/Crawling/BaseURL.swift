import HTML
import URLs

/// What a document's references are resolved against: the first `base` with an `href`, which also holds for the links
/// before it, or the page's own address (WHATWG HTML, 4.2.3). A base without a place in the network does not count.
func baseURL(of document: [UInt8], page: WebURL) -> WebURL {
    guard mayHoldBase(document) else { return page }
    var reader = HTMLReader(document)
    while let event = reader.next() {
        guard case .start(let tag) = event, tag.element == .base, !tag.isForeign, let href = reader.attribute("href")
        else { continue }
        guard let base = WebURL(utf8: href, base: page), !base.hasOpaquePath else { return page }
        return base
    }
    return page
}

/// Spares the pages without a `base`, nearly all, a pass of their own.
private func mayHoldBase(_ document: [UInt8]) -> Bool {
    var index = nextByte(UInt8(ascii: "<"), in: document, from: 0)
    while index + 5 < document.count {
        if startsIgnoringCase(document[(index + 1)...], "base") { return true }
        index = nextByte(UInt8(ascii: "<"), in: document, from: index + 1)
    }
    return false
}
