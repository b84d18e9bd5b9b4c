import Testing

@testable import YAML

/// Inputs made to exhaust a parser: each must end soon, whatever it says.
@Suite struct HostileTests {
    /// Enough to show more than linear time, little enough for a debug build.
    private static let whole = YAMLDocument.largest / 8

    private static func filled(_ unit: String, _ prefix: String = "") -> [UInt8] {
        let unit = Array(unit.utf8)
        var bytes = Array(prefix.utf8)
        while bytes.count + unit.count <= whole { bytes += unit }
        return bytes
    }

    static let kinds: [(String, [UInt8])] = [
        ("brackets", Array(repeating: UInt8(ascii: "["), count: 100_000)),
        ("braces", Array(repeating: UInt8(ascii: "{"), count: 100_000)),
        ("dashes", filled("- ")), ("questions", filled("? ")), ("brackets to the end", filled("[")),
        ("keys in keys", filled("{a: ")), ("items", filled("1,", "[")), ("keys", filled("a: 1\n")),
        ("aliases", filled("*a,", "[")), ("anchors", filled("&a b,", "[")), ("tags", filled("!a b,", "[")),
        ("one long line", filled("x", "a: ")), ("comments", filled("#\n")), ("quotes", filled("\"", "a: ")),
        ("colons", filled(":")), ("percent", filled("%")), ("long key", filled("k", "? ")), ("carriage", filled("\r")),
    ]

    @Test(arguments: kinds.indices)
    func endsSoon(_ index: Int) {
        let (name, bytes) = HostileTests.kinds[index]
        let took = ContinuousClock().measure {
            _ = YAMLDocument(yaml: bytes)
            _ = YAMLDocument(json: bytes)
        }
        #expect(took < .seconds(10), "\(name) took \(took)")
    }

    @Test func deepNestingSaysSo() {
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        for document in [YAMLDocument(yaml: deep), YAMLDocument(json: deep)] {
            #expect(document.root == nil)
            #expect(document.problems.map(\.message) == ["lists and mappings are nested more than 64 deep"])
            #expect(document.problems.map(\.position.column) == [65])
        }
        let allowed = Array((String(repeating: "[", count: 64) + String(repeating: "]", count: 64)).utf8)
        #expect(YAMLDocument(yaml: allowed).problems.isEmpty)
        #expect(YAMLDocument(json: allowed).problems.isEmpty)
    }

    @Test func manyProblemsAreCutOff() {
        let problems = YAMLDocument(yaml: HostileTests.filled("*a,", "[")).problems
        #expect(problems.count == 101)
        #expect(problems.last?.message == "more than 100 problems; the rest was not read")
    }

    /// Any bytes at all: no trap, and a root only for text without a fatal problem.
    @Test func noise() {
        var random = SystemRandomNumberGenerator()
        let signs = Array("[]{}:,-?&*!|>'\"%@` \n\t#ab1\\u".utf8)
        for _ in 0..<3000 {
            let length = Int.random(in: 0..<60, using: &random)
            let bytes = (0..<length).map { _ in
                Int.random(in: 0..<20, using: &random) == 0
                    ? UInt8.random(in: 0...255, using: &random) : signs.randomElement(using: &random) ?? 0
            }
            _ = YAMLDocument(yaml: bytes)
            _ = YAMLDocument(json: bytes)
        }
    }
}
