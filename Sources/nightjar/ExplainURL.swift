import Reporting
import URLs

extension Explainer {
    /// How a URL is understood (WHATWG URL).
    static let url = Explainer(
        name: "url", arguments: "URL [BASE]", counts: 1...2,
        answer: { (question, answer) throws(ExplainError) in
            let url = parse(try question.required("input"), base: try question.text("base"))
            answer.object { answer in
                if let url { answer.field("href", url.href) } else { answer.field("failure", true) }
            }
        },
        show: { arguments in
            guard let url = parse(arguments[0], base: arguments.dropFirst().first) else {
                return "\(shown(arguments[0])) is no URL\(arguments.count > 1 ? " there" : "")\n"
            }
            let parts = [
                ("href", url.href), ("host", url.host ?? "none"), ("path", url.path), ("query", url.query ?? "none"),
                ("key", url.key),
            ]
            return parts.map { name, value in "\(name)   \(shown(value))\n" }.joined()
        })
}

/// A base that is none makes what is relative to it none as well.
private func parse(_ input: String, base: String?) -> WebURL? {
    guard let base else { return WebURL(input) }
    return WebURL(base).flatMap { WebURL(input, base: $0) }
}
