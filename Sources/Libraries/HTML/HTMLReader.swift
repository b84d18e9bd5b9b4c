/// Reads an HTML document of any size and any depth as a stream of tags and text, as the HTML standard's tokenizer
/// does (WHATWG HTML, 13.2.5), in linear time, with memory for one tag beside the document.
///
/// No tree is built. Of the standard's tree construction it keeps what decides whether a tag is a tag: raw text
/// elements, foreign content, templates (whose content is no part of the document) and frames. Scripting is off, so
/// the content of `noscript` is read.
package struct HTMLReader {
    let bytes: [UInt8]
    var position = 0
    /// The attributes of the start tag that came last.
    package internal(set) var attributes: [HTMLAttribute] = []
    var context = DocumentContext()
    /// The element whose raw text begins at `position`.
    var rawText: HTMLElement?
    let elements = ElementTable.standard

    /// No real tag has more; what follows is read but not kept.
    static let mostAttributes = 4096

    /// - Parameter bytes: the document in UTF-8; other bytes pass through as they are.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next event; nil at the end of the document.
    package mutating func next() -> HTMLEvent? {
        while position < bytes.count {
            if let element = rawText {
                rawText = nil
                if let text = readRawText(of: element), !context.isInert { return .text(text) }
                continue
            }
            let event = bytes[position] == UInt8(ascii: "<") ? readMarkup() : readText(from: position)
            if let event, !isInert(event) { return event }
        }
        return nil
    }

    /// Text up to the next `<`; one at the very beginning is known to be text.
    mutating func readText(from start: Int) -> HTMLEvent {
        position = bytes.next(UInt8(ascii: "<"), from: max(position, start + 1))
        let text = HTMLText(range: start..<position, kind: .text)
        if context.maySeeFrameset, !bytes[text.range].allSatisfy({ isSpace($0) || $0 == 0 }) {
            context.maySeeFrameset = false
        }
        return .text(text)
    }

    /// A `<` and what it begins; nil when that is nothing of the document.
    private mutating func readMarkup() -> HTMLEvent? {
        let start = position
        guard start + 1 < bytes.count else { return readText(from: start) }
        switch bytes[start + 1] {
        case UInt8(ascii: "/"):
            guard start + 2 < bytes.count else { return readText(from: start) }
            if isASCIILetter(bytes[start + 2]) { return readEndTag() }
            skipBogusComment(from: start + 2)
            return nil
        case UInt8(ascii: "!"):
            return readDeclaration()
        case UInt8(ascii: "?"):
            skipBogusComment(from: start + 1)
            return nil
        case let byte where isASCIILetter(byte):
            return readStartTag()
        default:
            return readText(from: start)
        }
    }

    /// Templates and framesets hide what is in them; the tags that open and close them are told.
    private func isInert(_ event: HTMLEvent) -> Bool {
        switch event {
        case .start(let tag): context.hides(tag)
        case .end, .text: context.isInert
        }
    }
}

extension HTMLReader {
    /// The value of the last start tag's attribute of that name, decoded; nil when it has none, the first when several.
    ///
    /// - Parameter name: in lower case.
    package func attribute(_ name: StaticString) -> [UInt8]? {
        let length = name.utf8CodeUnitCount
        for attribute in attributes where attribute.name.count == length {
            if bytes.has(name, at: attribute.name.lowerBound) { return decodedValue(attribute) }
        }
        return nil
    }

    /// The same for a name known only at run time.
    package func attribute(named name: [UInt8]) -> [UInt8]? {
        for attribute in attributes where attribute.name.count == name.count {
            let isSame = bytes[attribute.name].elementsEqual(name) { lowercased($0) == $1 }
            if isSame { return decodedValue(attribute) }
        }
        return nil
    }

    package func decodedValue(_ attribute: HTMLAttribute) -> [UInt8] { decoded(attribute.value, inAttribute: true) }

    /// A run of text, decoded by its kind.
    package func decoded(_ text: HTMLText) -> [UInt8] {
        text.kind == .raw ? Array(bytes[text.range]) : decoded(text.range, inAttribute: false)
    }

    /// A tag's name in lower case.
    package func name(of tag: HTMLTag) -> String {
        String(decoding: bytes[tag.name].map(lowercased), as: UTF8.self)
    }

    private func decoded(_ range: Range<Int>, inAttribute: Bool) -> [UInt8] {
        let slice = bytes[range]
        if !slice.contains(where: { $0 == UInt8(ascii: "&") || $0 == 0 || $0 == 0x0D }) { return Array(slice) }
        var decoder = TextDecoder(inAttribute: inAttribute)
        decoder.decode(slice)
        return decoder.output
    }
}
