import JSON
import Testing

struct JSONTests {
    @Test func valuesAreRead() throws {
        let value = try JSONValue(
            parsing: Array(#" {"a": [1, -2.5e+3, true, null], "b": "x\n\"\u00e9\/", "b": {}} "#.utf8))
        #expect(value["a"]?.elements == [.number("1"), .number("-2.5e+3"), .boolean(true), .null])
        #expect(value["b"] == .object([]))
        #expect(value["c"] == nil)
    }

    @Test(arguments: [
        (#""\ud83d\ude00""#, "😀"), (#""\ud83d""#, "\u{FFFD}"), (#""\udc00x""#, "\u{FFFD}x"),
        (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\u0000""#, "\0"), ("\"한\"", "한"),
    ])
    func textIsRead(json: String, text: String) throws {
        #expect(try JSONValue(parsing: Array(json.utf8)).text == text)
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "[1 2]", "nul", "01", "1.", "-", "1e", "+1", "NaN", "\"\\x\"",
        "\"\\u12g4\"", "\"a\nb\"", "\"a", "1 1", "]", "{\"a\"}", "'a'", String(repeating: "[", count: 100_000),
    ])
    func whatIsNoJSONIsRefused(json: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: Array(json.utf8)) }
    }

    @Test func errorsTellWhere() {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Array("[12 3]".utf8)) }
        #expect(error?.offset == 4 && error?.message == "',' or ']' was expected")
    }

    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zg", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9\nvYg==", "foob"),
    ])
    func base64IsDecoded(text: String, decoded: String) {
        #expect(base64Decoded(Array(text.utf8)) == Array(decoded.utf8))
    }

    @Test(arguments: ["Z", "Zg=g", "Z-==", "é"])
    func whatIsNoBase64IsRefused(text: String) { #expect(base64Decoded(Array(text.utf8)) == nil) }
}
