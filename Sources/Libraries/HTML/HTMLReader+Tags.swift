extension HTMLReader {
    /// The start tag at `position`; nil when the document ends inside it, which drops it.
    mutating func readStartTag() -> HTMLEvent? {
        attributes.removeAll(keepingCapacity: true)
        guard case (var tag, let key)? = readTag(nameAt: position + 1, keepsAttributes: true) else { return nil }
        let encoding = tag.element == .annotationXML ? attribute("encoding") : nil
        let breaksOut =
            tag.element == .font
            && (attribute("color") != nil || attribute("face") != nil || attribute("size") != nil)
        rawText = context.open(&tag, key: key, encoding: encoding, fontBreaksOut: breaksOut)
        return .start(tag)
    }

    /// The end tag at `position`; nil when the document ends inside it.
    mutating func readEndTag() -> HTMLEvent? {
        guard let (tag, key) = readTag(nameAt: position + 2, keepsAttributes: false) else { return nil }
        context.close(tag, key: key)
        return .end(tag)
    }

    private mutating func readTag(nameAt start: Int, keepsAttributes: Bool) -> (HTMLTag, NameKey)? {
        var key = NameKey()
        var index = start
        while index < bytes.count, !endsName(bytes[index]) {
            key.append(bytes[index])
            index += 1
        }
        var tag = HTMLTag(element: elements.find(key), name: start..<index)
        guard let end = readAttributes(from: index, keeping: keepsAttributes, isSelfClosing: &tag.isSelfClosing) else {
            position = bytes.count
            return nil
        }
        position = end
        return (tag, key)
    }

    /// Reads to behind the tag's `>`; nil when the document ends first.
    private mutating func readAttributes(from start: Int, keeping: Bool, isSelfClosing: inout Bool) -> Int? {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: ">") { return index + 1 }
            if byte == UInt8(ascii: "/") {
                index += 1
                if index < bytes.count, bytes[index] == UInt8(ascii: ">") {
                    isSelfClosing = true
                    return index + 1
                }
            } else if isSpace(byte) {
                index += 1
            } else {
                guard let end = readAttribute(at: index, keeping: keeping) else { return nil }
                index = end
            }
        }
        return nil
    }

    /// A name may begin with `=`; a value without quotes may hold anything but whitespace and `>`.
    private mutating func readAttribute(at start: Int, keeping: Bool) -> Int? {
        var index = start + 1
        while index < bytes.count, !endsName(bytes[index]), bytes[index] != UInt8(ascii: "=") { index += 1 }
        var attribute = HTMLAttribute(name: start..<index, value: index..<index)
        var next = index
        while next < bytes.count, isSpace(bytes[next]) { next += 1 }
        if next < bytes.count, bytes[next] == UInt8(ascii: "=") {
            guard let (value, end) = readValue(from: next + 1) else { return nil }
            attribute.value = value
            next = end
        }
        if keeping, attributes.count < Self.mostAttributes { attributes.append(attribute) }
        return next
    }

    private func readValue(from start: Int) -> (value: Range<Int>, end: Int)? {
        var index = start
        while index < bytes.count, isSpace(bytes[index]) { index += 1 }
        guard index < bytes.count else { return nil }
        let quote = bytes[index]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            let end = bytes.next(quote, from: index + 1)
            return end < bytes.count ? ((index + 1)..<end, end + 1) : nil
        }
        let first = index
        while index < bytes.count, bytes[index] != UInt8(ascii: ">"), !isSpace(bytes[index]) { index += 1 }
        return (first..<index, index)
    }

    @inline(__always) private func endsName(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
    }
}
