import Files
import Model

extension DraftFile {
    /// Gives a bundle its name, and beside it `<name>.sha256`, which `sha256sum -c` takes. The digest is durable before
    /// the bundle appears, so that no bundle is ever there that cannot be verified. A bundle of that name stays: the
    /// new one is `-2`, `-3` and so on before the extension.
    /// - Returns: the name it got.
    borrowing func publish(
        _ name: String, extension: String, sha256: [UInt8], in directory: Directory
    ) throws -> String {
        for number in 1...Self.mostNames {
            let candidate = numbered(name, number, extension: `extension`)
            guard try directory.status(candidate) == nil else { continue }
            let beside = "\(candidate).sha256"
            try directory.replace(beside, with: ChecksumLine(sha256: sha256, name: candidate).bytes)
            do {
                try link(as: candidate)
            } catch {
                try? directory.remove(beside)
                if error.alreadyExists { continue }
                throw error
            }
            try directory.synchronize()
            return candidate
        }
        throw Failure(.io, "\(directory.below(name)) and \(Self.mostNames) names like it are taken; tidy up the folder")
    }

    private static var mostNames: Int { 9999 }
}

/// `name`, or for a number from 2 on the name with `-<number>` before its extension.
func numbered(_ name: String, _ number: Int, extension: String) -> String {
    guard number > 1 else { return name }
    let end = ".\(`extension`)"
    guard name.hasSuffix(end), name.utf8.count > end.utf8.count else { return "\(name)-\(number)" }
    return "\(name.dropLast(end.count))-\(number)\(end)"
}
