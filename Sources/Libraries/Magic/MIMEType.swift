/// A MIME type with its parameters, read and written as browsers do (WHATWG MIME Sniffing, sections 4.4 and 4.5).
package struct MIMEType: Sendable, Hashable {
    /// Lower-case.
    package var type: String
    /// Lower-case.
    package var subtype: String
    /// In the order they came; names in lower case, each but once.
    package var parameters: [Parameter] = []

    package struct Parameter: Sendable, Hashable {
        package var name: String
        package var value: String
    }

    /// Takes a header's bytes; nil when they name no type. Bytes beyond ASCII count as Latin-1.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        var place = bytes.firstIndex { !isHTTPSpace($0) } ?? bytes.count
        let end = (bytes.lastIndex { !isHTTPSpace($0) } ?? -1) + 1
        guard let slash = bytes[min(place, end)..<end].firstIndex(of: UInt8(ascii: "/")), slash > place else {
            return nil
        }
        let subtypeEnd = bytes[slash..<end].firstIndex(of: UInt8(ascii: ";")) ?? end
        let type = bytes[place..<slash]
        let subtype = trimmed(bytes[(slash + 1)..<subtypeEnd])
        guard type.allSatisfy(isTokenByte), !subtype.isEmpty, subtype.allSatisfy(isTokenByte) else { return nil }
        self.type = lowerCase(type)
        self.subtype = lowerCase(subtype)
        place = subtypeEnd
        while place < end, parameters.count < MIMEType.mostParameters {
            if let parameter = MIMEType.parameter(bytes[..<end], &place),
                !parameters.contains(where: { $0.name == parameter.name })
            {
                parameters.append(parameter)
            }
        }
    }

    package init?(_ text: String) { self.init(text.utf8) }

    /// No server means more; the bound keeps a hostile header from costing its square.
    private static let mostParameters = 100

    /// `text/html`, without parameters.
    package var essence: String { "\(type)/\(subtype)" }

    package subscript(parameter: String) -> String? { parameters.first { $0.name == parameter }?.value }

    /// The type with its parameters as the standard serialises it.
    package var serialized: String {
        var text = essence
        for parameter in parameters {
            text += ";\(parameter.name)="
            if !parameter.value.isEmpty, parameter.value.utf8.allSatisfy(isTokenByte) {
                text += parameter.value
            } else {
                text.append("\"")
                for scalar in parameter.value.unicodeScalars {
                    if scalar == "\"" || scalar == "\\" { text.append("\\") }
                    text.unicodeScalars.append(scalar)
                }
                text.append("\"")
            }
        }
        return text
    }

    /// Reads from a semicolon to before the next one.
    private static func parameter(_ bytes: ArraySlice<UInt8>, _ place: inout Int) -> Parameter? {
        place = bytes[(place + 1)...].firstIndex { !isHTTPSpace($0) } ?? bytes.endIndex
        let nameEnd =
            bytes[place...].firstIndex { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") } ?? bytes.endIndex
        let name = bytes[place..<nameEnd]
        place = nameEnd
        guard place < bytes.endIndex, bytes[place] == UInt8(ascii: "=") else { return nil }
        place += 1
        var value: [UInt8]
        if place < bytes.endIndex, bytes[place] == UInt8(ascii: "\"") {
            value = quoted(bytes, &place)
            place = bytes[place...].firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
        } else {
            let end = bytes[place...].firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
            value = trimmed(bytes[place..<end])
            place = end
            guard !value.isEmpty else { return nil }
        }
        guard !name.isEmpty, name.allSatisfy(isTokenByte),
            value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) })
        else { return nil }
        return Parameter(name: lowerCase(name), value: latin1(value))
    }

    /// The text of a quoted string whose opening quote stands at `place`, which then points behind it.
    private static func quoted(_ bytes: ArraySlice<UInt8>, _ place: inout Int) -> [UInt8] {
        var value: [UInt8] = []
        place += 1
        while place < bytes.endIndex {
            let byte = bytes[place]
            place += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), place < bytes.endIndex {
                value.append(bytes[place])
                place += 1
            } else {
                value.append(byte)
            }
        }
        return value
    }
}

private func isHTTPSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

private func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let end = bytes.lastIndex { !isHTTPSpace($0) }.map { $0 + 1 } ?? bytes.startIndex
    return Array(bytes[..<end])
}

private func lowerCase(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
}

private func latin1(_ bytes: [UInt8]) -> String {
    bytes.allSatisfy { $0 < 0x80 }
        ? String(decoding: bytes, as: UTF8.self) : String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}
