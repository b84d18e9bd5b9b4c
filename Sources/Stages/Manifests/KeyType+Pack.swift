import YAML

/// A field of `bag-info.txt`.
struct BagField: Sendable {
    var label: String
    var value: String
}

extension KeyType where Value == String {
    /// A pattern on names.
    static var glob: KeyType {
        text("a glob such as *.pdf") { text in
            text.utf8.first == UInt8(ascii: "/") ? "names are relative; write it without the first '/'" : nil
        }
    }

    /// Whom to encrypt for; what holds a slash is a file.
    static var recipient: KeyType {
        let type = text("a key's id, an address or the path of a key file", longest: 512) { text in
            text.utf8.first == UInt8(ascii: "-") ? "it begins with '-', which reads as an option" : nil
        }
        return KeyType(name: type.name, schema: type.schema) { node, reading in
            type.read(node, &reading).map { text in
                let folder = reading.draft.folder
                guard text.contains("/"), !text.hasPrefix("/"), !folder.isEmpty else { return text }
                return "\(folder)/\(text)"
            }
        }
    }
}

extension KeyType where Value == [BagField] {
    /// Labels with values, for RFC 8493, 2.2.2.
    static var bagInfo: KeyType {
        let schema: JSONText = [
            "type": "object", "additionalProperties": ["type": ["string", "number", "boolean"]],
        ]
        let name = "fields such as Source-Organization: Example Library"
        return KeyType(name: name, schema: schema) { node, reading in
            guard let pairs = reading.mapping(node, expected: name) else { return nil }
            return pairs.compactMap { pair in
                reading.within(pair.key) { reading in
                    let owned = ["payload-oxum", "bag-count", "bag-group-identifier"]
                    if owned.contains(pair.key.lowercased()) {
                        reading.error(pair.keyPosition, "this field cannot be set; the packer counts it")
                        return nil
                    }
                    guard Words.consists(pair.key, of: Words.alphanumerics + "-_ ", atMost: 100),
                        !pair.key.hasPrefix(" "), !pair.key.hasSuffix(" ")
                    else {
                        reading.error(pair.keyPosition, "a label is of letters, digits, '-' and blanks")
                        return nil
                    }
                    return KeyType<String>.text().read(pair.value, &reading).map {
                        BagField(label: pair.key, value: $0)
                    }
                }
            }
        }
    }
}
