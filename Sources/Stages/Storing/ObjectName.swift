import Digests
import Files
package import Model

/// Where content lies below `objects/`: `ab/abcdef...`.
struct ObjectName: Hashable {
    let file: String

    init(_ sha256: [UInt8]) { file = hex(sha256) }

    var folder: String { String(file.prefix(2)) }

    func isHeld(in objects: Directory, bytes: Int64) throws -> Bool {
        guard let status = try objects.status("\(folder)/\(file)") else { return false }
        return status.isRegular && status.bytes == bytes
    }
}

extension StoredContent {
    /// Where it lies below `objects/`.
    package var objectPath: String {
        let name = ObjectName(sha256)
        return "\(name.folder)/\(name.file)"
    }
}
