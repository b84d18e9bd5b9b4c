package import Model
import Files
import Glibc
import YAML

/// Values that manifests name but do not hold.
package enum Secrets {
    /// Longest secret in bytes; a header's value must fit into a request.
    static let longest = 8192

    /// The secrets of a job that cannot be had, each at its place in the manifest. Asked before anything starts.
    package static func missing(of job: Job, environment: [String: String]) -> [Diagnostic] {
        job.secrets.compactMap { use in
            do throws(SecretError) {
                _ = try value(of: use.secret, environment: environment)
                return nil
            } catch {
                return Diagnostic(
                    file: job.manifest, line: use.line, column: use.column, message: "\(use.key): \(error.message)")
            }
        }
    }

    /// A secret's value, fit for a header: one line, of which a file's last line end is no part.
    package static func value(of secret: Secret, environment: [String: String]) throws(SecretError) -> String {
        switch secret {
        case .environment(let name):
            guard let value = environment[name] else {
                throw SecretError(message: "the environment variable \(name) is not set")
            }
            return try checked(value, "the environment variable \(name)")
        case .file(let path):
            return try checked(try content(of: path), "the file \(quoted(path))")
        }
    }

    /// The bytes of a file that holds secrets in a form of its own.
    package static func file(_ path: String, limit: Int) throws(SecretError) -> [UInt8] {
        do throws(FileProblem) { return try readFile(path, limit: limit) } catch {
            throw SecretError(message: "the file \(quoted(path)) \(error.reason)")
        }
    }

    /// The same, with when the file was changed last, in seconds since 1970.
    package static func datedFile(
        _ path: String, limit: Int
    ) throws(SecretError) -> (bytes: [UInt8], modified: Double) {
        do throws(FileProblem) { return try readDatedFile(path, limit: limit) } catch {
            throw SecretError(message: "the file \(quoted(path)) \(error.reason)")
        }
    }

    private static func content(of path: String) throws(SecretError) -> String {
        let bytes: [UInt8]
        do throws(FileProblem) {
            bytes = try readFile(path, limit: longest + 2)
        } catch {
            throw SecretError(message: "the file \(quoted(path)) \(error.reason)")
        }
        guard var text = String(validating: bytes, as: UTF8.self)?.utf8[...] else {
            throw SecretError(message: "the file \(quoted(path)) is not UTF-8 text")
        }
        if text.last == 0x0A { text = text.dropLast() }
        if text.last == 0x0D { text = text.dropLast() }
        return String(Substring(text))
    }

    /// Never quotes the value.
    private static func checked(_ value: String, _ source: String) throws(SecretError) -> String {
        if value.isEmpty { throw SecretError(message: "\(source) is empty") }
        if value.utf8.count > longest { throw SecretError(message: "\(source) holds more than \(longest) bytes") }
        if Words.hasControl(value) {
            throw SecretError(message: "\(source) holds a line break or another control character inside its value")
        }
        return value
    }

    /// Reads `{ env: NAME }` or `{ file: PATH }` and remembers where it stands.
    static func read(_ node: YAMLNode, _ reading: inout ManifestReading) -> Secret? {
        guard let pairs = reading.mapping(node, expected: "{ env: NAME } or { file: PATH }") else { return nil }
        guard pairs.count == 1, let pair = pairs.first, let secret = secret(pair, &reading) else {
            if pairs.count != 1 { reading.error(node.position, "expected one of { env: NAME } and { file: PATH }") }
            return nil
        }
        reading.draft.job.secrets.append(
            SecretUse(
                secret: secret, key: reading.key, line: node.position.line,
                column: node.position.column))
        return secret
    }

    private static func secret(_ pair: YAMLPair, _ reading: inout ManifestReading) -> Secret? {
        switch pair.key {
        case "env":
            let type = KeyType<String>.text("the name of an environment variable") { name in
                let isName = Words.consists(name, of: Words.alphanumerics + "_", atMost: 256)
                return isName && name.first?.isNumber == false ? nil : ""
            }
            return reading.within("env") { type.read(pair.value, &$0) }.map { .environment($0) }
        case "file":
            let type = KeyType<String>.text("the path of a file") { path in
                path.utf8.first == UInt8(ascii: "~") ? "'~' is not expanded; write the whole path" : nil
            }
            return reading.within("file") { type.read(pair.value, &$0) }.map { path in
                let folder = reading.draft.folder
                return .file(path.utf8.first == UInt8(ascii: "/") || folder.isEmpty ? path : "\(folder)/\(path)")
            }
        default:
            reading.error(pair.keyPosition, "expected env or file, found \(quoted(pair.key))")
            return nil
        }
    }
}

/// Why a secret cannot be had; never its value.
package struct SecretError: Error, Sendable, Hashable {
    package let message: String

    package init(message: String) { self.message = message }
}
