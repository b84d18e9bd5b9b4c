import Testing
import Unicode

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("report.pdf", 10), ("한국어", 6), ("e\u{301}", 1), ("\u{1F600}", 2), ("👨‍👩‍👧", 2), ("العربية", 7),
        ("ｗ", 2), ("❤️", 2), ("a\u{200B}b", 2), ("日本.txt", 8),
    ])
    func columns(text: String, width: Int) { #expect(text.displayWidth == width) }

    @Test func cutsBetweenCharacters() {
        #expect("한국어".cut(toWidth: 5) == "한국…")
        #expect("한국어".cut(toWidth: 4) == "한…")
        #expect("한국어".cut(toWidth: 6) == "한국어")
        #expect("abc".cut(toWidth: 0) == "")
        #expect("한".padded(toWidth: 4) == "한  ")
    }
}
