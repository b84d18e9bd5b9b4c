/// One link of a `Link` header field (RFC 8288, section 3).
package struct LinkHeaderValue: Sendable, Hashable {
    /// As it was written.
    package var target: [UInt8]
    /// Names in lower case, each once: the first counts.
    package var parameters: [(name: String, value: String)]
    /// False where the target does not stand in angle brackets: then it is read, but not to be trusted.
    package var isWellFormed: Bool

    package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    package static func == (left: LinkHeaderValue, right: LinkHeaderValue) -> Bool {
        left.target == right.target && left.isWellFormed == right.isWellFormed
            && left.parameters.elementsEqual(right.parameters) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(target) }
}

/// The links of one field, in linear time; what is not well formed is read as far as it goes.
package func linkHeaderValues(_ field: [UInt8]) -> [LinkHeaderValue] {
    var scanner = LinkHeaderScanner(bytes: field)
    return scanner.values()
}

private struct LinkHeaderScanner {
    let bytes: [UInt8]
    private var index = 0
    /// No real field has more.
    private static let most = 1000

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func values() -> [LinkHeaderValue] {
        var values: [LinkHeaderValue] = []
        while values.count < Self.most {
            while let byte = current, isHTMLSpace(byte) || byte == UInt8(ascii: ",") { index += 1 }
            guard current != nil else { break }
            let (target, isWellFormed) = takeTarget()
            values.append(LinkHeaderValue(target: target, parameters: takeParameters(), isWellFormed: isWellFormed))
        }
        return values
    }

    private mutating func takeTarget() -> ([UInt8], Bool) {
        if current == UInt8(ascii: "<") {
            let end = nextByte(UInt8(ascii: ">"), in: bytes, from: index)
            if end < bytes.count {
                defer { index = end + 1 }
                return (Array(trimmed(bytes[(index + 1)..<end])), true)
            }
        }
        let start = index
        while let byte = current, byte != UInt8(ascii: ";"), byte != UInt8(ascii: ",") { index += 1 }
        return (Array(trimmed(bytes[start..<index])), false)
    }

    /// Up to the next link's comma.
    private mutating func takeParameters() -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        while true {
            skipSpaces()
            guard let byte = current, byte != UInt8(ascii: ",") else { return parameters }
            if byte == UInt8(ascii: ";") {
                index += 1
                continue
            }
            let name = takeWord().lowercased()
            var value = ""
            skipSpaces()
            if current == UInt8(ascii: "=") {
                index += 1
                skipSpaces()
                value = current == UInt8(ascii: "\"") ? takeQuoted() : takeWord(stopsAtEquals: false)
            } else if name.isEmpty {
                index += 1
            }
            let isNew = !name.isEmpty && !parameters.contains { $0.name == name }
            if isNew, parameters.count < 100 { parameters.append((name, value)) }
        }
    }

    private mutating func skipSpaces() { while let byte = current, isHTMLSpace(byte) { index += 1 } }

    private mutating func takeWord(stopsAtEquals: Bool = true) -> String {
        let start = index
        while let byte = current, !isHTMLSpace(byte), byte != UInt8(ascii: ";"), byte != UInt8(ascii: ","),
            !(stopsAtEquals && byte == UInt8(ascii: "="))
        { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func takeQuoted() -> String {
        index += 1
        var text: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
            text.append(bytes[index])
            index += 1
        }
        index = min(index + 1, bytes.count)
        return String(decoding: text, as: UTF8.self)
    }
}
