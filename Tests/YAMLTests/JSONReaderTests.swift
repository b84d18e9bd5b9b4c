import Testing

@testable import YAML

@Suite struct JSONReaderTests {
    private func text(_ json: String) -> String? {
        guard case .sequence(let items)? = YAMLDocument(json: Array(json.utf8)).root?.content else { return nil }
        return items.map { item in
            if case .scalar(let scalar) = item.content { scalar.text } else { "?" }
        }.joined(separator: "|")
    }

    @Test(arguments: [
        ("[\"a\\u00e9\\ud83d\\ude00\\/\\n\", 1, -0.5e+3, true, null]", "aé😀/\n|1|-0.5e+3|true|null"),
        ("\u{FEFF} [ ] ", ""), ("[[], {}, {\"a\": [1]}]", "?|?|?"),
    ])
    func read(_ json: String, _ expected: String) { #expect(text(json) == expected) }

    @Test(arguments: [
        ("[1,]", "1:4 a JSON value was expected: text in double quotes, a number, true, false, null, [ or {"),
        ("{\"a\": 1,}", "1:9 a key in double quotes was expected"),
        ("{\"a\": 1,\n \"a\": 2}", "2:2 the key 'a' stands here again; its first place is line 1"),
        ("[NaN]", "1:2 a JSON value was expected: text in double quotes, a number, true, false, null, [ or {"),
        ("[012]", "1:2 a JSON value was expected: text in double quotes, a number, true, false, null, [ or {"),
        ("[1.]", "1:2 a JSON value was expected: text in double quotes, a number, true, false, null, [ or {"),
        ("[\"\\ud83d\"]", "1:3 half a surrogate pair is no character"),
        ("[\"\\ude00\"]", "1:3 half a surrogate pair is no character"),
        ("[\"\\ud83d\\u0041\"]", "1:3 half a surrogate pair is no character"),
        ("[\"\\x\"]", "1:3 no escape of JSON"), ("[\"\\u00g0\"]", "1:3 no escape of JSON"),
        ("[\"a\nb\"]", "1:4 a line break or control character must be escaped in a JSON string"),
        ("[\"a", "1:2 this string is never closed"), ("[1", "1:3 the JSON ends too early: ',' or ']' was expected"),
        ("{\"a\" 1}", "1:6 ':' was expected"), ("{a: 1}", "1:2 a key in double quotes was expected"),
        ("[1 2]", "1:4 ',' or ']' was expected"), ("[1] x", "1:5 the JSON value has ended; nothing may follow it"),
        ("[1}", "1:3 ',' or ']' was expected"),
        ("// c\n[]", "1:1 a JSON value was expected: text in double quotes, a number, true, false, null, [ or {"),
    ])
    func refused(_ json: String, _ expected: String) {
        let problems = YAMLDocument(json: Array(json.utf8)).problems
        #expect(problems.map { "\($0.position.line):\($0.position.column) \($0.message)" } == [expected])
    }
}
