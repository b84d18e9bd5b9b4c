import Model
import YAML

/// One manifest on its way from tree to job: what was read, what was wrong, and where the reader is.
struct ManifestReading {
    /// More than anybody reads; the count of the rest is told.
    static let mostDiagnostics = 100

    let file: String
    var draft: Draft
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var unshown = 0
    /// The key being read, such as `["fetch", "timeout", "idle"]` or `["pack", "[1]", "format"]`.
    private var path: [String] = []

    init(file: String, draft: Draft) {
        self.file = file
        self.draft = draft
    }

    /// True when no message would be kept any more: then none need be made.
    var isFull: Bool { diagnostics.count >= Self.mostDiagnostics }

    /// The key being read as messages name it: `fetch.timeout.idle`, `pack[1].format`; empty for the whole manifest.
    var key: String { path.joined(separator: ".").replacing(".[", with: "[") }

    /// Notes an error without naming a key.
    mutating func note(_ position: SourcePosition, _ message: String) {
        guard !isFull else {
            unshown += 1
            return
        }
        diagnostics.append(
            Diagnostic(file: file, line: position.line, column: position.column, message: message))
    }

    /// Notes an error in the value of the key being read.
    mutating func error(_ position: SourcePosition, _ message: String) {
        note(position, key.isEmpty ? message : "\(key): \(message)")
    }

    /// Notes that a value is not what its key takes.
    mutating func mismatch(_ node: YAMLNode, expected: String, hint: String = "") {
        let more = hint.isEmpty ? "" : "; \(hint)"
        error(node.position, "expected \(expected), found \(node.shown)\(more)")
    }

    /// Goes one key deeper for the time of `body`.
    mutating func within<Result>(_ key: String, _ body: (inout ManifestReading) -> Result) -> Result {
        path.append(key)
        defer { path.removeLast() }
        return body(&self)
    }

    /// A scalar that is not null, or an error.
    mutating func scalar(_ node: YAMLNode, expected: String) -> YAMLScalar? {
        switch node.content {
        case .scalar(let scalar) where !scalar.isNull: return scalar
        case .refused: return nil
        case .scalar: mismatch(node, expected: expected, hint: "remove the key to take its default")
        case .mapping where node.beginsWithBrace:
            mismatch(node, expected: expected, hint: "put text with { } in quotes")
        case .mapping, .sequence: mismatch(node, expected: expected)
        }
        return nil
    }

    /// The items of a list, or an error.
    mutating func list(_ node: YAMLNode, expected: String, mayBeEmpty: Bool) -> [YAMLNode]? {
        switch node.content {
        case .sequence(let items) where !items.isEmpty || mayBeEmpty: return items
        case .sequence: error(node.position, "the list is empty; remove the key or name at least one")
        case .refused: break
        case .scalar(let scalar) where !scalar.isNull:
            mismatch(node, expected: expected, hint: "put it in brackets: [...]")
        case .scalar, .mapping: mismatch(node, expected: expected)
        }
        return nil
    }

    /// The entries of a mapping, or an error.
    mutating func mapping(_ node: YAMLNode, expected: String) -> [YAMLPair]? {
        switch node.content {
        case .mapping(let pairs): return pairs
        case .refused: break
        case .scalar(let scalar) where scalar.isNull:
            mismatch(node, expected: expected, hint: "remove the key or put something below it")
        case .scalar, .sequence: mismatch(node, expected: expected)
        }
        return nil
    }
}

extension YAMLNode {
    /// The value as a message names it.
    var shown: String {
        switch content {
        case .scalar(let scalar) where scalar.isNull: "nothing"
        case .scalar(let scalar) where scalar.style == .plain: Manifests.quoted(scalar.text)
        case .scalar(let scalar): "the text \(Manifests.quoted(scalar.text))"
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .refused: "nothing"
        }
    }

    /// A mapping that is most likely a template written without quotes: `{stem}`.
    var beginsWithBrace: Bool {
        guard case .mapping(let pairs) = content else { return false }
        return pairs.allSatisfy { pair in
            if case .scalar(let scalar) = pair.value.content { scalar.isNull } else { false }
        }
    }
}
