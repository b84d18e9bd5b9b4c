/// Text with fields in braces, such as `{date:yyyyMMdd}-{stem}.{ext}`.
package struct Template: Sendable {
    package enum Part: Sendable, Hashable {
        case text(String)
        case field(name: String, argument: String?)
    }
    package let source: String
    package let parts: [Part]

    package init(_ source: String, fields: TemplateFields) throws(TemplateError) {
        self.source = source
        self.parts = []
    }

    private init(trusted source: String) {
        self.source = source
        self.parts = []
    }

    package static let defaultName = Template(trusted: "{date:yyyyMMddHHmmss}-{stem}.{ext}")
    package static let defaultBundle = Template(trusted: "{job}-{date:yyyyMMddHHmmss}.{ext}")
}

/// Which fields a template may hold: those of file names, bundle names or start URLs.
package enum TemplateFields: Sendable {
    case name, bundle, start
}

package struct TemplateError: Error, Sendable {
    /// Where in the template, in bytes from 0.
    package let offset: Int
    package let message: String
}
