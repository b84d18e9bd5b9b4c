/// What a document holds, in order. Ranges are offsets into the bytes that the reader was given.
package enum HTMLEvent: Sendable, Hashable {
    case start(HTMLTag)
    case end(HTMLTag)
    case text(HTMLText)
}

/// A tag as the document wrote it.
package struct HTMLTag: Sendable, Hashable {
    package var element: HTMLElement
    /// Where its name stands, in the document's own case.
    package var name: Range<Int>
    /// True in SVG or MathML, where `img` would be no image and `style` no raw text.
    package var isForeign = false
    /// True when the tag ends in `/>`, which means something in foreign content only.
    package var isSelfClosing = false
}

/// A run of text; a text node may come in several runs.
package struct HTMLText: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// With character references.
        case text
        /// As it stands: a script, a style sheet, CDATA.
        case raw
    }
    package var range: Range<Int>
    package var kind: Kind
}

/// Where an attribute stands in the document; the value is still encoded.
package struct HTMLAttribute: Sendable, Hashable {
    package var name: Range<Int>
    package var value: Range<Int>
}
