extension XMLReader {
    /// The value of the last start tag's attribute, decoded; nil when it has none.
    ///
    /// - Parameter name: in lower case, with its prefix.
    package func attribute(_ name: StaticString) -> [UInt8]? {
        let length = name.utf8CodeUnitCount
        for attribute in attributes where attribute.name.count == length {
            if bytes.has(name, at: attribute.name.lowerBound) { return decodedValue(attribute) }
        }
        return nil
    }

    package func decodedValue(_ attribute: HTMLAttribute) -> [UInt8] { decoded(bytes[attribute.value]) }

    /// A run of text, decoded by its kind.
    package func decoded(_ text: HTMLText) -> [UInt8] {
        text.kind == .raw ? Array(bytes[text.range]) : decoded(bytes[text.range])
    }

    /// A name in lower case.
    package func name(_ range: Range<Int>) -> String {
        String(decoding: bytes[range].prefix(Self.longestName).map(lowercased), as: UTF8.self)
    }

    /// Longer than any name that means something here.
    private static var longestName: Int { 100 }

    private func decoded(_ slice: ArraySlice<UInt8>) -> [UInt8] {
        if !slice.contains(where: { $0 == UInt8(ascii: "&") || $0 == 0 || $0 == 0x0D }) { return Array(slice) }
        // As in an attribute, so that the bare ampersands of broken feeds' addresses stay what they are.
        var decoder = TextDecoder(inAttribute: true)
        if entities.isEmpty { decoder.decode(slice) } else { decoder.decode(expanded(slice)[...]) }
        return decoder.output
    }

    /// The text with the document's own entities in their places.
    private func expanded(_ slice: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var rest = slice
        while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
            output += rest[..<ampersand]
            let name = rest[(ampersand + 1)...].prefix(Self.longestName).prefix { $0 != UInt8(ascii: ";") }
            if name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: ";"),
                let value = entities[Array(name)]
            {
                output += value
                rest = rest[(name.endIndex + 1)...]
            } else {
                output.append(UInt8(ascii: "&"))
                rest = rest[(ampersand + 1)...]
            }
        }
        return output + rest
    }
}

extension XMLReader {
    /// More declarations than any real document has are passed over, and so are longer values.
    private static var mostEntities: Int { 256 }
    private static var longestEntity: Int { 64 }

    /// Goes behind a document type, taking in the entities of its internal subset (XML 1.0, 2.8 and 4.2).
    mutating func readDocumentType() {
        var index = position + 2
        var isInSubset = false
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                index = bytes.next(byte, from: index + 1)
            } else if byte == UInt8(ascii: "[") {
                isInSubset = true
            } else if byte == UInt8(ascii: "]") {
                isInSubset = false
            } else if byte == UInt8(ascii: ">"), !isInSubset {
                break
            } else if bytes.has("<!--", at: index) {
                index = end(of: "-->", from: index + 4) - 1
            } else if bytes.has("<?", at: index) {
                index = end(of: "?>", from: index + 2) - 1
            } else if bytes.has("<!entity", at: index) {
                index = readEntity(from: index + 8) - 1
            }
            index += 1
        }
        position = min(index + 1, bytes.count)
    }

    /// - Returns: where the declaration ends.
    private mutating func readEntity(from start: Int) -> Int {
        var index = start
        func word() -> ArraySlice<UInt8> {
            while index < bytes.count, isSpace(bytes[index]) { index += 1 }
            let first = index
            while index < bytes.count, !isSpace(bytes[index]), bytes[index] != UInt8(ascii: ">") { index += 1 }
            return bytes[first..<index]
        }
        let name = Array(word().prefix(Self.longestName))
        while index < bytes.count, isSpace(bytes[index]) { index += 1 }
        var value: [UInt8]?
        if index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") {
            let end = bytes.next(bytes[index], from: index + 1)
            value = Array(bytes[min(index + 1, end)..<end].prefix(Self.longestEntity + 1))
            index = end
        }
        let isPlain =
            value.map { value in
                value.count <= Self.longestEntity && !value.contains { [0x26, 0x25, 0x3C].contains($0) }
            } ?? false
        if !isPlain { refusesEntities = true }
        if entities.count < Self.mostEntities { entities[name] = isPlain ? value : [] }
        // Further literals, of an external entity, may hold a ">".
        while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
            let byte = bytes[index]
            let isQuote = value == nil && (byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"))
            index = isQuote ? bytes.next(byte, from: index + 1) + 1 : index + 1
        }
        return min(index + 1, bytes.count)
    }
}
