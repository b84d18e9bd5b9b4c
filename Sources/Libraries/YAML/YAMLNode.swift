/// A value of a YAML or JSON document with its place. Scalars stay text: whoever knows the wanted type reads them.
package struct YAMLNode: Sendable {
    package enum Content: Sendable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        case mapping([YAMLPair])
        /// Stands where something was refused (an alias, say); the document's problems tell what.
        case refused
    }
    package let position: SourcePosition
    package let content: Content

    package init(_ content: Content, at position: SourcePosition) {
        self.content = content
        self.position = position
    }
}

/// One entry of a mapping; entries keep the order of the file.
package struct YAMLPair: Sendable {
    package let key: String
    package let keyPosition: SourcePosition
    package let value: YAMLNode
}

/// Text with the way it was written, since `5` and `"5"` differ.
package struct YAMLScalar: Sendable, Hashable {
    package enum Style: Sendable, Hashable {
        /// Bare, or a JSON number or word.
        case plain
        /// In single or double quotes.
        case quoted
        /// After `|` or `>`.
        case block
    }
    package let text: String
    package let style: Style
    /// Where the text's first character stands, when every character stands in the file as it is in `text`, on one line.
    let textPosition: SourcePosition?

    init(text: String, style: Style, from start: SourcePosition, to end: SourcePosition) {
        self.text = text
        self.style = style
        let quote = style == .quoted ? 1 : 0
        // Every escape and fold is longer in the file than in the text, so equal lengths mean equal characters.
        let isExact =
            style != .block && start.line == end.line
            && end.column - start.column == text.unicodeScalars.count + 2 * quote
        textPosition = isExact ? SourcePosition(line: start.line, column: start.column + quote) : nil
    }

    /// True for what YAML 1.2's core schema reads as null: nothing, `~`, `null`, without quotes.
    package var isNull: Bool {
        style == .plain && ["", "~", "null", "Null", "NULL"].contains(text)
    }
}

extension YAMLNode {
    /// The place of a byte of the scalar's text where that can be told, else the node's own.
    /// - Parameter offset: from 0, in UTF-8 bytes.
    package func position(ofByte offset: Int) -> SourcePosition {
        guard case .scalar(let scalar) = content, let start = scalar.textPosition, offset >= 0 else { return position }
        let before = scalar.text.utf8.prefix(offset)
        // Bytes that begin a scalar are those that do not continue one.
        let scalars = before.count { $0 & 0xC0 != 0x80 }
        return SourcePosition(line: start.line, column: start.column + scalars)
    }
}
