/// Which proxy leads to which host, read from the environment as curl reads it.
package struct ProxyRules: Sendable {
    private let http: String?
    private let https: String?
    private let exceptions: [String]

    /// Takes `http_proxy` (in lower case only, since a web server's CGI makes the other from a request), `https_proxy`,
    /// `all_proxy` and `no_proxy`, the last three also in upper case.
    /// - Parameter variable: the value of an environment variable.
    package init(variable: (String) -> String?) {
        func first(_ names: String...) -> String? {
            names.lazy.compactMap(variable).first { !$0.utf8.isEmpty }
        }
        let all = first("all_proxy", "ALL_PROXY")
        http = first("http_proxy") ?? all
        https = first("https_proxy", "HTTPS_PROXY") ?? all
        exceptions = (first("no_proxy", "NO_PROXY") ?? "").lowercased()
            .split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
    }

    /// One proxy for everything, or other exceptions, where a manifest says so.
    package func replacing(proxy: String?, exceptions: [String]?) -> ProxyRules {
        ProxyRules(
            http: proxy ?? http, https: proxy ?? https,
            exceptions: exceptions.map { $0.map { $0.lowercased() } } ?? self.exceptions)
    }

    private init(http: String?, https: String?, exceptions: [String]) {
        self.http = http
        self.https = https
        self.exceptions = exceptions
    }

    /// No proxy for anything.
    package static let none = ProxyRules { _ in nil }

    /// The proxy's URL; nil goes direct.
    /// - Parameter host: as in a URL, IPv6 in brackets.
    package func proxy(scheme: String, host: String) -> String? {
        guard let proxy = scheme == "https" ? https : http else { return nil }
        return exceptions.contains { matches($0, host: host.lowercased()) } ? nil : proxy
    }

    /// An exception is `*`, an address, a block of addresses, or a domain with all that is below it.
    private func matches(_ exception: String, host: String) -> Bool {
        if exception == "*" { return true }
        if let address = IPAddress(host) {
            let parts = exception.split(separator: "/", maxSplits: 1).map(String.init)
            guard let network = parts.first.flatMap({ IPAddress($0) }) else { return false }
            return address.shares(parts.count == 2 ? Int(parts[1]) : network.bytes.count * 8, bitsWith: network)
        }
        let domain = exception.utf8.first == UInt8(ascii: ".") ? exception.dropFirst() : exception[...]
        return !domain.isEmpty && (host.utf8.elementsEqual(domain.utf8) || host.hasSuffix("." + domain))
    }
}

extension IPAddress {
    fileprivate func shares(_ bits: Int?, bitsWith other: IPAddress) -> Bool {
        guard let bits, bits >= 0, bytes.count == other.bytes.count, bits <= bytes.count * 8 else { return false }
        for (index, pair) in zip(bytes, other.bytes).enumerated() {
            let counted = min(max(bits - index * 8, 0), 8)
            if (pair.0 ^ pair.1) & UInt8(truncatingIfNeeded: 0xff00 >> counted) != 0 { return false }
        }
        return true
    }
}
