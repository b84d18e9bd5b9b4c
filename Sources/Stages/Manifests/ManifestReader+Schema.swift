extension ManifestReader {
    /// The JSON Schema (2020-12) of manifests, for editors. `check` knows more, and is
    /// laxer in one point: text that looks like a number or a truth needs no quotes there.
    package static func schema() -> String {
        let head: [(key: String, value: JSONText)] = [
            ("$schema", "https://json-schema.org/draft/2020-12/schema"), ("title", "Nightjar job manifest"),
        ]
        return KeyTree.manifest.objectSchema.with(head).text() + "\n"
    }
}

extension KeyTree {
    /// The schema of a mapping with these keys.
    fileprivate var objectSchema: JSONText {
        var members: [(key: String, value: JSONText)] = [("type", "object"), ("additionalProperties", false)]
        let required = children.filter { $0.key?.isRequired == true }
        if !required.isEmpty { members.append(("required", .array(required.map { .string($0.name) }))) }
        members.append(("properties", .object(children.map { (key: $0.name, value: $0.schema) })))
        return .object(members)
    }

    private var schema: JSONText {
        guard let key else { return objectSchema }
        var text = "\(key.meaning)."
        if !key.isRequired { text += " Default: \(key.standard)." }
        let description: [(key: String, value: JSONText)] = [("description", .string(text))]
        guard case .entries = key.form else { return key.schema.with(description) }
        return JSONText.object([("type", "array"), ("minItems", 1), ("items", objectSchema)]).with(description)
    }
}
