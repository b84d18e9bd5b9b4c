import YAML

/// What a key's value may be: how people and editors are told, and how it is read.
struct KeyType<Value: Sendable>: Sendable {
    /// Follows "expected", such as `a whole number from 1 to 1024`.
    let name: String
    /// The JSON Schema of the value.
    let schema: JSONText
    /// Reads a value, or notes what is wrong with it and gives nil.
    let read: @Sendable (YAMLNode, inout ManifestReading) -> Value?

    /// The same value in another form.
    func map<Other>(_ change: @escaping @Sendable (Value) -> Other) -> KeyType<Other> {
        KeyType<Other>(name: name, schema: schema) { node, reading in read(node, &reading).map(change) }
    }
}

/// A value with its place, for checks of several keys together.
struct Placed<Value: Sendable>: Sendable {
    var value: Value
    var position: SourcePosition
}

extension KeyType {
    /// A scalar, read by a function that throws what is wrong with its text.
    /// - Parameter parse: throws a hint that follows "expected ..., found ...".
    static func scalar(
        _ name: String, schema: JSONText,
        _ parse: @escaping @Sendable (YAMLScalar) throws(Units.Refusal) -> Value
    ) -> KeyType {
        KeyType(name: name, schema: schema) { node, reading in
            guard let scalar = reading.scalar(node, expected: name) else { return nil }
            do throws(Units.Refusal) {
                return try parse(scalar)
            } catch {
                reading.mismatch(node, expected: name, hint: error.hint)
                return nil
            }
        }
    }

    /// A list of values, each read by another type.
    /// - Parameter mayBeEmpty: whether a list without values means something.
    static func list<Element>(
        of element: KeyType<Element>, named name: String, mayBeEmpty: Bool = false
    ) -> KeyType where Value == [Element] {
        var members: [(key: String, value: JSONText)] = [("type", "array"), ("items", element.schema)]
        if !mayBeEmpty { members.append(("minItems", 1)) }
        return KeyType(name: name, schema: .object(members)) { node, reading in
            guard let items = reading.list(node, expected: name, mayBeEmpty: mayBeEmpty) else { return nil }
            let values = items.compactMap { element.read($0, &reading) }
            return values.count == items.count ? values : nil
        }
    }
}
