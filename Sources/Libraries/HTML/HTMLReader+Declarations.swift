extension HTMLReader {
    /// A comment, a document type, or in foreign content a CDATA section, the only one of them with text.
    mutating func readDeclaration() -> HTMLEvent? {
        let start = position
        if bytes.has("<!--", at: start) {
            position = endOfComment(from: start + 4)
            return nil
        }
        if context.isForeign, bytes[start...].starts(with: "<![CDATA[".utf8) {
            return readCDATA(from: start + 9)
        }
        skipBogusComment(from: start + 2)
        return nil
    }

    /// Everything up to the next `>`, which a document type ends at as well, quotes or not.
    mutating func skipBogusComment(from start: Int) {
        position = min(bytes.next(UInt8(ascii: ">"), from: start) + 1, bytes.count)
    }

    /// Behind the comment whose text begins at `start`: `-->` and `--!>` end it, as `>` and `->` do at once.
    private func endOfComment(from start: Int) -> Int {
        if start < bytes.count, bytes[start] == UInt8(ascii: ">") { return start + 1 }
        if bytes.has("->", at: start) { return start + 2 }
        var end = bytes.next(UInt8(ascii: ">"), from: start)
        while end < bytes.count {
            if end - start >= 2, bytes.has("--", at: end - 2) { return end + 1 }
            if end - start >= 3, bytes.has("--!", at: end - 3) { return end + 1 }
            end = bytes.next(UInt8(ascii: ">"), from: end + 1)
        }
        return bytes.count
    }

    private mutating func readCDATA(from start: Int) -> HTMLEvent {
        var end = bytes.next(UInt8(ascii: "]"), from: start)
        while end < bytes.count, !bytes.has("]]>", at: end) { end = bytes.next(UInt8(ascii: "]"), from: end + 1) }
        position = min(end + 3, bytes.count)
        return .text(HTMLText(range: start..<end, kind: .raw))
    }
}
