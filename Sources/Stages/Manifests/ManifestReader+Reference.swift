extension ManifestReader {
    /// The keys as a Markdown table.
    package static func reference() -> String {
        var text = """
            | key | value | default | meaning |
            | --- | --- | --- | --- |

            """
        for key in ManifestTable.keys {
            let type = key.unit.isEmpty ? key.plainType : "\(key.plainType) (\(key.unit))"
            text += "| `\(key.path)` | \(cell(type)) | \(standard(of: key)) | \(cell(key.meaning)) |\n"
        }
        return text
    }

    /// What a manifest would hold is set as code, a word about the default is not.
    private static func standard(of key: ManifestKey) -> String {
        if key.isRequired { return "required" }
        let isWords = key.standard.contains(" ") || ["none", "all"].contains(key.standard)
        return isWords ? cell(key.standard) : "`\(key.standard)`"
    }

    private static func cell(_ text: String) -> String {
        String(text.flatMap { $0 == "|" ? Array("\\|") : [$0] })
    }
}

extension ManifestKey {
    /// The type without its article.
    var plainType: String {
        for article in ["a ", "an "] where type.hasPrefix(article) { return String(type.dropFirst(article.count)) }
        return type
    }
}
