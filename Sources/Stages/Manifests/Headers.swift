import Model
import YAML

/// A header of the manifest with its place.
struct HeaderDraft: Sendable {
    var name: String
    var value: HeaderValue
}

extension KeyType where Value == [HeaderDraft] {
    /// Names with values; a value is text or names a secret.
    static var headers: KeyType {
        let secret: JSONText = [
            "type": "object", "additionalProperties": false, "minProperties": 1, "maxProperties": 1,
            "properties": ["env": ["type": "string"], "file": ["type": "string"]],
        ]
        let schema: JSONText = [
            "type": "object", "additionalProperties": ["anyOf": [["type": ["string", "number", "boolean"]], secret]],
        ]
        return KeyType(name: "headers, each with text, { env: NAME } or { file: PATH }", schema: schema) {
            node, reading in
            guard let pairs = reading.mapping(node, expected: "headers such as X-Token: { env: NAME }") else {
                return nil
            }
            var seen: Set<String> = []
            return pairs.compactMap { pair in
                reading.within(pair.key) { reading in
                    if !seen.insert(pair.key.lowercased()).inserted {
                        reading.error(pair.keyPosition, "this header stands here already; its case makes no difference")
                    }
                    return Headers.read(pair, &reading)
                }
            }
        }
    }
}

/// Which headers a manifest may set (RFC 9110, 5.1 and 5.5), so that none breaks the framing or adds a second line.
enum Headers {
    private static let tokens = Words.alphanumerics + "!#$%&'*+-.^_`|~"
    /// They frame the message or belong to one connection: only the program can know them.
    private static let framing = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]
    /// They say what the program asks for; a fixed value would break resuming, comparing or decoding.
    private static let owned = [
        "accept-encoding", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range",
    ]

    static func read(_ pair: YAMLPair, _ reading: inout ManifestReading) -> HeaderDraft? {
        guard isAllowed(pair, &reading) else { return nil }
        if case .mapping = pair.value.content {
            return Secrets.read(pair.value, &reading).map { HeaderDraft(name: pair.key, value: .secret($0)) }
        }
        let expected = "text, { env: NAME } or { file: PATH }"
        guard let scalar = reading.scalar(pair.value, expected: expected) else { return nil }
        // The value is not quoted: somebody may have put a secret here after all.
        if ["authorization", "proxy-authorization"].contains(pair.key.lowercased()) {
            reading.error(
                pair.value.position, "a secret must not stand in a manifest; write { env: NAME } or { file: PATH }")
            return nil
        }
        if let objection = Words.objection(to: scalar.text, longest: 8192) {
            reading.error(pair.value.position, "the value cannot be sent: \(objection)")
            return nil
        }
        return HeaderDraft(name: pair.key, value: .plain(scalar.text))
    }

    private static func isAllowed(_ pair: YAMLPair, _ reading: inout ManifestReading) -> Bool {
        let name = pair.key.lowercased()
        let message: String
        if !Words.consists(pair.key, of: tokens, atMost: 128) {
            message = "this is no header's name; one is of letters, digits and '-', without the colon"
        } else if framing.contains(name) {
            message = "this header cannot be set; the connection decides it"
        } else if owned.contains(name) {
            message = "this header cannot be set; the program decides it for each request"
        } else if name == "user-agent" {
            message = "set this header with 'fetch.user-agent'"
        } else {
            return true
        }
        reading.error(pair.keyPosition, message)
        return false
    }
}
