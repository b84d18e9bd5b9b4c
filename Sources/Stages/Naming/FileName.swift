import Magic

/// A file's name taken apart into what it is called and what it is.
struct FileName: Equatable {
    enum Kind: Equatable {
        /// No extension, or none that looks like one: the `2` of `report-1.2` is none.
        case none
        /// Known to the database of types.
        case known
        /// One that could be: letters and digits, at least one letter.
        case plausible
        /// Of a program on the server.
        case script
    }
    var stem: String
    /// As it was written, without the first dot; empty when there is none.
    var `extension` = ""
    /// The extension in lower case.
    var key = ""
    var kind = Kind.none

    init(_ name: String, types: MIMETypes) {
        stem = name
        guard let (rest, last) = FileName.cut(name), FileName.isShaped(last) else { return }
        let lower = last.lowercased()
        if ExtensionLists.scripts.contains(lower) {
            (stem, `extension`, key, kind) = (rest, last, lower, .script)
            return
        }
        let isKnown = types.knows(extension: lower) || ExtensionLists.vague.contains(lower)
        guard isKnown || ExtensionLists.compressions.contains(lower) || FileName.hasLetter(last) else { return }
        (stem, `extension`, key, kind) = (rest, last, lower, isKnown ? .known : .plausible)
        guard let (shorter, inner) = FileName.cut(rest), FileName.isShaped(inner) else { return }
        let innerLower = inner.lowercased()
        let both = "\(innerLower).\(lower)"
        let isCompressed =
            ExtensionLists.compressions.contains(lower)
            && (ExtensionLists.compressed.contains(innerLower) || types.knows(extension: innerLower))
        if isCompressed || ExtensionLists.doubles.contains(both) || types.knows(extension: both) {
            (stem, `extension`, key, kind) = (shorter, "\(inner).\(last)", both, .known)
        }
    }

    /// A name without an extension, such as a link's text.
    init(stem: String) { self.stem = stem }

    /// True when it has an extension that may say what the file is.
    var isTelling: Bool { kind == .known || kind == .plausible }

    /// The key of a compound's last part, or of the whole: `gz` for `tar.gz`.
    var lastKey: String { key.split(separator: ".").last.map(String.init) ?? "" }

    private static func cut(_ name: String) -> (rest: String, last: String)? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        let last = name[name.utf8.index(after: dot)...]
        return last.isEmpty ? nil : (String(name[..<dot]), String(last))
    }

    private static func isShaped(_ last: String) -> Bool {
        last.utf8.count <= 12
            && last.utf8.allSatisfy { byte in
                switch byte | 0x20 {
                case 0x61...0x7A: byte >= 0x41
                default: (byte >= 0x30 && byte <= 0x39) || "+-_~".utf8.contains(byte)
                }
            }
    }

    private static func hasLetter(_ last: String) -> Bool {
        last.utf8.contains { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
    }
}
