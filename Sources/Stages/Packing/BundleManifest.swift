import Digests
import Files
import JSON
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
    func copy(to write: (UnsafeRawBufferPointer) throws -> Void) throws { try file.copy(to: write) }

    private func flush() throws {
        try file.write(pending)
        pending.removeAll(keepingCapacity: true)
    }

    /// What is told of one file, on a line of its own.
    static func line(_ item: PackItem) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(256 + item.name.utf8.count + item.url.utf8.count)
        line += "\n{\"name\":".utf8
        appendJSONString(item.name, to: &line)
        line += ",\"url\":".utf8
        appendJSONString(item.url, to: &line)
        line += ",\"modified\":\"\(RFC3339.format(Double(item.modified)))\",\"bytes\":\(item.bytes)".utf8
        line += ",\"sha256\":\"\(hex(item.sha256))\",\"type\":".utf8
        if let type = item.contentType { appendJSONString(type, to: &line) } else { line += "null".utf8 }
        line.append(UInt8(ascii: "}"))
        return line
    }
}
