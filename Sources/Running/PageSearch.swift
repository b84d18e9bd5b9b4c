import HTML

/// Elements of a page by selector, for logins.
enum PageSearch {
    /// Whether the selector matches anything.
    static func contains(_ selector: Selector, in html: [UInt8]) -> Bool {
        var isFound = false
        search(html, selector) { _ in
            isFound = true
            return false
        }
        return isFound
    }

    /// Names and values of what the selector matches: the `value` of inputs, the `content` of meta elements.
    static func fields(_ selector: Selector, in html: [UInt8]) -> [(name: String?, value: String)] {
        var fields: [(name: String?, value: String)] = []
        search(html, selector) { reader in
            if let value = reader.attribute("value") ?? reader.attribute("content") {
                fields.append((reader.attribute("name").map(text), text(value)))
            }
            return fields.count < 100
        }
        return fields
    }

    /// - Parameter body: gets the reader right behind the tag of each element that matches; false ends the search.
    private static func search(_ html: [UInt8], _ selector: Selector, _ body: (HTMLReader) -> Bool) {
        var reader = HTMLReader(html)
        var matcher = SelectorMatcher(selector)
        while let event = reader.next() {
            switch event {
            case .start(let tag): if matcher.start(tag, reader), !body(reader) { return }
            case .end(let tag): matcher.end(tag, reader)
            case .text: break
            }
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
