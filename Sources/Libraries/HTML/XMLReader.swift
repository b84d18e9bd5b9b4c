/// What an XML document holds, in order. Ranges are offsets into the bytes that the reader was given.
package enum XMLEvent: Sendable, Hashable {
    case start(XMLTag)
    /// The end of an element; of an empty one too. Where its name stands.
    case end(Range<Int>)
    case text(HTMLText)
}

/// A start tag as the document wrote it.
package struct XMLTag: Sendable, Hashable {
    /// The prefix included.
    package var name: Range<Int>
    /// The name without its prefix.
    package var localName: Range<Int>
}

/// Reads XML (XML 1.0) as a stream of tags and text, in linear time, with memory for one tag beside the document.
///
/// It is as lenient as feeds are broken: what is not well formed is text, or passed over. Nothing outside is ever read.
/// Of the document type only entities that stand for a few plain characters are taken; a reference to any other
/// declared entity is empty, so that nothing expands into more than the document could hold.
package struct XMLReader {
    let bytes: [UInt8]
    var position = 0
    /// The attributes of the start tag that came last.
    package internal(set) var attributes: [HTMLAttribute] = []
    /// The document declares entities that are not expanded: external ones, or ones that stand for markup or others.
    package internal(set) var refusesEntities = false
    var entities: [[UInt8]: [UInt8]] = [:]
    /// The name of an empty element whose end has not been told yet.
    private var owedEnd: Range<Int>?

    /// - Parameter bytes: the document in UTF-8; other bytes pass through as they are.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next event; nil at the end of the document.
    package mutating func next() -> XMLEvent? {
        if let name = owedEnd {
            owedEnd = nil
            return .end(name)
        }
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else { return readText() }
            guard position + 1 < bytes.count else { return readText() }
            switch bytes[position + 1] {
            case UInt8(ascii: "?"): skip(past: "?>", from: position + 2)
            case UInt8(ascii: "!"):
                if let text = readDeclaration() { return .text(text) }
            case UInt8(ascii: "/"):
                return readEnd()
            case let byte where isNameStart(byte): return readStart()
            default: return readText()
            }
        }
        return nil
    }

    private mutating func readText() -> XMLEvent {
        let start = position
        position = bytes.next(UInt8(ascii: "<"), from: start + 1)
        return .text(HTMLText(range: start..<position, kind: .text))
    }

    private func isNameStart(_ byte: UInt8) -> Bool {
        isASCIILetter(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    /// Goes behind the next place of the text; to the end when there is none.
    mutating func skip(past text: StaticString, from start: Int) {
        position = end(of: text, from: start)
    }

    func end(of text: StaticString, from start: Int) -> Int {
        let first = text.utf8Start.pointee
        var index = bytes.next(first, from: start)
        while index < bytes.count, !bytes.has(text, at: index) { index = bytes.next(first, from: index + 1) }
        return min(index + text.utf8CodeUnitCount, bytes.count)
    }

    /// A comment, a CDATA section or a document type; only the second is text.
    private mutating func readDeclaration() -> HTMLText? {
        if bytes.has("<!--", at: position) {
            skip(past: "-->", from: position + 4)
        } else if bytes.has("<![cdata[", at: position) {
            let start = position + 9
            skip(past: "]]>", from: start)
            let isClosed = position - start >= 3 && bytes.has("]]>", at: position - 3)
            return HTMLText(range: start..<(isClosed ? position - 3 : position), kind: .raw)
        } else {
            readDocumentType()
        }
        return nil
    }

    private mutating func readEnd() -> XMLEvent {
        let start = position + 2
        var index = start
        while index < bytes.count, !endsName(bytes[index]) { index += 1 }
        position = min(bytes.next(UInt8(ascii: ">"), from: index) + 1, bytes.count)
        return .end(start..<index)
    }

    private mutating func readStart() -> XMLEvent {
        attributes.removeAll(keepingCapacity: true)
        let start = position + 1
        var index = start
        var local = start
        while index < bytes.count, !endsName(bytes[index]) {
            if bytes[index] == UInt8(ascii: ":") { local = index + 1 }
            index += 1
        }
        let tag = XMLTag(name: start..<index, localName: local..<index)
        position = readAttributes(from: index, of: tag)
        return .start(tag)
    }

    private func endsName(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "<")
    }

    private mutating func readAttributes(from start: Int, of tag: XMLTag) -> Int {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: ">") { return index + 1 }
            // A tag that was never closed ends where the next begins.
            if byte == UInt8(ascii: "<") { return index }
            if byte == UInt8(ascii: "/"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: ">") {
                owedEnd = tag.name
                return index + 2
            }
            if isSpace(byte) || byte == UInt8(ascii: "/") {
                index += 1
            } else {
                index = readAttribute(at: index)
            }
        }
        return bytes.count
    }

    private mutating func readAttribute(at start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, !endsName(bytes[index]), bytes[index] != UInt8(ascii: "=") { index += 1 }
        let name = start..<index
        var next = index
        while next < bytes.count, isSpace(bytes[next]) { next += 1 }
        guard next < bytes.count, bytes[next] == UInt8(ascii: "=") else { return index }
        next += 1
        while next < bytes.count, isSpace(bytes[next]) { next += 1 }
        guard next < bytes.count else { return next }
        let quote = bytes[next]
        let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        let first = isQuoted ? next + 1 : next
        var end = first
        if isQuoted {
            end = bytes.next(quote, from: first)
        } else {
            while end < bytes.count, !isSpace(bytes[end]), bytes[end] != UInt8(ascii: ">") { end += 1 }
        }
        if attributes.count < HTMLReader.mostAttributes {
            attributes.append(HTMLAttribute(name: name, value: first..<end))
        }
        return isQuoted ? min(end + 1, bytes.count) : end
    }
}
