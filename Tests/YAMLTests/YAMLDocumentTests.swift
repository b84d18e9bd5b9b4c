import Testing

@testable import YAML

/// `line:column message` of each problem.
private func problems(_ document: YAMLDocument) -> [String] {
    document.problems.map { "\($0.position.line):\($0.position.column) \($0.message)" }
}

private func shown(_ node: YAMLNode?) -> String {
    guard let node else { return "nothing" }
    let place = "@\(node.position.line):\(node.position.column)"
    switch node.content {
    case .refused: return "refused\(place)"
    case .scalar(let scalar): return "\(scalar.style == .plain ? scalar.text : "'\(scalar.text)'")\(place)"
    case .sequence(let items): return "[\(items.map { shown($0) }.joined(separator: " "))]\(place)"
    case .mapping(let pairs):
        let entries = pairs.map { "\($0.key)@\($0.keyPosition.line):\($0.keyPosition.column)=\(shown($0.value))" }
        return "{\(entries.joined(separator: " "))}\(place)"
    }
}

@Suite struct YAMLDocumentTests {
    @Test(arguments: [
        ("a: 1", "{a@1:1=1@1:4}@1:1"),
        ("\u{FEFF}a: NO\r\nb: \"x\"\r\n", "{a@1:1=NO@1:4 b@2:1='x'@2:4}@1:1"),
        ("# only a comment\n", "nothing"),
        ("", "nothing"),
        ("start:\n  - a\n  - [b, 'c']\n", "{start@1:1=[a@2:5 [b@3:6 'c'@3:9]@3:5]@2:3}@1:1"),
        ("a:\nb: |\n  text\n", "{a@1:1=@1:3 b@2:1='text\n'@2:4}@1:1"),
        ("{\"a\":\"b\",\n\t\"c\": [1, true]}", "{a@1:2='b'@1:6 c@2:2=[1@2:8 true@2:11]@2:7}@1:1"),
        ("가나: 다 # ja\n", "{가나@1:1=다@1:5}@1:1"),
        ("---\na: 1\n...\n", "{a@2:1=1@2:4}@2:1"),
        // Composed and decomposed are two keys, though Swift calls the strings equal.
        ("caf\u{E9}: 1\ncafe\u{301}: 2", "{caf\u{E9}@1:1=1@1:7 cafe\u{301}@2:1=2@2:8}@1:1"),
    ])
    func trees(_ text: String, _ tree: String) {
        let document = YAMLDocument(yaml: Array(text.utf8))
        #expect(problems(document).isEmpty)
        #expect(shown(document.root) == tree)
    }

    @Test(arguments: [
        ("a: 1\nb: 2\na: 3", ["3:1 the key 'a' stands here again; its first place is line 1"]),
        (
            "a: &x 1\nb: *x\nc: !!python/object 1\n",
            [
                "1:4 the anchor '&x' is not allowed; write the value where it is needed",
                "2:4 an alias (*name) is not allowed; write the value again, or in quotes if it is meant as text",
                "3:4 the tag 'tag:yaml.org,2002:python/object' is not allowed; every value here is a plain YAML one",
            ]
        ),
        ("a: 1\n---\nb: 2\n", ["2:1 a second document begins here; a manifest is one document (one job, one file)"]),
        ("a:\n\tb: 1\n", ["2:1 a tab in the indentation; YAML takes spaces only"]),
        ("a:\n  b: 1\n\tc: 1\n", ["3:1 a tab in the indentation; YAML takes spaces only"]),
        ("a: @daily\n", ["1:4 a value cannot begin with '@'; put it in quotes"]),
        ("a: *?sort=*\n", ["1:5 a value cannot begin with '*' or '&'; put it in quotes"]),
        (
            "a: b: c\n",
            ["1:5 a ':' that is not expected here; check the indentation, or put a value that holds ': ' in quotes"]
        ),
        (
            "a: {x}-{y}\n",
            [
                "1:7 a key was expected here; check the indentation, and put a value that begins with '{' or '\"' in quotes"
            ]
        ),
        ("? [a]\n: b\n", ["1:3 a key must be plain text, not a list or a mapping"]),
        (
            "a: \"\\ud800\"\n",
            ["1:7 an escape that is no character; write one beyond U+FFFF as it is or as \\U0001F600"]
        ),
        (
            "a: \u{1}",
            ["1:4 the control character U+0001 cannot stand in a manifest; in double quotes write it escaped"]
        ),
        ("a: 1\nb: \0", ["2:4 a NUL byte; the file may be UTF-16 or no text at all: save it as UTF-8 text"]),
    ])
    func refused(_ text: String, _ expected: [String]) {
        #expect(problems(YAMLDocument(yaml: Array(text.utf8))) == expected)
    }

    @Test func bytesThatAreNoText() {
        #expect(
            problems(YAMLDocument(yaml: Array("가: 1\nb: ".utf8) + [0xFF, 0x20]))
                == ["2:4 a byte here is not UTF-8; save the file as UTF-8"])
        #expect(problems(YAMLDocument(yaml: [0xFF, 0xFE, 0x61, 0])) == ["1:1 the file is UTF-16; save it as UTF-8"])
        let surrogate: [UInt8] = [0x61, 0xED, 0xA0, 0x80]
        #expect(problems(YAMLDocument(json: surrogate)) == ["1:2 a byte here is not UTF-8; save the file as UTF-8"])
        let large = [UInt8](repeating: 0x23, count: YAMLDocument.largest + 1)
        #expect(problems(YAMLDocument(yaml: large)) == ["1:1 the file is larger than 1 MiB; it cannot be a manifest"])
    }

    /// Where a check of a scalar's text can point into the file.
    @Test(arguments: [
        ("a: bcd", 2, "1:6"), ("a: 'bcd'", 2, "1:7"), ("a: \"가bcd\"", 4, "1:7"),
        // Escaped or folded text does not line up: the value's own place.
        ("a: 'b''cd'", 3, "1:4"), ("a: \"\\x41bc\"", 2, "1:4"), ("a: b\n  c", 3, "1:4"), ("a: |\n  bcd", 1, "1:4"),
    ])
    func placesInText(_ text: String, _ offset: Int, _ expected: String) {
        guard case .mapping(let pairs)? = YAMLDocument(yaml: Array(text.utf8)).root?.content, let pair = pairs.first
        else {
            Issue.record("no mapping")
            return
        }
        let position = pair.value.position(ofByte: offset)
        #expect("\(position.line):\(position.column)" == expected)
    }
}
