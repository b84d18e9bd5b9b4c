import Digests
import Files
import Model
import Processes

/// A detached signature and what a bundle's name gets for it.
struct Signature {
    let `extension`: String
    let bytes: [UInt8]
}

/// What the installed gpg and minisign do for bundles: they know the user's keys, and we do not want to.
extension PackSetting {
    /// Encrypts a finished archive.
    /// - Returns: the encrypted file, its length and its SHA-256.
    func seal(_ file: SharedDraft) throws -> (SharedDraft, Int64, [UInt8]) {
        let sealed = try SharedDraft("\(name).gpg", in: target)
        try file.rewind()
        var arguments = gpg + ["--trust-model", "always", "--compress-algo", "none", "--encrypt"]
        for recipient in rules.recipients {
            arguments += recipient.contains("/") ? ["--recipient-file", recipient] : ["--recipient", recipient]
        }
        var run = ToolRun("gpg", arguments, environment: toolEnvironment)
        run.input = file.number
        run.output = sealed.number
        try self.run(run, "pack.recipients")
        var hash = try SHA256()
        let chunk = Chunk()
        var bytes: Int64 = 0
        while true {
            let count = try sealed.read(at: bytes, into: chunk.memory)
            if count == 0 { break }
            try checkCancellation()
            try hash.update(chunk.prefix(count))
            bytes += Int64(count)
        }
        guard bytes > 0 else { throw Failure(.io, "gpg gave nothing") }
        return (sealed, bytes, try hash.finish())
    }

    /// Signs a file; nil where no signature is asked for.
    func signature(of file: SharedDraft) throws -> Signature? {
        guard let sign = rules.sign else { return nil }
        try file.rewind()
        let output = try SharedDraft("\(name).sig", in: target)
        switch sign.key {
        case .gpg(let key):
            var arguments = gpg + ["--local-user", key, "--detach-sign"]
            if secrets.signing != nil {
                arguments =
                    gpg + ["--pinentry-mode", "loopback", "--passphrase-fd", "3"] + arguments.dropFirst(gpg.count)
            }
            var run = ToolRun("gpg", arguments, environment: toolEnvironment)
            run.input = file.number
            run.output = output.number
            run.secret = secrets.signing
            try self.run(run, "pack.sign")
            return Signature(extension: ".sig", bytes: try content(of: output))
        case .minisign(let path):
            // It takes files by name alone; these names are its own descriptors.
            let comment = "nightjar \(job) \(rules.id)"
            var run = ToolRun(
                "minisign",
                [
                    "-S", "-s", path, "-m", "/proc/self/fd/4", "-x", "/proc/self/fd/1", "-t", comment, "-c",
                    "signature of a bundle",
                ], environment: toolEnvironment)
            run.extra = file.number
            run.output = output.number
            run.secret = secrets.signing ?? ""
            run.secretIsInput = true
            try self.run(run, "pack.sign")
            return Signature(extension: ".minisig", bytes: try content(of: output))
        }
    }

    private var gpg: [String] { ["--batch", "--no-tty", "--quiet", "--yes", "--no-auto-key-locate", "--output", "-"] }

    private var toolEnvironment: [String: String] {
        var environment = secrets.environment.filter { ["PATH", "HOME", "GNUPGHOME", "TMPDIR"].contains($0.key) }
        environment["LC_ALL"] = "C.UTF-8"
        return environment
    }

    private func run(_ run: ToolRun, _ key: String) throws {
        do { try run.run(isCancelled: { Task.isCancelled }) } catch {
            try checkCancellation()
            throw Failure(.io, "\(key): \(error)")
        }
    }

    private func content(of file: SharedDraft) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = try bytes.withUnsafeMutableBytes { try file.read(at: 0, into: $0) }
        guard count > 0 else { throw Failure(.io, "pack.sign: no signature was given") }
        return Array(bytes[..<count])
    }
}
