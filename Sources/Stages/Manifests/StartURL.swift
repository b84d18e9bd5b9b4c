import Templates
import URLs
import YAML

extension KeyType where Value == [Placed<Template>] {
    /// One start URL or a list of them, each a template.
    static var startURLs: KeyType {
        let name = "a URL or a list of URLs"
        let one: JSONText = ["type": "string", "pattern": "^([Hh][Tt][Tt][Pp][Ss]?|[Ss]?[Ff][Tt][Pp])://"]
        let many: JSONText = ["type": "array", "items": one, "minItems": 1]
        return KeyType(name: name, schema: ["anyOf": [one, many]]) { node, reading in
            if case .scalar = node.content { return StartURL.read(node, &reading).map { [$0] } }
            guard let items = reading.list(node, expected: name, mayBeEmpty: false) else { return nil }
            return items.compactMap { StartURL.read($0, &reading) }
        }
    }
}

/// The rules for a URL that a job starts at: absolute, of a scheme that is fetched, without credentials.
enum StartURL {
    static func read(_ node: YAMLNode, _ reading: inout ManifestReading) -> Placed<Template>? {
        guard let scalar = reading.scalar(node, expected: "a URL") else { return nil }
        let text = scalar.text
        if let message = objection(to: text) {
            reading.error(node.position, message)
            return nil
        }
        guard let template = reading.template(text, fields: .start, at: node) else { return nil }
        let sample = template.render { field, argument in
            field == "date" ? "20240229" : String((argument ?? "1").prefix { $0 != "." })
        }
        guard let url = WebURL(sample), url.isFetchable, url.host?.isEmpty == false else {
            reading.error(node.position, "\(quoted(text)) is not a valid URL")
            return nil
        }
        return Placed(value: template, position: node.position)
    }

    /// What is wrong with the beginning of a URL. Never quotes one that may hold a password.
    private static func objection(to text: String) -> String? {
        let bytes = Array(text.utf8)
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? 0
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        let rest = bytes[colon...].dropFirst()
        let shown = text.contains("@") ? "this URL" : quoted(text)
        guard scheme.first?.isLetter == true, Words.consists(scheme, of: Words.alphanumerics + "+.-", atMost: 32),
            !isHost(scheme, before: rest)
        else {
            if text.hasPrefix("/") || text.hasPrefix(".") || text.hasPrefix("~") {
                return "\(shown) is a path, not a URL; a start URL begins with https:// or http://"
            }
            let advice =
                text.contains("@") ? "https:// or http://" : "https:// or http://, such as \(quoted("http://" + text))"
            return "\(shown) has no scheme; a start URL begins with \(advice)"
        }
        switch scheme {
        case "http", "https", "ftp", "sftp":
            guard rest.starts(with: Array("//".utf8)) else { return "\(shown) needs two slashes: \(scheme)://" }
            return passwordObjection(rest.dropFirst(2))
        case "file": return "file: is refused: a job reads from servers, never from this machine's own files"
        default:
            return "the scheme \(quoted(scheme + ":")) is not supported; a start URL begins with https:// or http://"
        }
    }

    /// `localhost:8080/x` and `example.org:80` are hosts with a port, whatever the URL standard makes of them.
    private static func isHost(_ scheme: String, before rest: ArraySlice<UInt8>) -> Bool {
        if rest.starts(with: Array("//".utf8)) { return false }
        let known = ["http", "https", "ftp", "sftp", "file", "data", "javascript", "mailto"]
        let isPort = rest.first.map { $0 >= 0x30 && $0 <= 0x39 } ?? false
        return !known.contains(scheme) && (isPort || scheme.contains(".") || rest.contains(UInt8(ascii: "@")))
    }

    private static func passwordObjection(_ rest: ArraySlice<UInt8>) -> String? {
        let authority = rest.prefix { !Array("/?#\\".utf8).contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let hasPassword = authority[..<at].contains(UInt8(ascii: ":"))
        return hasPassword
            ? "a password must not stand in a manifest; write fetch.auth.basic: { user: NAME, password: { env: NAME } }"
            : nil
    }
}
