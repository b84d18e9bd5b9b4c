import Digests

/// A line as `sha256sum` writes and checks it: the digest, two spaces, the name. A name with a backslash, a line feed
/// or a carriage return is escaped and the line begins with a backslash (GNU coreutils, "md5sum invocation").
struct ChecksumLine: Hashable {
    var digest: [UInt8]
    var name: String

    private static let backslash = UInt8(ascii: "\\")

    /// The line with its line feed.
    var bytes: [UInt8] {
        let isEscaped = name.utf8.contains { Self.escape(of: $0) != nil }
        var line: [UInt8] = []
        line.reserveCapacity(2 * digest.count + name.utf8.count + 16)
        if isEscaped { line.append(Self.backslash) }
        line += hex(digest).utf8
        line += "  ".utf8
        if isEscaped {
            for byte in name.utf8 { line += Self.escape(of: byte).map { [Self.backslash, $0] } ?? [byte] }
        } else {
            line += name.utf8
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func escape(of byte: UInt8) -> UInt8? {
        switch byte {
        case backslash: backslash
        case UInt8(ascii: "\n"): UInt8(ascii: "n")
        case UInt8(ascii: "\r"): UInt8(ascii: "r")
        default: nil
        }
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
            let digest = Digests.bytes(hex: rest[..<blank])
        else { return nil }
        rest = rest[(blank + 2)...]
        self.digest = digest
        guard isEscaped else {
            name = String(decoding: rest, as: UTF8.self)
            return
        }
        var name: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == Self.backslash else {
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
        self.name = String(decoding: name, as: UTF8.self)
    }
}
