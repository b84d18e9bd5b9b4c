import URLs

/// Names and passwords by host, as ftp, curl and wget read them from `~/.netrc`.
package struct Netrc: Sendable {
    /// What stands between one `machine` and the next, in any order.
    private struct Entry {
        var user: String?
        var password: String?
    }
    private var entries: [String: [Entry]] = [:]

    /// Reads a file's text. The entry `default` is left out: a password that any host gets is none.
    package init(_ text: String) {
        var words = Words(text)
        var host: String?
        var entry = Entry()
        func keep(in entries: inout [String: [Entry]]) {
            if let host, entry.user != nil || entry.password != nil { entries[host, default: []].append(entry) }
            entry = Entry()
        }
        while let word = words.next() {
            switch word {
            case "machine":
                keep(in: &entries)
                host = words.next()?.lowercased()
            case "default":
                keep(in: &entries)
                host = nil
            case "login": entry.user = words.next()
            case "password": entry.password = words.next()
            case "account": _ = words.next()
            case "macdef": words.skipMacro()
            default: break
            }
        }
        keep(in: &entries)
    }

    /// The value of an Authorization field for the host of a URL (RFC 7617).
    func authorization(for url: WebURL) -> String? {
        let user = url.username.isEmpty ? nil : String(decoding: percentDecoded(url.username), as: UTF8.self)
        return login(for: url, user: user).map { "Basic " + base64(Array("\($0.user):\($0.password ?? "")".utf8)) }
    }

    /// - Parameter user: who asks, where that is known: only an entry of that user, or of none, will do.
    func login(for url: WebURL, user: String?) -> (user: String, password: String?)? {
        let entry = entries[url.host?.lowercased() ?? ""]?.first { entry in
            user == nil || entry.user == nil || entry.user == user
        }
        return entry.map { ($0.user ?? user ?? "", $0.password) }
    }
}

/// Words between blanks, also in quotes with backslashes.
private struct Words {
    private var rest: ArraySlice<UInt8>
    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0a, UInt8(ascii: "r"): 0x0d, UInt8(ascii: "t"): 0x09,
    ]

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
                word.append(Self.escapes[escaped] ?? escaped)
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
