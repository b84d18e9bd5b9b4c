/// Tells for each start tag of a document whether a selector matches it, with a stack of the elements that are open:
/// in time linear in the document, whatever its depth.
package struct SelectorMatcher {
    private let selector: Selector
    private var stack: [Frame] = []
    private var root = Frame(key: NameKey(), element: .other)
    private var hasBody = false
    /// How many elements of a name, by the low byte of its key, are open: most end tags that end nothing are known by
    /// it, without a search.
    private var open = [Int32](repeating: 0, count: 256)

    /// An open element. Sets of steps: bit `i` stands for "the selector up to step `i` ends here".
    private struct Frame {
        var key: NameKey
        var element: HTMLElement
        var own: UInt64 = 0
        /// Those of this element and all around it.
        var around: UInt64 = 0
        /// Those of the child that came last, and of all children so far.
        var lastChild: UInt64 = 0
        var children: UInt64 = 0
        var count = 0
        var isHeld = false
    }

    /// An end tag looks no further for its start.
    private static let farthest = 512

    package init(_ selector: Selector) { self.selector = selector }

    /// True inside an element that `hold` was called for.
    package var isHeld: Bool { stack.last?.isHeld ?? false }

    /// Marks the element that was just opened, and all that will be in it.
    package mutating func hold() {
        if wasPushed, let last = stack.indices.last { stack[last].isHeld = true }
    }
    private var wasPushed = false

    /// - Parameter reader: right behind the tag.
    /// - Returns: whether the selector matches the element.
    package mutating func start(_ tag: HTMLTag, _ reader: HTMLReader) -> Bool {
        let name = reader.bytes[tag.name]
        var key = NameKey()
        for byte in name { key.append(byte) }
        if !tag.isForeign {
            implyTags(around: tag.element)
            closeImplied(by: tag.element, key)
        }
        return enter(key, tag, name, reader)
    }

    package mutating func end(_ tag: HTMLTag, _ reader: HTMLReader) {
        var key = NameKey()
        for byte in reader.bytes[tag.name] { key.append(byte) }
        close([key], until: Self.tableParts.contains(key) ? [] : Self.cells)
    }

    private mutating func enter(_ key: NameKey, _ tag: HTMLTag, _ name: ArraySlice<UInt8>, _ reader: HTMLReader) -> Bool
    {
        var parent = stack.last ?? root
        parent.count += 1
        let own = match(name, reader, parent)
        parent.lastChild = own
        parent.children |= own
        if stack.isEmpty { root = parent } else { stack[stack.count - 1] = parent }
        wasPushed = tag.isForeign ? !tag.isSelfClosing : !tag.element.isVoid
        if wasPushed {
            open[slot(key)] += 1
            stack.append(
                Frame(key: key, element: tag.element, own: own, around: parent.around | own, isHeld: parent.isHeld))
        }
        return own & lastSteps != 0
    }

    private var lastSteps: UInt64 {
        selector.steps.enumerated().reduce(0) { $0 | ($1.element.isLast ? 1 << UInt64($1.offset) : 0) }
    }

    /// The steps that end at an element with this name and the reader's attributes, below `parent`.
    private func match(_ name: ArraySlice<UInt8>, _ reader: HTMLReader, _ parent: Frame) -> UInt64 {
        var found: UInt64 = 0
        for (index, step) in selector.steps.enumerated() {
            let before: UInt64 = index == 0 ? 0 : 1 << UInt64(index - 1)
            let follows =
                switch step.combinator {
                case .none: true
                case .descendant: parent.around & before != 0
                case .child: parent.own & before != 0
                case .nextSibling: parent.lastChild & before != 0
                case .laterSibling: parent.children & before != 0
                }
            if follows, accepts(step.compound, name, reader, parent.count) { found |= 1 << UInt64(index) }
        }
        return found
    }

    private func accepts(
        _ compound: Selector.Compound, _ name: ArraySlice<UInt8>, _ reader: HTMLReader, _ position: Int
    ) -> Bool {
        if let wanted = compound.name, !name.elementsEqual(wanted, by: { lowercased($0) == $1 }) { return false }
        return compound.conditions.allSatisfy { condition in
            switch condition {
            case .id(let id): return reader.attribute("id") == id
            case .hasClass(let wanted):
                return reader.attribute("class").map { value in
                    value.split(whereSeparator: isSpace).contains { $0.elementsEqual(wanted) }
                } ?? false
            case .attribute(let name, let test):
                return reader.attribute(named: name).map { test.accepts($0) } ?? false
            case .nthChild(let step, let offset):
                let distance = position - offset
                return step == 0 ? distance == 0 : distance % step == 0 && distance / step >= 0
            case .not(let compounds):
                return !compounds.contains { accepts($0, name, reader, position) }
            }
        }
    }

    // MARK: Tags that authors leave out

    /// Opens `html` and `body` where the document does not, and closes what a start tag ends (WHATWG HTML, 13.1.2.4).
    private mutating func implyTags(around element: HTMLElement) {
        if stack.isEmpty, element != .html, root.count == 0 { push("html", .html) }
        let isHead = [.head, .title, .meta, .link, .script, .style, .base, .template, .noframes].contains(element)
        if !hasBody, !isHead, element != .html, element != .frameset {
            if stack.last?.element == .head { pop(1) }
            if element != .body, stack.last?.element == .html { push("body", .body) }
            hasBody = stack.count > 0
        }
    }

    private mutating func push(_ name: String, _ element: HTMLElement) {
        var key = NameKey()
        for byte in name.utf8 { key.append(byte) }
        let tag = HTMLTag(element: element, name: 0..<0)
        _ = enter(key, tag, Array(name.utf8)[...], HTMLReader([]))
    }

    private mutating func closeImplied(by element: HTMLElement, _ key: NameKey) {
        guard let last = stack.last else { return }
        switch element {
        case .li: close([Self.li], until: Self.lists + Self.cells)
        case .dd, .dt: close([Self.dd, Self.dt], until: Self.lists + Self.cells)
        case .p, .div, .ul, .ol, .dl, .table, .h1, .h2, .h3, .h4, .h5, .h6, .pre, .blockquote, .hr, .menu:
            if last.element == .p { pop(1) }
        case .a: close([key], until: Self.cells)
        case .other:
            if Self.cells.contains(key) { close(Self.cells, until: [Self.row, Self.table]) }
            if key == Self.row { close([Self.row], until: [Self.table]) }
            if Self.groups.contains(key) { close(Self.groups, until: [Self.table]) }
            if key == Self.option { close([Self.option], until: Self.cells) }
        default: break
        }
    }

    /// Closes the nearest element of one of the names, with all in it, looking no further than the boundary.
    private mutating func close(_ keys: [NameKey], until boundary: [NameKey]) {
        guard keys.contains(where: { open[slot($0)] > 0 }) else { return }
        var distance = 1
        while distance <= min(stack.count, Self.farthest) {
            let key = stack[stack.count - distance].key
            if keys.contains(key) {
                pop(distance)
                return
            }
            if boundary.contains(key) { return }
            distance += 1
        }
    }

    private mutating func pop(_ count: Int) {
        for frame in stack.suffix(count) { open[slot(frame.key)] -= 1 }
        stack.removeLast(count)
    }

    private func slot(_ key: NameKey) -> Int { Int(key.value & 0xFF) }

    private static let table = NameKey("table")
    private static let row = NameKey("tr")
    private static let option = NameKey("option")
    private static let li = NameKey("li")
    private static let dd = NameKey("dd")
    private static let dt = NameKey("dt")
    private static let cells = [NameKey("td"), NameKey("th")]
    private static let groups = [NameKey("tbody"), NameKey("thead"), NameKey("tfoot")]
    private static let lists = [NameKey("ul"), NameKey("ol"), NameKey("menu"), NameKey("dl")]
    /// What ends across the border of a cell.
    private static let tableParts =
        [table, row, NameKey("caption"), NameKey("body"), NameKey("html")] + cells + groups
}

extension NameKey {
    fileprivate init(_ name: StaticString) {
        self.init()
        name.withUTF8Buffer { for byte in $0 { append(byte) } }
    }
}
