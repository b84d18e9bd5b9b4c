/// What the tree builder of the standard knows and a tokenizer must: whether a tag stands in SVG or MathML, in a
/// template, or among frames (WHATWG HTML, 13.2.6).
///
/// The stack holds the elements from the outermost `svg` or `math` down; HTML outside is only counted, by name.
struct DocumentContext {
    private enum Kind {
        case html
        case svg
        case math
        /// SVG or MathML element inside which HTML may stand.
        case integrationPoint
        /// MathML element inside which all but two elements are HTML.
        case textIntegrationPoint
        /// `annotation-xml`, inside which only `svg` is read by the rules of HTML.
        case annotation
    }

    private struct Node {
        var key: NameKey
        var kind: Kind
        var isMath: Bool
    }

    /// Browsers stop nesting at this depth too; it bounds the time that an end tag may take.
    private static let deepest = 512

    private var stack: [Node] = []
    /// How many elements of a name, by the low byte of its key, are on the stack: most end tags without a start tag
    /// are known by it, without a search.
    private var stacked = [Int32](repeating: 0, count: 256)
    /// How many HTML elements of a name, by the low byte of its key, are open below the stack.
    private var open = [Int32](repeating: 0, count: 256)
    private var templates = 0
    private(set) var isFrameset = false
    /// True until the body holds something that a frameset may not replace.
    var maySeeFrameset = true

    /// True where the tokenizer takes CDATA sections.
    var isForeign: Bool { stack.last.map { $0.kind != .html } ?? false }

    /// True where nothing belongs to the document.
    var isInert: Bool { templates > 0 || isFrameset }

    /// True when a start tag that was just opened is no element of the document.
    func hides(_ tag: HTMLTag) -> Bool {
        if isFrameset { return tag.element != .frame && tag.element != .frameset }
        return templates > 0 || (tag.element == .frame && !tag.isForeign)
    }

    // MARK: Start tags

    /// Takes a start tag in and says whose raw text follows it.
    mutating func open(
        _ tag: inout HTMLTag, key: NameKey, encoding: [UInt8]?, fontBreaksOut: Bool
    ) -> HTMLElement? {
        if let top = stack.last, isForeign(tag.element, in: top) {
            if tag.element.endsForeignContent || fontBreaksOut {
                leaveForeignContent()
            } else {
                tag.isForeign = true
                if !tag.isSelfClosing { push(tag, key: key, isMath: top.isMath, encoding: encoding) }
                return nil
            }
        }
        return openHTML(&tag, key: key)
    }

    private mutating func openHTML(_ tag: inout HTMLTag, key: NameKey) -> HTMLElement? {
        if isFrameset { return tag.element == .noframes ? .noframes : nil }
        switch tag.element {
        case .svg, .math:
            tag.isForeign = true
            if !tag.isSelfClosing { push(tag, key: key, isMath: tag.element == .math, encoding: nil) }
        case .frameset:
            if maySeeFrameset, templates == 0 { isFrameset = true }
        case .template:
            templates += 1
            count(key)
        case .title, .textarea, .style, .script, .xmp, .iframe, .noembed, .noframes, .plaintext:
            if tag.element.forbidsFrameset { maySeeFrameset = false }
            count(key)
            return tag.element
        default:
            if tag.element.forbidsFrameset { maySeeFrameset = false }
            if !tag.element.isVoid { count(key) }
        }
        return nil
    }

    private func isForeign(_ element: HTMLElement, in node: Node) -> Bool {
        switch node.kind {
        case .html, .integrationPoint: false
        case .svg, .math: true
        case .textIntegrationPoint: element == .mglyph || element == .malignmark
        case .annotation: element != .svg
        }
    }

    private mutating func push(_ tag: HTMLTag, key: NameKey, isMath: Bool, encoding: [UInt8]?) {
        push(Node(key: key, kind: kind(of: tag.element, isMath: isMath, encoding: encoding), isMath: isMath))
    }

    private mutating func push(_ node: Node) {
        guard stack.count < Self.deepest else { return }
        stack.append(node)
        stacked[slot(node.key)] += 1
    }

    private mutating func cut(to count: Int) {
        while stack.count > count, let node = stack.popLast() { stacked[slot(node.key)] -= 1 }
    }

    private func slot(_ key: NameKey) -> Int { Int(key.value & 0xFF) }

    private func kind(of element: HTMLElement, isMath: Bool, encoding: [UInt8]?) -> Kind {
        guard isMath else {
            return switch element {
            case .foreignObject, .desc, .title: .integrationPoint
            default: .svg
            }
        }
        switch element {
        case .mi, .mo, .mn, .ms, .mtext: return .textIntegrationPoint
        case .annotationXML:
            let type = encoding.map { String(decoding: $0, as: UTF8.self).lowercased() }
            return type == "text/html" || type == "application/xhtml+xml" ? .integrationPoint : .annotation
        default: return .math
        }
    }

    private mutating func count(_ key: NameKey) {
        if stack.isEmpty {
            open[slot(key)] &+= 1
        } else {
            push(Node(key: key, kind: .html, isMath: false))
        }
    }

    private mutating func leaveForeignContent() {
        while let top = stack.last, top.kind == .svg || top.kind == .math || top.kind == .annotation {
            cut(to: stack.count - 1)
        }
    }

    // MARK: End tags

    mutating func close(_ tag: HTMLTag, key: NameKey) {
        if tag.element == .template, templates > 0 { templates -= 1 }
        if isForeign, tag.element == .p || tag.element == .br {
            leaveForeignContent()
            return
        }
        guard let top = stack.last else { return uncount(key) }
        if stacked[slot(key)] == 0, open[slot(key)] == 0 { return }
        if top.kind == .html { closeHTML(key) } else { closeForeign(key) }
    }

    /// The nearest foreign element of that name, unless HTML stands between: then by the rules of HTML.
    private mutating func closeForeign(_ key: NameKey) {
        var index = stack.count - 1
        while index >= 0 {
            if stack[index].kind == .html { return closeHTML(key) }
            if stack[index].key == key {
                return cut(to: index)
            }
            index -= 1
        }
        if open[slot(key)] > 0 {
            cut(to: 0)
            uncount(key)
        }
    }

    /// The nearest HTML element of that name, not looking out of the integration point it stands in.
    private mutating func closeHTML(_ key: NameKey) {
        var index = stack.count - 1
        while index >= 0 {
            switch stack[index].kind {
            case .html where stack[index].key == key:
                return cut(to: index)
            case .integrationPoint, .textIntegrationPoint: return
            default: index -= 1
            }
        }
    }

    private mutating func uncount(_ key: NameKey) {
        if open[slot(key)] > 0 { open[slot(key)] -= 1 }
    }
}
