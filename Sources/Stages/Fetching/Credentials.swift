import HTTP
import URLs

/// What may be told to whom: the manifest's headers go to the origins of its start URLs, the user name in a URL to that
/// URL's origin, and to nobody else.
struct Credentials: Sendable {
    private let headers: [(name: String, value: String)]
    private let trusted: Set<String>
    /// The hosts of the start URLs.
    private let hosts: Set<String>
    /// Who asks at servers of FTP and SFTP.
    private let login: FileLogin?
    /// User names in start URLs, by site.
    private let users: [String: String]

    /// Fields that the fetch stage itself answers for.
    private static let own: Set = [
        "accept-encoding", "range", "if-range", "if-none-match", "if-modified-since", "connection",
        "transfer-encoding", "content-length",
    ]

    init(headers: [(name: String, value: String)], starts: [WebURL], login: FileLogin? = nil) {
        self.login = login
        users = Dictionary(
            starts.filter { !$0.username.isEmpty }.map { ($0.site, text(percentDecoded($0.username))) },
            uniquingKeysWith: { first, _ in first })
        self.headers = headers.filter { !Self.own.contains($0.name.lowercased()) }
        hosts = Set(starts.compactMap { $0.host?.lowercased() })
        trusted = Set(starts.flatMap { [$0.site] + ($0.upgradedOrigin.map { [$0] } ?? []) })
    }

    /// Who asks for a file by FTP or SFTP: what the URL itself says, what the manifest says to the hosts of its starts, or
    /// what netrc has for the host; nil asks as anonymous.
    func login(for url: WebURL, asked: WebURL, netrc: Netrc?) -> FileLogin? {
        if asked.hasCredentials, asked.site == url.site, !asked.password.isEmpty {
            return FileLogin(user: text(percentDecoded(asked.username)), password: text(percentDecoded(asked.password)))
        }
        let user = asked.site == url.site && !asked.username.isEmpty ? text(percentDecoded(asked.username)) : nil
        let known = user ?? users[url.site]
        if trusted.contains(url.site), let login {
            var login = login
            if login.user.isEmpty || known != nil { login.user = known ?? "" }
            return login
        }
        if allowsNetrc(for: url), let entry = netrc?.login(for: url, user: known),
            // A line break would be a command of its own.
            (entry.user + (entry.password ?? "")).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
        {
            return FileLogin(user: entry.user, password: entry.password)
        }
        return known.map { FileLogin(user: $0) }
    }

    /// Whether what netrc has for the URL's host is meant for it: netrc knows no ports, so a host of the start URLs is told
    /// only where they are, and another one only at its scheme's own port.
    func allowsNetrc(for url: WebURL) -> Bool {
        hosts.contains(url.host?.lowercased() ?? "") ? trusted.contains(url.site) : url.port == nil
    }

    /// The manifest's headers, if they are meant for this URL's origin.
    func headers(for url: WebURL) -> [(name: String, value: String)] {
        trusted.contains(url.site) ? headers : []
    }
}

/// A user name and password on their way through a chain of redirects.
struct BasicLogin: Sendable {
    private let origins: Set<String>
    /// The value of the Authorization field (RFC 7617).
    private let value: String

    /// Nil when the URL has neither name nor password.
    init?(_ url: WebURL) {
        guard url.hasCredentials else { return nil }
        origins = Set([url.site] + (url.upgradedOrigin.map { [$0] } ?? []))
        value = "Basic " + base64(percentDecoded(url.username) + [0x3a] + percentDecoded(url.password))
    }

    func authorization(for url: WebURL) -> String? { origins.contains(url.site) ? value : nil }
}

extension WebURL {
    /// The same host over TLS, when both ports are the default ones: the one other origin that credentials may follow.
    fileprivate var upgradedOrigin: String? {
        scheme == "http" && port == nil ? "https://\(host ?? "")" : nil
    }

    /// What the site that is asked may learn about the page that led there: all of it on the same origin, its origin
    /// elsewhere, nothing on the way from https to http; never user information or a fragment.
    func referrer(for target: WebURL) -> String? {
        guard isHTTP, target.isHTTP, scheme == "http" || target.scheme == "https" else { return nil }
        return site == target.site ? withoutUserinfo.withoutFragment.href : site + "/"
    }
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

func percentDecoded(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%"), rest.count >= 2, let high = hexValue(rest[rest.startIndex]),
            let low = hexValue(rest[rest.startIndex + 1])
        else {
            result.append(byte)
            continue
        }
        result.append(high << 4 | low)
        rest = rest.dropFirst(2)
    }
    return result
}

private func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// The value of an Authorization field for `name:password` (RFC 7617).
package func basicAuthorization(_ login: String) -> String { "Basic " + base64(Array(login.utf8)) }

/// RFC 4648, section 4.
func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
        for position in 0..<4 {
            let value = Int(bits >> (18 - 6 * UInt32(position)) & 63)
            result.append(position <= group.count ? alphabet[value] : UInt8(ascii: "="))
        }
    }
    return String(decoding: result, as: UTF8.self)
}
