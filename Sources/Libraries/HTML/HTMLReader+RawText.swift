extension HTMLReader {
    /// The text of a raw text element, up to its end tag or the end of the document; nil when there is none.
    mutating func readRawText(of element: HTMLElement) -> HTMLText? {
        let start = position
        switch element {
        case .plaintext: position = bytes.count
        case .script: position = endOfScript(from: start)
        default: position = endOfRawText(of: element.rawValue, from: start)
        }
        if position == start { return nil }
        let hasReferences = element == .title || element == .textarea
        return HTMLText(range: start..<position, kind: hasReferences ? .text : .raw)
    }

    private func endOfRawText(of name: String, from start: Int) -> Int {
        var index = bytes.next(UInt8(ascii: "<"), from: start)
        while index < bytes.count {
            if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "/"), isTagName(name, at: index + 2) {
                return index
            }
            index = bytes.next(UInt8(ascii: "<"), from: index + 1)
        }
        return bytes.count
    }

    /// A script that opens a comment and in it another script ends later than it looks (WHATWG HTML, 13.2.5.15 on).
    private func endOfScript(from start: Int) -> Int {
        enum State { case plain, escaped, doubleEscaped }
        var state = State.plain
        var commentStart = start
        var index = start
        while index < bytes.count {
            if state == .plain { index = bytes.next(UInt8(ascii: "<"), from: index) }
            guard index < bytes.count else { break }
            let byte = bytes[index]
            if byte == UInt8(ascii: "<") {
                let isEnd = index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "/")
                let isScript = isTagName("script", at: index + (isEnd ? 2 : 1))
                if isEnd, isScript {
                    if state != .doubleEscaped { return index }
                    state = .escaped
                } else if isScript, state == .escaped {
                    state = .doubleEscaped
                } else if state == .plain, bytes.has("<!--", at: index) {
                    state = .escaped
                    commentStart = index + 2
                    index += 3
                }
            } else if byte == UInt8(ascii: ">"), index - commentStart >= 2, bytes.has("--", at: index - 2) {
                state = .plain
            }
            index += 1
        }
        return bytes.count
    }

    /// True when the name stands there, whole, in any case.
    private func isTagName(_ name: String, at start: Int) -> Bool {
        var index = start
        for byte in name.utf8 {
            guard index < bytes.count, lowercased(bytes[index]) == byte else { return false }
            index += 1
        }
        guard index < bytes.count else { return false }
        return isSpace(bytes[index]) || bytes[index] == UInt8(ascii: "/") || bytes[index] == UInt8(ascii: ">")
    }
}
