/// A CSS selector list (Selectors 4) of types, ids, classes, attributes, `:not`, `:nth-child`, `:first-child` and the
/// four combinators: what can be matched while a page goes by.
package struct Selector: Sendable, Hashable {
    /// Why a text is no selector.
    package struct SyntaxError: Error, Sendable, Hashable {
        /// Where, in bytes of UTF-8, from 0.
        package let offset: Int
        /// For people.
        package let message: String
    }

    /// Every compound of every selector of the list, one after the other.
    var steps: [Step] = []
    /// More than 64 steps do not fit a set of bits.
    static let mostSteps = 64

    package init(_ text: String) throws(SyntaxError) {
        var parser = SelectorParser(text)
        try parser.readList(into: &self)
    }

    /// A compound selector and how it follows the one before it.
    struct Step: Sendable, Hashable {
        enum Combinator: Sendable, Hashable {
            /// Begins a selector.
            case none
            case descendant, child, nextSibling, laterSibling
        }
        var combinator: Combinator
        var compound: Compound
        /// Ends a selector: what it matches, the list matches.
        var isLast = false
    }

    struct Compound: Sendable, Hashable {
        /// In lower case; nil for every element.
        var name: [UInt8]?
        var conditions: [Condition] = []
    }

    indirect enum Condition: Sendable, Hashable {
        case id([UInt8])
        case hasClass([UInt8])
        case attribute(name: [UInt8], test: AttributeTest)
        /// The element is number `step * n + offset` of its parent, for some n from 0.
        case nthChild(step: Int, offset: Int)
        case not([Compound])
    }

    struct AttributeTest: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case exists, equals, word, dashed, prefix, suffix, substring
        }
        var kind: Kind
        var value: [UInt8] = []
        var ignoresCase = false
    }
}

extension Selector.AttributeTest {
    func accepts(_ given: [UInt8]) -> Bool {
        let text = ignoresCase ? given.map(lowercased) : given
        switch kind {
        case .exists: return true
        case .equals: return text == value
        case .word: return isWord && text.split(whereSeparator: isSpace).contains { $0.elementsEqual(value) }
        case .dashed:
            return text.starts(with: value) && (text.count == value.count || text[value.count] == UInt8(ascii: "-"))
        case .prefix: return !value.isEmpty && text.starts(with: value)
        case .suffix: return !value.isEmpty && text.suffix(value.count).elementsEqual(value)
        case .substring: return !value.isEmpty && text.contains(value)
        }
    }

    private var isWord: Bool { !value.isEmpty && !value.contains(where: isSpace) }
}
