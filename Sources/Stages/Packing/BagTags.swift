import Digests
import Model

/// The tag files of a bag (RFC 8493) that do not depend on a list of entries.
enum BagTags {
    static let declaration = Array("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n".utf8)

    /// A line of a payload or tag manifest (RFC 8493, 2.1.3).
    ///
    /// Line ends in a path are percent-encoded. A percent sign is so only where it would else be read as one of them:
    /// the standard asks for every one, but Python's bagit, which most receivers validate with, decodes line ends
    /// alone and would miss the file.
    static func line(_ digest: some Collection<UInt8>, path: String) -> [UInt8] {
        var line = Array(hex(digest).utf8)
        line += "  ".utf8
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): line += "%0A".utf8
            case UInt8(ascii: "\r"): line += "%0D".utf8
            default: line.append(byte)
            }
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// True for a path that a manifest cannot say: it holds what reads as an encoded line end.
    static func isAmbiguous(_ path: String) -> Bool {
        let lowered = path.lowercased()
        return lowered.contains("%0a") || lowered.contains("%0d")
    }

    /// `bag-info.txt`: what the manifest gives, in its order, then what only the packer knows.
    static func info(
        _ fields: [(label: String, value: String)], payload: (bytes: Int64, files: Int), newest: String,
        group: (id: String, number: Int, count: Int)?
    ) -> [UInt8] {
        var lines = fields
        func add(_ label: String, _ value: String) {
            if !fields.contains(where: { $0.label.lowercased() == label.lowercased() }) { lines.append((label, value)) }
        }
        add("Bagging-Date", newest)
        add("Bag-Software-Agent", "Nightjar")
        if let group {
            add("Bag-Group-Identifier", group.id)
            add("Bag-Count", "\(group.number) of \(group.count)")
        }
        add("Payload-Oxum", "\(payload.bytes).\(payload.files)")
        return lines.flatMap { Array("\($0.label): \($0.value)\n".utf8) }
    }
}
