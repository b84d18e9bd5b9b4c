import Digests

/// A line as `sha256sum` writes and checks it: the digest, two spaces, the name. A name with a backslash, a line feed
/// or a carriage return is escaped and the line begins with a backslash (GNU coreutils, "md5sum invocation").
struct ChecksumLine: Hashable {
    var digest: [UInt8]
    var name: String

    private static let backslash = UInt8(ascii: "\\")

    /// The line with its line feed.
    var bytes: [UInt8] {
        var escaped: [UInt8] = []
        var isEscaped = false
        for byte in name.utf8 {
            switch byte {
            case Self.backslash: escaped += "\\\\".utf8
            case UInt8(ascii: "\n"): escaped += "\\n".utf8
            case UInt8(ascii: "\r"): escaped += "\\r".utf8
            default:
                escaped.append(byte)
                continue
            }
            isEscaped = true
        }
        var line: [UInt8] = isEscaped ? [Self.backslash] : []
        line += hex(digest).utf8
        line += "  ".utf8
        line += escaped
        line.append(UInt8(ascii: "\n"))
        return line
    }

    init(digest: [UInt8], name: String) {
        self.digest = digest
        self.name = name
    }

    /// - Parameter line: without its line feed.
    init?(_ line: ArraySlice<UInt8>) {
        var rest = line
        let isEscaped = rest.first == Self.backslash
        if isEscaped { rest = rest.dropFirst() }
        guard let blank = rest.firstIndex(of: UInt8(ascii: " ")), rest.endIndex - blank > 2,
            let digest = Digests.bytes(hex: String(decoding: rest[..<blank], as: UTF8.self))
        else { return nil }
        rest = rest[(blank + 2)...]
        var name: [UInt8] = []
        name.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            guard isEscaped, byte == Self.backslash else {
                name.append(byte)
                continue
            }
            switch rest.popFirst() {
            case Self.backslash: name.append(Self.backslash)
            case UInt8(ascii: "n"): name.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): name.append(UInt8(ascii: "\r"))
            default: return nil
            }
        }
        self.digest = digest
        self.name = String(decoding: name, as: UTF8.self)
    }
}
