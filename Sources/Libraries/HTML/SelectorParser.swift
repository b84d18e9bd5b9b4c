/// Reads a selector list, byte by byte.
struct SelectorParser {
    private let text: [UInt8]
    private var index = 0

    init(_ text: String) { self.text = Array(text.utf8) }

    typealias SyntaxError = Selector.SyntaxError

    private func error(_ message: String, at offset: Int? = nil) -> SyntaxError {
        SyntaxError(offset: min(offset ?? index, text.count), message: message)
    }

    private var current: UInt8? { index < text.count ? text[index] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    @discardableResult
    private mutating func skipSpaces() -> Bool {
        let start = index
        while let byte = current, isSpace(byte) { index += 1 }
        return index > start
    }

    // MARK: Lists and combinators

    mutating func readList(into selector: inout Selector) throws(SyntaxError) {
        repeat {
            skipSpaces()
            try readSelector(into: &selector)
        } while take(",")
        if let byte = current { throw error("'\(shown(byte))' has no meaning here") }
    }

    private mutating func readSelector(into selector: inout Selector) throws(SyntaxError) {
        var combinator = Selector.Step.Combinator.none
        while true {
            guard selector.steps.count < Selector.mostSteps else {
                throw error("more than \(Selector.mostSteps) parts in one selector list")
            }
            selector.steps.append(Selector.Step(combinator: combinator, compound: try readCompound()))
            let hasSpace = skipSpaces()
            if current == nil || current == UInt8(ascii: ",") { break }
            if take(">") {
                combinator = .child
            } else if take("+") {
                combinator = .nextSibling
            } else if take("~") {
                combinator = .laterSibling
            } else if hasSpace {
                combinator = .descendant
            } else {
                break
            }
            skipSpaces()
        }
        selector.steps[selector.steps.count - 1].isLast = true
    }

    private mutating func readCompound() throws(SyntaxError) -> Selector.Compound {
        let start = index
        var compound = Selector.Compound()
        if !take("*"), let byte = current, isNameByte(byte) || byte == UInt8(ascii: "\\") {
            compound.name = try readName().map(lowercased)
        }
        while let condition = try readCondition() { compound.conditions.append(condition) }
        if index == start {
            guard let byte = current, byte != UInt8(ascii: ",") else {
                throw error("a selector was expected, such as a.download or main a")
            }
            throw error("'\(shown(byte))' begins no selector")
        }
        return compound
    }

    // MARK: Simple selectors

    private mutating func readCondition() throws(SyntaxError) -> Selector.Condition? {
        if take("#") { return .id(try readName()) }
        if take(".") { return .hasClass(try readName()) }
        if take("[") { return try readAttribute() }
        if current == UInt8(ascii: ":") { return try readPseudoClass() }
        return nil
    }

    private mutating func readAttribute() throws(SyntaxError) -> Selector.Condition {
        let start = index - 1
        skipSpaces()
        let name = try readName().map(lowercased)
        skipSpaces()
        var test = Selector.AttributeTest(kind: .exists)
        if let byte = current, byte != UInt8(ascii: "]") {
            let kinds: [(Unicode.Scalar, Selector.AttributeTest.Kind)] = [
                ("~", .word), ("|", .dashed), ("^", .prefix), ("$", .suffix), ("*", .substring),
            ]
            test.kind = .equals
            for (character, kind) in kinds where take(character) { test.kind = kind }
            guard take("=") else { throw error("'=' or ']' was expected") }
            skipSpaces()
            test.value = try readValue()
            skipSpaces()
            if take("i") || take("I") {
                test.ignoresCase = true
                test.value = test.value.map(lowercased)
            } else if !take("s") {
                _ = take("S")
            }
            skipSpaces()
        }
        guard take("]") else {
            throw current == nil ? error("'[' is not closed", at: start) : error("']' was expected")
        }
        return .attribute(name: name, test: test)
    }

    private mutating func readValue() throws(SyntaxError) -> [UInt8] {
        guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return try readName()
        }
        let start = index
        index += 1
        var value: [UInt8] = []
        while let byte = current, byte != quote {
            if byte == UInt8(ascii: "\\") {
                value += try readEscape()
            } else {
                value.append(byte)
                index += 1
            }
        }
        guard current == quote else { throw error("the quote is not closed", at: start) }
        index += 1
        return value
    }

    private mutating func readPseudoClass() throws(SyntaxError) -> Selector.Condition {
        let start = index
        index += 1
        if current == UInt8(ascii: ":") { throw error("pseudo-elements are no elements of a page", at: start) }
        let name = String(decoding: try readName().map(lowercased), as: UTF8.self)
        let supported = "; supported are :not(), :nth-child() and :first-child"
        switch name {
        case "first-child": return .nthChild(step: 0, offset: 1)
        case "not", "nth-child":
            guard take("(") else { throw error(":\(name) needs parentheses", at: start) }
            let condition: Selector.Condition = name == "not" ? .not(try readCompounds()) : try readNth()
            skipSpaces()
            guard take(")") else {
                throw current == nil ? error("'(' is not closed", at: start) : error("')' was expected")
            }
            return condition
        case "last-child", "nth-last-child", "only-child", "has", "empty", "last-of-type", "nth-last-of-type":
            throw error(":\(name) depends on what follows, and pages are read as they come\(supported)", at: start)
        default: throw error(":\(name) is not supported\(supported)", at: start)
        }
    }

    private mutating func readCompounds() throws(SyntaxError) -> [Selector.Compound] {
        var compounds: [Selector.Compound] = []
        repeat {
            skipSpaces()
            compounds.append(try readCompound())
            skipSpaces()
        } while take(",")
        return compounds
    }

    /// `odd`, `even`, `5`, `2n+1`, `-n + 3` (CSS Syntax 3, section 6).
    private mutating func readNth() throws(SyntaxError) -> Selector.Condition {
        let start = index
        var words: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: ")") {
            if !isSpace(byte) { words.append(lowercased(byte)) }
            index += 1
        }
        let formula = String(decoding: words, as: UTF8.self)
        if formula == "odd" { return .nthChild(step: 2, offset: 1) }
        if formula == "even" { return .nthChild(step: 2, offset: 0) }
        let parts = formula.split(separator: "n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let wrong = error("'\(formula)' is no position; write odd, even, 3 or 2n+1", at: start)
        guard parts.count == 2 else {
            guard let offset = number(parts[0]) else { throw wrong }
            return .nthChild(step: 0, offset: offset)
        }
        let step = ["": 1, "+": 1, "-": -1][parts[0]] ?? number(parts[0])
        let offset = parts[1].isEmpty ? 0 : number(parts[1])
        guard let step, let offset else { throw wrong }
        return .nthChild(step: step, offset: offset)
    }

    private func number(_ text: String) -> Int? {
        Int(text).flatMap { (-1_000_000...1_000_000).contains($0) ? $0 : nil }
    }

    // MARK: Names

    private func isNameByte(_ byte: UInt8) -> Bool {
        isASCIIAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private mutating func readName() throws(SyntaxError) -> [UInt8] {
        let start = index
        var name: [UInt8] = []
        while let byte = current {
            if byte == UInt8(ascii: "\\") {
                name += try readEscape()
            } else if isNameByte(byte) {
                name.append(byte)
                index += 1
            } else {
                break
            }
        }
        guard !name.isEmpty else { throw error("a name was expected", at: start) }
        return name
    }

    /// A backslash and what it stands for (CSS Syntax 3, 4.3.7).
    private mutating func readEscape() throws(SyntaxError) -> [UInt8] {
        index += 1
        var value: UInt32 = 0
        var digits = 0
        while digits < 6, let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue {
            value = value &* 16 &+ UInt32(digit)
            digits += 1
            index += 1
        }
        if digits > 0 {
            if let byte = current, isSpace(byte) { index += 1 }
            return Array(String(value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
        }
        guard let byte = current else { throw error("a backslash stands before nothing") }
        index += 1
        return [byte]
    }

    private func shown(_ byte: UInt8) -> String { byte < 0x80 ? String(Unicode.Scalar(byte)) : "this letter" }
}
