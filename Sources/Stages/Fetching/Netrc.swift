import URLs

/// Names and passwords by host, as ftp, curl and wget read them from `~/.netrc`.
package struct Netrc: Sendable {
    private var logins: [String: (user: String, password: String)] = [:]

    /// Reads a file's text. The entry `default` is left out: a password that any host gets is none.
    package init(_ text: String) {
        var words = Words(text)
        var host: String?
        var user = ""
        while let word = words.next() {
            switch word {
            case "machine":
                host = words.next()?.lowercased()
                user = ""
            case "default": host = nil
            case "login": user = words.next() ?? ""
            case "password":
                let password = words.next() ?? ""
                if let host, logins[host] == nil { logins[host] = (user, password) }
            case "account": _ = words.next()
            case "macdef": words.skipMacro()
            default: break
            }
        }
    }

    /// The value of an Authorization field for the host of a URL (RFC 7617).
    func authorization(for url: WebURL) -> String? {
        login(for: url).map { "Basic " + base64(Array("\($0.user):\($0.password)".utf8)) }
    }

    func login(for url: WebURL) -> (user: String, password: String)? {
        url.host.flatMap { logins[$0.lowercased()] }
    }
}

/// Words between blanks, also in quotes with backslashes.
private struct Words {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    mutating func next() -> String? {
        while true {
            rest = rest.drop { $0 <= 0x20 }
            guard rest.first == UInt8(ascii: "#") else { break }
            rest = rest.drop { $0 != 0x0a }
        }
        guard let first = rest.first else { return nil }
        guard first == UInt8(ascii: "\"") else {
            let word = rest.prefix { $0 > 0x20 }
            rest = rest.dropFirst(word.count)
            return String(decoding: word, as: UTF8.self)
        }
        rest.removeFirst()
        var word: [UInt8] = []
        while let byte = rest.popFirst(), byte != first {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                word.append(escaped)
            } else {
                word.append(byte)
            }
        }
        return String(decoding: word, as: UTF8.self)
    }

    /// A macro ends at an empty line.
    mutating func skipMacro() {
        while let byte = rest.popFirst() {
            if byte == 0x0a, rest.first == 0x0a || rest.isEmpty { return }
        }
    }
}
