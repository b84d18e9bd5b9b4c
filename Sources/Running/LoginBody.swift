import JSON

/// What a field of a login is sent as.
enum LoginValue: Sendable {
    case text(String)
    /// `true`, `false` or a number, which JSON writes without quotes.
    case literal(String)

    var text: String {
        switch self {
        case .text(let text), .literal(let text): text
        }
    }
}

/// A login's fields as bytes on the wire.
enum LoginBody {
    /// `application/x-www-form-urlencoded` (WHATWG URL, 5.2).
    static func form(_ fields: [(name: String, value: LoginValue)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in fields {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            append(name, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            append(value.text, to: &bytes)
        }
        return bytes
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "): bytes.append(UInt8(ascii: "+"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }

    /// One object (RFC 8259).
    static func json(_ fields: [(name: String, value: LoginValue)]) -> [UInt8] {
        let members = fields.map { name, value in
            switch value {
            case .text(let text): "\(quoted(name)):\(quoted(text))"
            case .literal(let text): "\(quoted(name)):\(text)"
            }
        }
        return Array("{\(members.joined(separator: ","))}".utf8)
    }

    private static func quoted(_ text: String) -> String { String(decoding: jsonString(text), as: UTF8.self) }
}
