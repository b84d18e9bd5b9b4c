import YAML

/// One row of the table of manifest keys: all that is known of a key.
struct ManifestKey: Sendable {
    enum Form: Sendable {
        /// Reads the value into the draft.
        case value(@Sendable (YAMLNode, inout ManifestReading) -> Void)
        /// A list of mappings whose keys are rows of their own: what to do before and after each.
        case entries(
            begin: @Sendable (YAMLNode, inout ManifestReading) -> Void,
            end: @Sendable (_ index: Int, inout ManifestReading) -> Void)
    }
    /// Such as `fetch.timeout.idle` or `pack[].format`.
    let path: String
    /// What the value may be, for people.
    let type: String
    /// What a number counts; empty for what is none.
    let unit: String
    /// The default as the manifest would have it, or a word about it; empty for a required key.
    let standard: String
    /// What the key is for, in a sentence without its full stop.
    let meaning: String
    let schema: JSONText
    let form: Form

    var isRequired: Bool { standard.isEmpty }

    /// A key whose value goes to one place of the draft.
    static func key<Value>(
        _ path: String, _ type: KeyType<Value>, _ target: any WritableKeyPath<Draft, Value> & Sendable,
        unit: String = "", default standard: String, _ meaning: String
    ) -> ManifestKey {
        key(path, type, unit, standard, meaning) { value, _, draft in draft[keyPath: target] = value }
    }

    /// A key whose place holds nil while the manifest does not have it.
    static func key<Value>(
        _ path: String, _ type: KeyType<Value>, _ target: any WritableKeyPath<Draft, Value?> & Sendable,
        unit: String = "", default standard: String, _ meaning: String
    ) -> ManifestKey {
        key(path, type, unit, standard, meaning) { value, _, draft in draft[keyPath: target] = value }
    }

    /// A key whose value is kept with its place, for checks of several keys together.
    static func key<Value>(
        _ path: String, _ type: KeyType<Value>, _ target: any WritableKeyPath<Draft, Placed<Value>?> & Sendable,
        unit: String = "", default standard: String, _ meaning: String
    ) -> ManifestKey {
        key(path, type, unit, standard, meaning) { value, position, draft in
            draft[keyPath: target] = Placed(value: value, position: position)
        }
    }

    private static func key<Value>(
        _ path: String, _ type: KeyType<Value>, _ unit: String, _ standard: String, _ meaning: String,
        _ keep: @escaping @Sendable (Value, SourcePosition, inout Draft) -> Void
    ) -> ManifestKey {
        ManifestKey(
            path: path, type: type.name, unit: unit, standard: standard, meaning: meaning, schema: type.schema,
            form: .value { node, reading in
                if let value = type.read(node, &reading) { keep(value, node.position, &reading.draft) }
            })
    }

    /// A list of mappings.
    static func entries(
        _ path: String, _ type: String, default standard: String, _ meaning: String,
        begin: @escaping @Sendable (YAMLNode, inout ManifestReading) -> Void,
        end: @escaping @Sendable (Int, inout ManifestReading) -> Void
    ) -> ManifestKey {
        ManifestKey(
            path: path, type: type, unit: "", standard: standard, meaning: meaning, schema: ["type": "array"],
            form: .entries(begin: begin, end: end))
    }
}
