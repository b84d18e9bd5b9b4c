import JSON

/// A JSON value to be written; members keep their order, so that the same table gives the same text.
indirect enum JSONText: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByBooleanLiteral
{
    case string(String)
    case number(Int64)
    case boolean(Bool)
    case array([JSONText])
    case object([(key: String, value: JSONText)])

    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int64) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(arrayLiteral elements: JSONText...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSONText)...) {
        self = .object(elements.map { (key: $0.0, value: $0.1) })
    }

    /// The object with members put before its own; what is no object stays.
    func with(_ members: [(key: String, value: JSONText)]) -> JSONText {
        if case .object(let own) = self { .object(members + own) } else { self }
    }

    /// Two spaces a level; arrays of plain values on one line.
    func text(indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .string(let text): return JSONText.quoted(text)
        case .number(let number): return String(number)
        case .boolean(let flag): return flag ? "true" : "false"
        case .array(let items): return "[\(items.map { $0.text(indent: inner) }.joined(separator: ", "))]"
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let lines = members.map { "\(inner)\(JSONText.quoted($0.key)): \($0.value.text(indent: inner))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        }
    }

    private static func quoted(_ text: String) -> String { String(decoding: jsonString(text), as: UTF8.self) }
}
