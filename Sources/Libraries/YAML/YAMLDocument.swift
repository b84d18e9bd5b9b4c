/// A manifest's text as a tree, with all that is wrong with its form.
///
/// What is taken is less than YAML: one document of UTF-8 (a byte order mark is skipped) of at most 1 MiB, no aliases,
/// anchors or tags, no key twice, keys of plain text, at most 64 levels. Time is linear in the size, memory too.
package struct YAMLDocument: Sendable {
    /// nil when the text is empty or holds only comments, or when a problem made it unreadable.
    package let root: YAMLNode?
    /// In the order of the text, at most one that stopped the reading and it is the last.
    package let problems: [YAMLProblem]

    /// Most bytes of a document.
    package static let largest = 1 << 20

    /// Reads YAML, of which JSON is a subset but for surrogate pairs in `\u` escapes.
    package init(yaml bytes: [UInt8]) {
        self = YAMLDocument.checked(bytes) { body in
            body.withUnsafeBufferPointer { YAMLDocument.parse($0) }
        }
    }

    /// Reads strict JSON (RFC 8259) into the same tree.
    package init(json bytes: [UInt8]) {
        self = YAMLDocument.checked(bytes) { body in
            var reader = JSONReader(body)
            reader.read()
            return YAMLDocument(reader.tree)
        }
    }

    private init(_ tree: TreeBuilder) {
        root = tree.isStopped ? nil : tree.root
        problems = tree.problems
    }

    private init(_ problem: YAMLProblem) {
        root = nil
        problems = [problem]
    }

    private static func checked(_ bytes: [UInt8], _ parse: (ArraySlice<UInt8>) -> YAMLDocument) -> YAMLDocument {
        guard bytes.count <= largest else {
            return YAMLDocument(YAMLProblem(.start, "the file is larger than 1 MiB; it cannot be a manifest"))
        }
        let body = TextCheck.body(of: bytes)
        if let problem = TextCheck.problem(in: body) { return YAMLDocument(problem) }
        return parse(body)
    }

    private static func parse(_ body: UnsafeBufferPointer<UInt8>) -> YAMLDocument {
        var tree = TreeBuilder()
        // A buffer without bytes has no address, which libyaml asserts on.
        guard !body.isEmpty else { return YAMLDocument(tree) }
        guard var parser = EventParser(body) else {
            return YAMLDocument(YAMLProblem(.start, "libyaml could not start: no memory"))
        }
        var documents = 0
        while true {
            switch parser.step(into: &tree, documents: &documents) {
            case .more: continue
            case .end: return YAMLDocument(tree)
            case .failed:
                let problem = parser.problem(in: body)
                tree.stop(problem.position, problem.message)
                return YAMLDocument(tree)
            }
        }
    }
}
