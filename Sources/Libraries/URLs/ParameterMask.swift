/// Hides the values of named query parameters in texts that people read, wherever a URL stands in them.
package struct ParameterMask: Sendable {
    private let names: Set<String>

    /// - Parameter names: compared without case.
    package init(_ names: [String]) { self.names = Set(names.map { $0.lowercased() }) }

    package var isEmpty: Bool { names.isEmpty }

    /// The text with `***` for each value, from `=` to the next `&`, `;`, `#`, quote, bracket or blank.
    package func masked(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "=")) else { return text }
        var result: [UInt8] = []
        var name: [UInt8]?
        var isHidden = false
        for byte in text.utf8 {
            if isHidden, !Self.ends(byte) { continue }
            isHidden = false
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: ";"): name = []
            case UInt8(ascii: "="):
                isHidden = name.map(hides) ?? false
                name = nil
            default: if Self.ends(byte) { name = nil } else { name?.append(byte) }
            }
            result.append(byte)
            if isHidden { result += "***".utf8 }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The URL with `***` for each value.
    package func masked(_ url: WebURL) -> WebURL { isEmpty ? url : WebURL(masked(url.href)) ?? url }

    private func hides(_ name: [UInt8]) -> Bool {
        names.contains(String(decoding: percentDecoded(name.span), as: UTF8.self).lowercased())
    }

    private static func ends(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "&;#\"'<>".utf8.contains(byte)
    }
}
