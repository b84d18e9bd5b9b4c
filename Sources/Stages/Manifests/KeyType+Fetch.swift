import Model
import YAML

extension KeyType where Value == Int64 {
    /// Bytes a second: a size, then `/s`.
    static var rate: KeyType {
        let units = Units.sizes.map(\.name).joined(separator: "|")
        let schema: JSONText = ["type": "string", "pattern": .string("^[0-9]+(\\.[0-9]+)? ?(\(units))?/s$")]
        return scalar("a rate such as 500kB/s or 20MiB/s", schema: schema) { scalar throws(Units.Refusal) in
            guard scalar.text.hasSuffix("/s") else { throw Units.Refusal(hint: "write \(scalar.text)/s") }
            let value = try Units.size(String(scalar.text.dropLast(2)))
            guard value > 0 else { throw Units.Refusal(hint: "it must be at least 1B/s") }
            return value
        }
    }
}

extension KeyType where Value == String {
    /// The path of a file; a relative one starts from the manifest's folder.
    static var path: KeyType {
        KeyType(name: "the path of a file", schema: ["type": "string"]) { node, reading in
            let type = KeyType.text("the path of a file") { path in
                path.utf8.first == UInt8(ascii: "~") ? "'~' is not expanded; write the whole path" : nil
            }
            return type.read(node, &reading).map { path in
                let folder = reading.draft.folder
                return path.utf8.first == UInt8(ascii: "/") || folder.isEmpty ? path : "\(folder)/\(path)"
            }
        }
    }

    /// A host, domain, address or block of addresses.
    static var proxyException: KeyType {
        text("a host, a domain, an address or '*'", longest: 255) { text in
            text.contains { $0 == "," || $0 == " " } ? "write one in each entry" : nil
        }
    }
}

let secretSchema: JSONText = [
    "type": "object", "additionalProperties": false, "minProperties": 1, "maxProperties": 1,
    "properties": ["env": ["type": "string"], "file": ["type": "string"]],
]

extension KeyType where Value == Secret {
    static var secret: KeyType {
        KeyType(name: "{ env: NAME } or { file: PATH }", schema: secretSchema) { Secrets.read($0, &$1) }
    }
}

extension KeyType where Value == HeaderValue {
    /// A proxy's URL, as a secret where it holds a password.
    static var proxy: KeyType {
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        let schema: JSONText = ["anyOf": [["type": "string"], secretSchema]]
        let name = "a proxy's URL such as http://host:3128 or socks5h://host:1080"
        return KeyType(name: name, schema: schema) { node, reading in
            if case .mapping = node.content { return Secrets.read(node, &reading).map { .secret($0) } }
            let type = KeyType<String>.text(name) { text in
                let parts = text.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, schemes.contains(parts[0].lowercased()), parts[1].hasPrefix("//") else {
                    return "it begins with one of \(schemes.map { $0 + "://" }.joined(separator: ", "))"
                }
                return text.contains("@")
                    ? "a password must not stand here; write { env: NAME } or { file: PATH }" : nil
            }
            return type.read(node, &reading).map { .plain($0) }
        }
    }
}

extension KeyType where Value == BasicAuthRules {
    /// A name and a password, or a secret that holds both as `name:password`.
    static var basic: KeyType {
        let schema: JSONText = [
            "anyOf": [
                secretSchema,
                [
                    "type": "object", "additionalProperties": false, "required": ["user", "password"],
                    "properties": ["user": ["type": "string"], "password": secretSchema],
                ],
            ]
        ]
        let name = "{ user: NAME, password: { env: NAME } }"
        return KeyType(name: name, schema: schema) { node, reading in
            guard let pairs = reading.mapping(node, expected: name) else { return nil }
            let keys = Set(pairs.map(\.key))
            if keys == ["env"] || keys == ["file"] {
                return Secrets.read(node, &reading).map { BasicAuthRules(user: nil, secret: $0) }
            }
            var user: String?
            var password: Secret?
            for pair in pairs {
                reading.within(pair.key) { reading in
                    switch pair.key {
                    case "user":
                        user = KeyType<String>.text("a user's name") { $0.contains(":") ? "it holds a ':'" : nil }
                            .read(pair.value, &reading)
                    case "password": password = Secrets.read(pair.value, &reading)
                    default: reading.error(pair.keyPosition, "expected user or password, found \(quoted(pair.key))")
                    }
                }
            }
            guard keys == ["user", "password"] else {
                if keys.isSubset(of: ["user", "password"]) { reading.error(node.position, "expected \(name)") }
                return nil
            }
            guard let user, let password else { return nil }
            return BasicAuthRules(user: user, secret: password)
        }
    }
}
