import Digests
import Files
import Glibc
import Model

extension Courier {
    /// Copies into a folder, also on another device: under a temporary name, durable, read back, and only then under
    /// its own.
    func sendToFolder(_ file: Consignment, _ replaces: Bool) throws -> Proof {
        let folder = try targetFolder()
        if let status = try folder.status(file.name) {
            if status.isRegular, status.bytes == file.bytes, try digest(of: folder.open(file.name)) == file.sha256 {
                return .content
            }
            guard replaces, status.isRegular else {
                throw DeliveryError(
                    .io,
                    "\(folder.below(file.name)) is there already and is another file; move it away, or replace it with "
                        + "nightjar handoff --again")
            }
        }
        // The same in every attempt, so that what a kill left of it is found and goes.
        let temporary = ".nightjar-\(hex(file.sha256.prefix(8))).part"
        try folder.remove(temporary)
        do {
            try copy(file, to: folder, temporary)
            if replaces {
                try folder.rename(temporary, to: folder, file.name)
            } else {
                try appear(temporary, as: file.name, in: folder)
            }
        } catch {
            try? folder.remove(temporary)
            throw error
        }
        // Some network file systems cannot do it, and keep names durable by themselves.
        do { try folder.synchronize() } catch {
            guard [EINVAL, EOPNOTSUPP].contains(error.code) else { throw error }
        }
        return .content
    }

    /// A folder that is missing is made, but not those above it: a share that is not mounted must not become a folder
    /// on the system's own disk.
    private func targetFolder() throws -> Directory {
        let path = destination.rules.path
        if mkdir(path, 0o777) != 0, errno != EEXIST, errno != EROFS {
            let reason = String(cString: strerror(errno))
            throw DeliveryError(.io, "cannot make the folder \(path): \(reason); is the disk mounted?")
        }
        return try Directory(path)
    }

    private func copy(_ file: Consignment, to folder: Directory, _ name: String) throws {
        let copy = try folder.create(name, mode: 0o644)
        try file.file.seek(to: 0)
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        var sent: Int64 = 0
        while true {
            try checkCancellation()
            let count = try chunk.withUnsafeMutableBytes { try file.file.read(into: $0) }
            if count == 0 { break }
            try chunk.withUnsafeBytes { try copy.write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            sent += Int64(count)
            tell(sent)
        }
        try copy.synchronize()
        guard try digest(of: copy) == file.sha256 else {
            throw DeliveryError(.damaged, "\(copy.path) was read back and is not what was written", mayPass: true)
        }
        try copy.close()
    }

    /// Gives the final name, which nothing may have.
    private func appear(_ temporary: String, as name: String, in folder: Directory) throws {
        do { try folder.renameNew(temporary, to: folder, name) } catch {
            guard [EINVAL, ENOSYS].contains(error.code) else { throw error }
            // This file system knows no rename that spares what is there; it was looked at above.
            try folder.rename(temporary, to: folder, name)
        }
    }
}

extension HandoffRules {
    /// The folder of a `file://` target.
    var path: String { decoded(String(to.dropFirst("file://".count))) }
}

/// Percent-encoded text decoded; what is no valid escape stays.
func decoded(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
        if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
            let value = Digests.bytes(hex: String(decoding: bytes[index + 1...index + 2], as: UTF8.self))
        {
            result += value
            index += 3
        } else {
            result.append(bytes[index])
            index += 1
        }
    }
    return String(decoding: result, as: UTF8.self)
}
