import Crawling
import Fetching
import Magic
import Model
import Reporting
import Times

extension Explainer {
    /// What fields of a response's head mean.
    static let responseFields = Explainer(
        name: "headers", arguments: "NAME VALUE [AT]", counts: 2...3,
        answer: { (question, answer) throws(ExplainError) in
            let now = try question.text("at").map { (text) throws(ExplainError) in try time(text) } ?? currentTime()
            var fields: [(HeaderField, [UInt8])] = []
            for field in HeaderField.allCases {
                if let value = try question.bytes(field.rawValue) { fields.append((field, trimmed(value))) }
            }
            guard !fields.isEmpty else {
                let names = HeaderField.allCases.map(\.rawValue).joined(separator: ", ")
                throw ExplainError("one of these is needed: \(names)")
            }
            answer.object { answer in for (field, value) in fields { field.explain(value, now, &answer) } }
        },
        show: { arguments in
            let name = arguments[0].lowercased().replacing("-", with: "_")
            guard let field = HeaderField(rawValue: name) else {
                let names = HeaderField.allCases.map { $0.rawValue.replacing("_", with: "-") }.joined(separator: ", ")
                throw ExplainError("'\(shown(arguments[0]))' is not explained; these are: \(names)")
            }
            let now = try arguments.count > 2 ? time(arguments[2]) : currentTime()
            var answer = JSONText()
            answer.object { field.explain(trimmed(Array(arguments[1].utf8)), now, &$0) }
            return String(decoding: answer.bytes, as: UTF8.self) + "\n"
        })
}

/// The fields that are explained, by their members in questions and answers.
private enum HeaderField: String, CaseIterable {
    case retryAfter = "retry_after"
    case contentRange = "content_range"
    case contentType = "content_type"
    case link
    case date

    func explain(_ value: [UInt8], _ now: Double, _ answer: inout JSONText) {
        switch self {
        case .retryAfter:
            let longest = FetchRules().retryAfterMax
            let seconds = FieldReading.retryAfter(value, longest: longest, now: now)
            answer.field("retry_after", seconds.map { Int64($0.rounded(.up)) })
        case .contentRange:
            answer.key("content_range")
            guard let range = FieldReading.contentRange(value) else { return answer.value(nil as String?) }
            answer.object { answer in
                answer.key("start")
                answer.value(range.start)
                answer.key("end")
                answer.value(range.end)
                answer.key("total")
                answer.value(range.total)
            }
        case .contentType:
            answer.key("content_type")
            guard let type = MIMEType(value) else { return answer.value(nil as String?) }
            answer.object { answer in
                answer.field("essence", type.essence)
                answer.key("parameters")
                answer.object { answer in
                    for parameter in type.parameters {
                        answer.key(text: parameter.name)
                        answer.value(parameter.value)
                    }
                }
            }
        case .link:
            answer.key("link")
            answer.array { answer in
                for link in linkHeaderValues(value) {
                    answer.object { answer in
                        answer.field("url", String(decoding: link.target, as: UTF8.self))
                        answer.field("rel", link["rel"])
                    }
                }
            }
        case .date:
            answer.key("date")
            let time = HTTPDate.parse(String(decoding: value, as: UTF8.self), now: now)
            answer.value(time.map { RFC3339.format($0) })
        }
    }
}

/// Without the blanks around it, as the value of a field is read.
private func trimmed(_ value: [UInt8]) -> [UInt8] {
    let start = value.drop { $0 == 0x20 || $0 == 0x09 }
    let end = start.reversed().drop { $0 == 0x20 || $0 == 0x09 }
    return end.reversed()
}

private func time(_ text: String) throws(ExplainError) -> Double {
    guard let time = RFC3339.parse(text) else {
        throw ExplainError("'\(shown(text))' is no time; it is written as 2026-11-30T02:15:00Z")
    }
    return time
}
