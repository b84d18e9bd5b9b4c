import Digests
import Files

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
