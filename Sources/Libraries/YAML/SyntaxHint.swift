/// Says in a manifest author's words what libyaml says in a grammar's.
enum SyntaxHint {
    static func message(problem: String, context: String?, at culprit: Unicode.Scalar?) -> String? {
        switch (problem, culprit) {
        case (_, "\t") where problem.contains("cannot start any token") || problem.contains("tab"):
            return "a tab in the indentation; YAML takes spaces only"
        case ("found character that cannot start any token", let sign?):
            return "a value cannot begin with '\(sign)'; put it in quotes"
        case ("mapping values are not allowed in this context", _):
            return "a ':' that is not expected here; check the indentation, or put a value that holds ': ' in quotes"
        case ("found invalid Unicode character escape code", _):
            return "an escape that is no character; write one beyond U+FFFF as it is or as \\U0001F600"
        case (_, _) where context == "while scanning an alias" || context == "while scanning an anchor":
            return "a value cannot begin with '*' or '&'; put it in quotes"
        case ("did not find expected key", _):
            return
                "a key was expected here; check the indentation, and put a value that begins with '{' or '\"' in quotes"
        case ("did not find expected ',' or '}'", _):
            return "',' or '}' was expected here; put a value that begins with '{' or '[' in quotes"
        case ("did not find expected ',' or ']'", _):
            return "',' or ']' was expected here; put a value that begins with '{' or '[' in quotes"
        default: return nil
        }
    }

    /// The character at an index in Unicode scalars.
    static func scalar(at index: Int, in body: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar? {
        var seen = 0
        for place in body.indices where body[place] & 0xC0 != 0x80 {
            if seen == index {
                return String(decoding: body[place..<min(place + 4, body.count)], as: UTF8.self).unicodeScalars.first
            }
            seen += 1
        }
        return nil
    }
}
