import Files
import Model

extension DraftFile {
    /// Gives a bundle a name, and beside it `<name>.sha256`, which `sha256sum -c` takes. The digest is durable before
    /// the bundle appears, so that no bundle is ever there that cannot be verified.
    /// - Returns: false when the name is taken; whatever has it stays.
    borrowing func take(_ name: String, sha256: [UInt8], in directory: Directory) throws -> Bool {
        guard try directory.status(name) == nil else { return false }
        let beside = "\(name).sha256"
        try directory.replace(beside, with: ChecksumLine(sha256: sha256, name: name).bytes)
        do {
            try link(as: name)
        } catch {
            try? directory.remove(beside)
            if error.alreadyExists { return false }
            throw error
        }
        try directory.synchronize()
        return true
    }
}

/// `name`, or for a number from 2 on the name with `-<number>` before its extension.
func numbered(_ name: String, _ number: Int, extension: String) -> String {
    guard number > 1 else { return name }
    let end = ".\(`extension`)"
    guard name.hasSuffix(end), name.utf8.count > end.utf8.count else { return "\(name)-\(number)" }
    return "\(name.dropLast(end.count))-\(number)\(end)"
}
