package import URLs

/// Watches a crawl for pages that go on for ever, as calendars, session ids and random words do: pages of one kind that
/// lead to new pages of their own kind, again and again, and neither they nor what they lead to hold a new item.
///
/// Kinds are what URLs have in common: all but numbers and ids, else their folder, else their host. Such pages that
/// form a long chain are a trap after `most` of them, those that spread out after four times as many.
package struct GrowthWatch: Sendable {
    /// Pages that led nowhere, of one kind.
    package struct Trap: Sendable, Hashable {
        /// A URL with `*` for what differs.
        package let pattern: String
        package let pages: Int

        package init(pattern: String, pages: Int) {
            self.pattern = pattern
            self.pages = pages
        }
    }

    private struct Kind {
        /// Pages since the last item, and the depths they lay at.
        var barren = 0
        var depths: ClosedRange<Int>?
        var isTrap = false
    }

    /// Pages of one shape.
    private struct Shape {
        /// The shape itself, and the kinds that are wider.
        var kinds: [String]
        /// Shapes of the pages that led here.
        var parents: Set<String> = []
    }

    private let most: Int
    private var kinds: [String: Kind] = [:]
    private var shapes: [String: Shape] = [:]
    private var traps: Set<String> = []

    /// Memory is bounded; past this the count begins again.
    private static let mostKinds = 20_000
    private static let mostParents = 16
    /// A chain of so many levels grows in one direction.
    private static let chain = 10

    /// - Parameter most: pages that may lead nowhere; 0 is no bound.
    package init(most: Int) { self.most = most }

    /// A page was read.
    ///
    /// - Parameters:
    ///   - referrer: the page that led there.
    ///   - pages: what it links to that the run had not met and may be read.
    ///   - hasNewItems: whether it links to items that the run had not met.
    /// - Returns: the trap that this page made known.
    package mutating func read(
        _ url: WebURL, from referrer: WebURL?, depth: Int, pages: [WebURL], hasNewItems: Bool
    ) -> Trap? {
        guard most > 0 else { return nil }
        if kinds.count + shapes.count > Self.mostKinds {
            kinds = kinds.filter(\.value.isTrap)
            shapes = [:]
        }
        let own = kindsOfURL(url)
        var shape = shapes[own[0]] ?? Shape(kinds: own)
        if let parent = referrer.map({ kindsOfURL($0)[0] }), parent != own[0], shape.parents.count < Self.mostParents {
            shape.parents.insert(parent)
        }
        shapes[own[0]] = shape
        if hasNewItems {
            foundItem(on: url)
            return nil
        }
        var children: Set<String> = []
        for page in pages.prefix(64) { children.formUnion(kindsOfURL(page)) }
        for kind in own where children.contains(kind) {
            if let trap = count(kind, depth) { return trap }
        }
        return nil
    }

    /// A page held an item after all: its kind leads somewhere, and so do those that led to it.
    package mutating func foundItem(on page: WebURL) {
        guard most > 0 else { return }
        let own = kindsOfURL(page)
        for kind in own { reset(kind) }
        var waiting = [own[0]]
        var seen = Set(waiting)
        while let shape = waiting.popLast().flatMap({ shapes[$0] }) {
            for kind in shape.kinds { reset(kind) }
            for parent in shape.parents where seen.count < 256 && seen.insert(parent).inserted {
                waiting.append(parent)
            }
        }
    }

    private mutating func reset(_ kind: String) {
        kinds[kind]?.barren = 0
        kinds[kind]?.depths = nil
    }

    /// Why a page is not read any more; nil when it may be.
    package func reason(against url: WebURL) -> String? {
        guard !traps.isEmpty, let kind = kindsOfURL(url).first(where: traps.contains) else { return nil }
        return "like \(kind), which leads only to more of its kind and to no item (crawl.trap: \(most))"
    }

    private mutating func count(_ name: String, _ depth: Int) -> Trap? {
        var kind = kinds[name] ?? Kind()
        guard !kind.isTrap else { return nil }
        kind.barren += 1
        let depths = kind.depths ?? depth...depth
        kind.depths = min(depths.lowerBound, depth)...max(depths.upperBound, depth)
        let levels = kind.depths?.count ?? 0
        let isChain = kind.barren >= most && levels >= min(Self.chain, most)
        kind.isTrap = isChain || kind.barren >= 4 * most && levels >= 3
        kinds[name] = kind
        guard kind.isTrap else { return nil }
        traps.insert(name)
        return Trap(pattern: name, pages: kind.barren)
    }
}

/// What a URL has in common with others, the closest first: its shape, its folder, its host.
private func kindsOfURL(_ url: WebURL) -> [String] {
    let path = url.path
    var shape = url.origin
    for segment in path.split(separator: "/") { shape += "/" + generalized(segment) }
    if path.utf8.last == UInt8(ascii: "/") { shape += "/" }
    let names = (url.query ?? "").split(whereSeparator: { $0 == "&" || $0 == ";" }).map { $0.prefix { $0 != "=" } }
    // In one order, since traps also turn parameters around.
    if !names.isEmpty { shape += "?" + Set(names.map(generalized)).sorted().map { "\($0)=*" }.joined(separator: "&") }
    var kinds = [shape]
    let folder = url.origin + folder(of: url) + "*"
    if folder != url.origin + "/*" { kinds.append(folder) }
    return kinds + [url.origin + "/*"]
}

/// A segment with `*` for its numbers, and for words that hold both letters and digits, as ids do.
private func generalized(_ segment: Substring) -> String {
    var text = ""
    var word: [UInt8] = []
    func flush() {
        guard word.contains(where: { $0 &- 0x30 < 10 }) else {
            text += String(decoding: word, as: UTF8.self)
            return
        }
        let isNumbered = word.count < 6 && word.first.map { $0 &- 0x30 >= 10 } ?? false
        text += isNumbered ? String(decoding: word.prefix { $0 &- 0x30 >= 10 }, as: UTF8.self) + "*" : "*"
    }
    for byte in segment.utf8 {
        let isWord = byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte >= 0x80
        if isWord {
            word.append(byte)
        } else {
            flush()
            word = []
            text.unicodeScalars.append(Unicode.Scalar(byte))
        }
    }
    flush()
    return text
}
