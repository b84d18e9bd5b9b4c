import Files
import Glibc
package import Model

/// The headers of a job with their secrets read from the environment and from files, to be called before anything is
/// started.
/// - Throws: a message that names what is missing, never its value.
package func resolvedHeaders(_ rules: FetchRules) throws(SecretError) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    for (name, value) in rules.headers {
        switch value {
        case .plain(let text): headers.append((name, text))
        case .secret(let secret): headers.append((name, try resolve(secret, for: name)))
        }
    }
    return headers
}

/// A secret that cannot be had.
package struct SecretError: Error, CustomStringConvertible {
    package let description: String
}

private func resolve(_ secret: Secret, for name: String) throws(SecretError) -> String {
    let text: String
    switch secret {
    case .environment(let variable):
        guard let value = getenv(variable) else {
            throw SecretError(description: "header \(name): the environment variable \(variable) is not set")
        }
        text = String(cString: value)
    case .file(let path): text = try contents(path, for: name)
    }
    // Files end in a line end that is no part of the secret.
    let trimmed = text.utf8.reversed().drop { $0 == 10 || $0 == 13 }.reversed()
    guard !trimmed.isEmpty, trimmed.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
        throw SecretError(description: "header \(name): its secret is empty or holds control characters")
    }
    return String(decoding: Array(trimmed), as: UTF8.self)
}

/// The author's own path: unlike names from the network it may lead through links.
private func contents(_ path: String, for name: String) throws(SecretError) -> String {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw SecretError(description: "header \(name): \(SystemError.last("open", path))") }
    do {
        let bytes = try Descriptor(owning: number, path: path).readAll(limit: 64 << 10)
        return String(decoding: bytes, as: UTF8.self)
    } catch { throw SecretError(description: "header \(name): \(error)") }
}
