import Times

/// HTML written piece by piece; whatever is not markup of this program goes through ``text(_:)``.
struct Markup {
    private(set) var bytes: [UInt8] = []

    /// Markup that this program wrote.
    mutating func raw(_ markup: String) { bytes += markup.utf8 }

    /// What was written apart.
    mutating func append(_ other: Markup) { bytes += other.bytes }

    /// Text from anywhere, for element content and quoted attributes: markup is escaped, and what a reader cannot see or
    /// what turns the reading direction is shown as an escape.
    mutating func text(_ text: String) {
        for byte in shown(text).utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case UInt8(ascii: "'"): bytes += "&#39;".utf8
            default: bytes.append(byte)
            }
        }
    }

    /// `<name attributes>text</name>`
    mutating func element(_ name: String, _ attributes: String = "", _ content: String) {
        raw("<\(name)\(attributes.isEmpty ? "" : " " + attributes)>")
        text(content)
        raw("</\(name)>")
    }

    /// A link to a file near the page; every byte of the path but letters, digits and `-._~/` is percent-encoded, so
    /// that no name becomes a scheme, a query or a fragment.
    mutating func fileLink(_ path: String, _ label: String) {
        raw("<a href=\"\(encoded(path))\">")
        text(label)
        raw("</a>")
    }

    /// A table row of text cells.
    mutating func row(_ cells: [String]) {
        raw("<tr>")
        for cell in cells { element("td", "", cell) }
        raw("</tr>\n")
    }

    /// A table head; `numeric` columns are set to the right.
    mutating func head(_ titles: [String], caption: String) {
        raw("<table><caption>")
        text(caption)
        raw("</caption>\n<thead><tr>")
        for title in titles { element("th", "scope=\"col\"", title) }
        raw("</tr></thead>\n<tbody>\n")
    }

    mutating func endTable() { raw("</tbody></table>\n") }
}

private func encoded(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in path.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "/"):
            result.append(byte)
        default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: result, as: UTF8.self)
}

/// `2026-11-30 02:15:07 UTC` of an RFC 3339 time; the text itself when it is none.
func pageTime(_ text: String) -> String {
    guard RFC3339.parse(text) != nil, text.utf8.count >= 20 else { return text }
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
}
