import CShims

extension StringProtocol {
    /// Columns that the text takes on a terminal: two for wide characters (UAX 11) and emoji, none for marks.
    package var displayWidth: Int {
        var width = 0
        for character in self { width += character.displayWidth }
        return width
    }

    /// The text cut to so many columns at the most, between two characters, its end marked by "…".
    package func cut(toWidth limit: Int) -> String {
        if displayWidth <= limit { return String(self) }
        var result = ""
        var width = 0
        for character in self {
            width += character.displayWidth
            if width > limit - 1 { break }
            result.append(character)
        }
        return limit > 0 ? result + "…" : ""
    }

    /// The text with blanks up to so many columns.
    package func padded(toWidth width: Int) -> String {
        String(self) + String(repeating: " ", count: Swift.max(width - displayWidth, 0))
    }
}

extension Character {
    fileprivate var displayWidth: Int {
        if let ascii = asciiValue { return ascii >= 0x20 && ascii < 0x7f ? 1 : 0 }
        // VARIATION SELECTOR-16 asks for the emoji's wide form.
        if unicodeScalars.contains("\u{FE0F}") { return 2 }
        return unicodeScalars.map { Int(nj_icu_width(Int32($0.value))) }.max() ?? 0
    }
}
