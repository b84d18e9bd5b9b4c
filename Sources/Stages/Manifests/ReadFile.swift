import Files
import Glibc

/// Why a file could not be read: words that follow its name.
struct FileProblem: Error {
    let reason: String
}

/// The bytes of a regular file, links followed. Does not wait for a pipe's other end.
func readFile(_ path: String, limit: Int) throws(FileProblem) -> [UInt8] {
    try readDatedFile(path, limit: limit).bytes
}

/// The same, with when it was changed last, in seconds since 1970.
func readDatedFile(_ path: String, limit: Int) throws(FileProblem) -> (bytes: [UInt8], modified: Double) {
    let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard number >= 0 else {
        let error = SystemError.last("open", path)
        throw FileProblem(reason: error.isMissing ? "does not exist" : "cannot be opened: \(error.reason)")
    }
    let file = Descriptor(owning: number, path: path)
    do throws(SystemError) {
        let status = try file.status()
        if status.isRegular { return (try file.readAll(limit: limit), status.modifiedTime) }
        throw SystemError("read", path, code: status.isDirectory ? EISDIR : ENODEV)
    } catch {
        switch error.code {
        case EFBIG: throw FileProblem(reason: "is larger than \(limit) bytes")
        case EISDIR: throw FileProblem(reason: "is a folder, not a file")
        case ENODEV: throw FileProblem(reason: "is not a regular file")
        default: throw FileProblem(reason: "cannot be read: \(error.reason)")
        }
    }
}
