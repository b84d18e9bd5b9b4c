import CCurl
import CShims

extension HTTPRequest {
    /// What stands between `//` and the path, for messages.
    var authority: String {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: .colon) else { return url }
        let rest = bytes[colon...].dropFirst().drop { $0 == UInt8(ascii: "/") }
        return String(rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
            ?? url
    }

    /// The address that the URL names instead of a host, if it does.
    var literalAddress: IPAddress? {
        let authority = authority
        if let address = IPAddress(authority) { return address }
        guard let colon = authority.utf8.lastIndex(of: .colon) else { return nil }
        return IPAddress(String(authority[..<colon]))
    }

    /// Sets everything that makes this request on a fresh handle.
    func apply(to handle: EasyHandle) throws(HTTPError) {
        try check()
        try handle.set(CURLOPT_URL, url)
        // The URL has been normalised already, and twice is not the same as once.
        try handle.set(CURLOPT_PATH_AS_IS, 1)
        try handle.set(CURLOPT_PROTOCOLS_STR, isFile ? scheme : "http,https")
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CURLOPT_NOSIGNAL, 1)
        // Without it one name server that hangs stops the whole loop at removal.
        try handle.set(CURLOPT_QUICK_EXIT, 1)
        try handle.set(CURLOPT_TCP_KEEPALIVE, 1)
        try handle.set(CURLOPT_BUFFERSIZE, 128 * 1024)
        try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, max(connectTimeout.milliseconds, 1))
        // An empty one keeps libcurl from looking into the environment.
        try handle.set(CURLOPT_PROXY, proxy ?? "")
        if isFresh { try handle.set(CURLOPT_FRESH_CONNECT, 1) }
        if let authorities { try handle.set(CURLOPT_CAINFO, authorities) }
        if let clientCertificate { try apply(clientCertificate, to: handle) }
        try handle.set(CURLOPT_CONNECT_TO, try connectTo())
        if isFile { return try applyFile(to: handle) }
        try handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        try handle.set(CURLOPT_PIPEWAIT, 1)
        // Chunks come as they are: taken apart by us, since libcurl takes too much for one.
        try handle.set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
        try handle.set(CURLOPT_HTTPHEADER, headerLines)
        if let cookies { try handle.set(CURLOPT_COOKIE, bytes: cookies) }
        if let body {
            try handle.set(CURLOPT_POSTFIELDSIZE, body.count)
            try handle.set(CURLOPT_COPYPOSTFIELDS, bytes: body)
        }
    }

    private func apply(_ certificate: ClientCertificate, to handle: EasyHandle) throws(HTTPError) {
        try handle.set(CURLOPT_SSLCERT, certificate.certificate)
        try handle.set(CURLOPT_SSLKEY, certificate.key ?? certificate.certificate)
        if let passphrase = certificate.passphrase { try handle.set(CURLOPT_KEYPASSWD, passphrase) }
    }

    /// A line break in a header or URL would be a second header on the wire.
    private func check() throws(HTTPError) {
        guard ["http", "https", "ftp", "sftp"].contains(scheme) else {
            throw HTTPError(.invalidRequest, "\(scheme): is not fetched")
        }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw HTTPError(.invalidRequest, "the URL holds a blank, control character or letter that is not encoded")
        }
        guard cookies?.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == .tab }) ?? true else {
            throw HTTPError(.invalidRequest, "a cookie holds a control character")
        }
        for (name, value) in headers {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != .colon && $0 != 0x3b }) else {
                throw HTTPError(.invalidRequest, "a header's name is empty or holds a character that it may not")
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == .tab }) else {
                throw HTTPError(.invalidRequest, "the value of the header \(name) holds a control character")
            }
        }
    }

    /// libcurl takes `Name:` as "leave it out" and `Name;` as "send it empty".
    private var headerLines: [String] {
        headers.map { name, value in value.utf8.isEmpty ? "\(name);" : "\(name): \(value)" }
    }

    /// `resolve` as CURLOPT_CONNECT_TO: unlike CURLOPT_RESOLVE that leaves nothing in a cache that other jobs share.
    private func connectTo() throws(HTTPError) -> [String] {
        var lines: [String] = []
        for entry in resolve {
            let parts = entry.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            let first = parts.last?.split(separator: ",").first.map(String.init)
            guard parts.count == 3, let first, let address = IPAddress(first) else {
                throw HTTPError(.invalidRequest, "resolve: \"\(entry)\" is not of the form host:port:address")
            }
            let target = address.bytes.count == 4 ? "\(address)" : "[\(address)]"
            lines.append("\(parts[0] == "*" ? "" : String(parts[0])):\(parts[1]):\(target):\(parts[1])")
        }
        return lines
    }
}

extension Duration {
    /// Whole milliseconds, clamped to what fits.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1000)
        guard !isOver else { return seconds < 0 ? 0 : Int(Int32.max) }
        return Int(min(max(whole &+ attoseconds / 1_000_000_000_000_000, 0), Int64(Int32.max)))
    }
}
