import YAML

/// The table's keys by the levels that a manifest has them on.
struct KeyTree: Sendable {
    /// Without `[]`.
    let name: String
    /// The row of the table; nil for a section, which is only there for the keys below it.
    private(set) var key: ManifestKey?
    private(set) var children: [KeyTree] = []

    static let manifest = KeyTree(ManifestTable.keys)

    init(_ keys: [ManifestKey]) {
        self.init(name: "")
        for key in keys {
            insert(key, below: key.path.split(separator: ".").map { String($0.prefix { $0 != "[" }) })
        }
    }

    private init(name: String) { self.name = name }

    private mutating func insert(_ key: ManifestKey, below path: [String]) {
        guard let first = path.first else {
            self.key = key
            return
        }
        let index = children.firstIndex { $0.name == first } ?? children.endIndex
        if index == children.endIndex { children.append(KeyTree(name: first)) }
        children[index].insert(key, below: Array(path.dropFirst()))
    }

    /// Where else in the manifest a key of that name stands, such as `fetch.concurrency`.
    func path(of name: String) -> String? {
        for child in children {
            if child.name == name { return name }
            if let below = child.path(of: name) { return "\(child.name).\(below)" }
        }
        return nil
    }
}

extension ManifestReading {
    /// Reads a mapping by the table and notes what is missing, unknown or not built yet.
    mutating func readMapping(_ node: YAMLNode, by tree: KeyTree) {
        let name = tree.name.isEmpty ? "keys with values, such as job: my-job" : "keys below it"
        guard let pairs = mapping(node, expected: name) else { return }
        for pair in pairs {
            guard let child = tree.children.first(where: { $0.name == pair.key }) else {
                noteUnknown(pair, in: tree)
                continue
            }
            within(pair.key) { $0.read(pair, by: child) }
        }
        for child in tree.children
        where child.key?.isRequired == true && !pairs.contains(where: { $0.key == child.name }) {
            within(child.name) { $0.error(node.position, "this key is required; \(child.key?.meaning ?? "")") }
        }
    }

    private mutating func read(_ pair: YAMLPair, by tree: KeyTree) {
        switch tree.key?.form {
        case nil: readMapping(pair.value, by: tree)
        case .value(let read): read(pair.value, &self)
        case .entries(let begin, let end):
            guard let items = list(pair.value, expected: tree.key?.type ?? "a list", mayBeEmpty: false) else { return }
            for (index, item) in items.enumerated() {
                begin(item, &self)
                within("[\(index + 1)]") { reading in
                    reading.readMapping(item, by: tree)
                    end(index, &reading)
                }
            }
        }
    }

    private mutating func noteUnknown(_ pair: YAMLPair, in tree: KeyTree) {
        guard !isFull else { return note(pair.keyPosition, "") }
        let place = key.isEmpty ? "" : " below '\(key)'"
        var message = "unknown key \(quoted(pair.key))\(place)"
        if let meant = Spelling.suggestion(for: pair.key, among: tree.children.map(\.name)) {
            message += "; did you mean '\(meant)'?"
        } else if let elsewhere = KeyTree.manifest.path(of: pair.key) {
            message += "; did you mean '\(elsewhere)'?"
        } else {
            message += "; known here: \(tree.children.map(\.name).joined(separator: ", "))"
        }
        note(pair.keyPosition, message)
    }
}
