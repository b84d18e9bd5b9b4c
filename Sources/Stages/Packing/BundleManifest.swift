import Digests
import Files
import Model
import Times

/// `MANIFEST.json` while it grows, in a file without a name: an object with one line for each file.
final class BundleManifest {
    private let file: SharedDraft
    private var pending: [UInt8]
    private var isEmpty = true

    init(in directory: Directory, for bundle: String, job: String, pack: String) throws {
        file = try SharedDraft("\(bundle).manifest", in: directory)
        pending = Array("{\"schema\":\"nightjar.bundle/1\",\"job\":".utf8)
        pending += jsonString(job)
        pending += ",\"pack\":".utf8
        pending += jsonString(pack)
        pending += ",\"files\":[".utf8
    }

    func append(_ line: [UInt8]) throws {
        if !isEmpty { pending.append(UInt8(ascii: ",")) }
        isEmpty = false
        pending += line
        if pending.count >= 1 << 16 { try flush() }
    }

    func end() throws {
        pending += "\n]}\n".utf8
        try flush()
    }

    /// Gives the whole in pieces.
    func copy(to write: (UnsafeRawBufferPointer) throws -> Void) throws {
        let chunk = Chunk(bytes: 1 << 16)
        var offset: Int64 = 0
        while true {
            let count = try file.read(at: offset, into: chunk.memory)
            if count == 0 { return }
            try write(chunk.prefix(count))
            offset += Int64(count)
        }
    }

    private func flush() throws {
        try file.write(pending)
        pending.removeAll(keepingCapacity: true)
    }

    /// What is told of one file, on a line of its own.
    static func line(_ item: PackItem) -> [UInt8] {
        var line = Array("\n{\"name\":".utf8)
        line += jsonString(item.name)
        line += ",\"url\":".utf8
        line += jsonString(item.url)
        line += ",\"modified\":\"\(RFC3339.format(Double(item.modified)))\",\"bytes\":\(item.bytes)".utf8
        line += ",\"sha256\":\"\(hex(item.sha256))\",\"type\":".utf8
        line += item.contentType.map { jsonString($0) } ?? Array("null".utf8)
        line.append(UInt8(ascii: "}"))
        return line
    }
}

/// Text as JSON (RFC 8259, 7).
func jsonString(_ text: String) -> [UInt8] {
    var bytes = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 0..<0x20, 0x7f: bytes += "\\u00\(hex([byte]))".utf8
        default: bytes.append(byte)
        }
    }
    bytes.append(UInt8(ascii: "\""))
    return bytes
}
