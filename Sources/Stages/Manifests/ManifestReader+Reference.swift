extension ManifestReader {
    /// The keys as Markdown tables for the README: first those that work, then those that are known for later.
    package static func reference() -> String {
        var text = """
            | key | value | default | meaning |
            | --- | --- | --- | --- |

            """
        for key in ManifestTable.keys where key.isSupported {
            let type = key.unit.isEmpty ? key.plainType : "\(key.plainType) (\(key.unit))"
            text += "| `\(key.path)` | \(cell(type)) | \(standard(of: key)) | \(cell(key.meaning)) |\n"
        }
        text += """

            Known, but answered with "not supported yet":

            | key | value | default | meaning |
            | --- | --- | --- | --- |

            """
        for key in ManifestTable.keys where !key.isSupported {
            text += "| `\(key.path)` | \(cell(key.plainType)) | \(standard(of: key)) | \(cell(key.meaning)) |\n"
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
