import Model
import URLs
import YAML

extension KeyType where Value == ChecksumRules {
    /// `auto`, or one or more URLs that may hold `{url}`.
    static var checksums: KeyType {
        let name = "auto, or a URL such as SHA256SUMS or \"{url}.sha256\""
        let one: JSONText = ["type": "string"]
        let schema: JSONText = ["anyOf": [one, ["type": "array", "items": one, "minItems": 1]]]
        let url = KeyType<String>.text(name, objection(to:))
        return KeyType(name: name, schema: schema) { node, reading in
            guard case .scalar(let scalar) = node.content else {
                guard let items = reading.list(node, expected: name, mayBeEmpty: false) else { return nil }
                let urls = items.compactMap { url.read($0, &reading) }
                return urls.count == items.count ? .at(urls) : nil
            }
            if scalar.text == "auto" { return .auto }
            return url.read(node, &reading).map { .at([$0]) }
        }
    }

    private static func objection(to text: String) -> String? {
        let sample = text.replacing("{url}", with: "https://host.example/file")
        if sample.contains("{") || sample.contains("}") { return "the only field that it may hold is {url}" }
        guard let base = WebURL("https://host.example/file"), let url = WebURL(sample, base: base) else {
            return "that is no URL"
        }
        if url.hasCredentials { return "a password must not stand here" }
        return url.isHTTP ? nil : "\(url.scheme): is not asked for checksums, only http and https"
    }
}
