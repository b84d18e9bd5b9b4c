/// Builds the tree of nodes from events, without recursion, and holds the rules that YAML and JSON share here:
/// bounded nesting, keys of plain text, no key twice.
struct TreeBuilder {
    /// Deep enough for any manifest, shallow enough for whoever walks the tree by recursion.
    static let deepest = 64
    /// Whoever has that many has another kind of file.
    static let mostProblems = 100

    /// A list or mapping that has not ended. One struct for both, so that it is changed in place and never copied.
    private struct Open {
        enum Key {
            case awaited
            case read(String, SourcePosition)
            /// Refused: its value is read and dropped.
            case dropped
        }
        let isMapping: Bool
        let position: SourcePosition
        var items: [YAMLNode] = []
        var pairs: [YAMLPair] = []
        // Bytes, since String equality is canonical and keys are not.
        var seen: [[UInt8]: SourcePosition] = [:]
        var key = Key.awaited

        var awaitsKey: Bool {
            if isMapping, case .awaited = key { true } else { false }
        }
    }

    private var stack: [Open] = []
    private(set) var root: YAMLNode?
    private(set) var problems: [YAMLProblem] = []
    /// True once going on makes no sense.
    private(set) var isStopped = false

    mutating func note(_ position: SourcePosition, _ message: String) {
        guard problems.count < Self.mostProblems else {
            return stop(position, "more than \(Self.mostProblems) problems; the rest was not read")
        }
        problems.append(YAMLProblem(position, message))
    }

    /// Notes what makes the rest unreadable.
    mutating func stop(_ position: SourcePosition, _ message: String) {
        guard !isStopped else { return }
        problems.append(YAMLProblem(position, message))
        isStopped = true
    }

    mutating func beginSequence(at position: SourcePosition) {
        if mayNest(at: position) { stack.append(Open(isMapping: false, position: position)) }
    }

    mutating func beginMapping(at position: SourcePosition) {
        if mayNest(at: position) { stack.append(Open(isMapping: true, position: position)) }
    }

    mutating func end() {
        guard let open = stack.popLast() else { return }
        add(YAMLNode(open.isMapping ? .mapping(open.pairs) : .sequence(open.items), at: open.position))
    }

    mutating func add(_ scalar: YAMLScalar, at position: SourcePosition) {
        guard let top = stack.indices.last, stack[top].awaitsKey else {
            return add(YAMLNode(.scalar(scalar), at: position))
        }
        let name = Array(scalar.text.utf8)
        if let first = stack[top].seen[name] {
            note(position, "the key '\(short(scalar.text))' stands here again; its first place is line \(first.line)")
            stack[top].key = .dropped
        } else {
            stack[top].seen[name] = position
            stack[top].key = .read(scalar.text, position)
        }
    }

    /// Takes the place of a value or key that was refused.
    mutating func addRefused(at position: SourcePosition) {
        if let top = stack.indices.last, stack[top].awaitsKey {
            stack[top].key = .dropped
        } else {
            add(YAMLNode(.refused, at: position))
        }
    }

    private mutating func add(_ node: YAMLNode) {
        guard let top = stack.indices.last else {
            root = node
            return
        }
        guard stack[top].isMapping else {
            stack[top].items.append(node)
            return
        }
        if case .read(let key, let keyPosition) = stack[top].key {
            stack[top].pairs.append(YAMLPair(key: key, keyPosition: keyPosition, value: node))
        }
        stack[top].key = .awaited
    }

    private mutating func mayNest(at position: SourcePosition) -> Bool {
        if stack.last?.awaitsKey == true {
            stop(position, "a key must be plain text, not a list or a mapping")
        } else if stack.count >= Self.deepest {
            stop(position, "lists and mappings are nested more than \(Self.deepest) deep")
        }
        return !isStopped
    }
}

/// Enough of a text for a message.
func short(_ text: String) -> String {
    text.unicodeScalars.count > 60 ? String(text.unicodeScalars.prefix(60)) + "..." : text
}
