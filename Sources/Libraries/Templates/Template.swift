/// Text with fields in braces, such as `{date:yyyyMMdd}-{stem}.{ext}`; `{{` and `}}` stand for the braces themselves.
///
/// Fields and their arguments are checked when the template is made, so that rendering cannot fail.
package struct Template: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case text(String)
        /// A field that the template's kind has, with an argument that is right for it.
        case field(name: String, argument: String?)
    }
    /// As the manifest wrote it.
    package let source: String
    package let parts: [Part]

    /// - Throws: where and why the text is no template of that kind.
    package init(_ source: String, fields: TemplateFields) throws(TemplateError) {
        self.source = source
        self.parts = try TemplateParser.parts(of: source, fields: fields)
    }

    private init(source: String, parts: [Part]) {
        self.source = source
        self.parts = parts
    }

    package static let defaultName = Template(
        source: "{date:yyyyMMddHHmmss}-{stem}.{ext}",
        parts: [
            .field(name: "date", argument: "yyyyMMddHHmmss"), .text("-"), .field(name: "stem", argument: nil),
            .text("."), .field(name: "ext", argument: nil),
        ])
    package static let defaultBundle = Template(
        source: "{job}-{date:yyyyMMddHHmmss}.{ext}",
        parts: [
            .field(name: "job", argument: nil), .text("-"), .field(name: "date", argument: "yyyyMMddHHmmss"),
            .text("."), .field(name: "ext", argument: nil),
        ])

    /// The template's text with every field replaced by what `value` gives for it.
    package func render(_ value: (_ field: String, _ argument: String?) -> String) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let literal): text += literal
            case .field(let name, let argument): text += value(name, argument)
            }
        }
        return text
    }

    /// True when the template holds that field.
    package func contains(field: String) -> Bool {
        parts.contains { part in
            if case .field(field, _) = part { true } else { false }
        }
    }
}

/// Why a text is no template.
package struct TemplateError: Error, Sendable, Hashable {
    /// Where in the template, in bytes from 0.
    package let offset: Int
    package let message: String

    package init(offset: Int, message: String) {
        self.offset = offset
        self.message = message
    }
}
