import HTML
import Model
import URLs
import YAML

extension KeyType where Value == WebURL {
    /// The URL of a page that the manifest's author names, without credentials.
    static var page: KeyType {
        let name = "a URL that begins with https:// or http://"
        return KeyType(name: name, schema: ["type": "string", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://"]) {
            node, reading in
            guard let text = KeyType<String>.text(name).read(node, &reading) else { return nil }
            guard let url = WebURL(text), url.isHTTP, url.host?.isEmpty == false else {
                reading.mismatch(node, expected: name)
                return nil
            }
            guard !url.hasCredentials else {
                reading.error(node.position, "a password must not stand in a manifest")
                return nil
            }
            return url.withoutFragment
        }
    }
}

extension KeyType where Value == String {
    /// A cookie's name (RFC 6265bis, 4.1.1).
    static var cookieName: KeyType {
        text("a cookie's name", longest: 256) { text in
            text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !Array("=;,".utf8).contains($0) } ? nil : ""
        }
    }
}

extension KeyType where Value == [LoginField] {
    /// Names with what is sent for them: text or a secret.
    static var loginFields: KeyType {
        let name = "fields, each with text, { env: NAME } or { file: PATH }"
        let schema: JSONText = [
            "type": "object", "minProperties": 1,
            "additionalProperties": ["anyOf": [["type": ["string", "number", "boolean"]], secretSchema]],
        ]
        return KeyType(name: name, schema: schema) { node, reading in
            guard let pairs = reading.mapping(node, expected: name) else { return nil }
            return pairs.compactMap { pair in
                reading.within(pair.key) { field(pair, &$0) }.map { LoginField(name: pair.key, value: $0) }
            }
        }
    }

    private static func field(_ pair: YAMLPair, _ reading: inout ManifestReading) -> LoginField.Value? {
        if case .mapping = pair.value.content { return Secrets.read(pair.value, &reading).map { .secret($0) } }
        guard let scalar = reading.scalar(pair.value, expected: "text, { env: NAME } or { file: PATH }") else {
            return nil
        }
        let lower = pair.key.lowercased()
        // The value is not quoted: it may be one after all.
        if ["pass", "pwd", "secret", "token"].contains(where: { lower.contains($0) }) {
            reading.error(
                pair.value.position, "a secret must not stand in a manifest; write { env: NAME } or { file: PATH }")
            return nil
        }
        if Words.hasControl(scalar.text) {
            reading.error(pair.value.position, "it holds a line break or another control character")
            return nil
        }
        let isLiteral = ["true", "false"].contains(scalar.text) || Int(scalar.text).map(String.init) == scalar.text
        return scalar.style == .plain && isLiteral ? .literal(scalar.text) : .text(scalar.text)
    }
}

extension KeyType where Value == [HiddenField] {
    /// A selector of inputs that keep their own names, or names with a selector for each.
    static var hiddenFields: KeyType {
        let schema: JSONText = [
            "anyOf": [["type": "string"], ["type": "object", "additionalProperties": ["type": "string"]]]
        ]
        let name = "a CSS selector, or names with a selector for each"
        return KeyType(name: name, schema: schema) { node, reading in
            if case .scalar = node.content {
                return KeyType<String>.selector.read(node, &reading).map { [HiddenField(name: nil, selector: $0)] }
            }
            guard let pairs = reading.mapping(node, expected: name) else { return nil }
            return pairs.compactMap { pair in
                reading.within(pair.key) { KeyType<String>.selector.read(pair.value, &$0) }
                    .map { HiddenField(name: pair.key, selector: $0) }
            }
        }
    }
}
