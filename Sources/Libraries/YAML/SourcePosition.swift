/// A place in a text file as editors show it.
package struct SourcePosition: Sendable, Hashable, Comparable {
    /// From 1.
    package var line: Int
    /// From 1, in Unicode scalars: a Korean syllable or an emoji of one code point counts one, a tab too.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The first character of a file.
    package static let start = SourcePosition(line: 1, column: 1)

    package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// What is wrong with a text as YAML or JSON, and where.
package struct YAMLProblem: Sendable, Hashable {
    package let position: SourcePosition
    package let message: String

    package init(_ position: SourcePosition, _ message: String) {
        self.position = position
        self.message = message
    }
}
