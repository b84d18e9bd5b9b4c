import Testing
import Unicode

struct RegularExpressionTests {
    @Test(arguments: [
        ("report-[0-9]{4}", "https://h/report-2024.pdf", true), ("^https://h/", "http://h/", false),
        (#"\.pdf$"#, "https://h/x.pdf", true), (#"\p{Hangul}"#, "한", true),
    ])
    func patternIsFoundAnywhere(pattern: String, text: String, found: Bool) throws {
        #expect(try RegularExpression(pattern).matches(text) == found)
    }

    @Test(arguments: [("(", 1), ("한[", 4), ("a{3,1}", 6), ("*", 1), ("", 0)])
    func errorHasItsPlace(pattern: String, offset: Int) {
        let error = #expect(throws: RegularExpression.SyntaxError.self) { try RegularExpression(pattern) }
        #expect(error?.offset == offset)
        #expect(error?.message.isEmpty == false)
        #expect(error?.message.hasPrefix("U_") == false)
    }

    @Test func searchThatExplodesEnds() throws {
        let expression = try RegularExpression("(a+)+$")
        #expect(!expression.matches(String(repeating: "a", count: 5000) + "b"))
        #expect(expression.matches("aaa"), "usable again after it was stopped")
    }

    @Test func manyTasksShareOne() async throws {
        let expression = try RegularExpression("7$")
        let found = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
            for number in 0..<200 { group.addTask { expression.matches("item \(number)") } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(found == 20)
    }
}
