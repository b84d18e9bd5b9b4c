extension WebURL {
    /// For logs, reports and errors: without credentials, and with `***` for the values of query parameters whose
    /// names say that they are secrets (`token`, `X-Amz-Signature`, `password`, ...).
    package var displayed: String {
        let shown = withoutUserinfo
        guard let query = shown.query, query.utf8.contains(UInt8(ascii: "=")) else { return shown.href }
        let end = shown.layout.queryEnd(of: shown.href.utf8.count)
        return shown.text(0, Int(shown.layout.queryStart) + 1) + masked(query) + shown.text(end, shown.href.utf8.count)
    }

    /// What ``displayed`` makes of a URL that was serialised before; other text stays as it is.
    package static func displayed(_ href: String) -> String {
        // Only user information and a query hold what is not shown.
        guard href.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "?") }) else { return href }
        return WebURL(href)?.displayed ?? href
    }
}

private func masked(_ query: String) -> String {
    query.split(separator: "&", omittingEmptySubsequences: false).map { parameter in
        guard let equals = parameter.firstIndex(of: "="), isSecret(parameter[..<equals]) else {
            return String(parameter)
        }
        return parameter[...equals] + "***"
    }.joined(separator: "&")
}

private func isSecret(_ name: Substring) -> Bool {
    let decoded = String(decoding: percentDecoded(Array(name.utf8).span), as: UTF8.self)
    let words = decoded.lowercased().split { !($0.isLetter || $0.isNumber) }
    return words.contains { secretWords.contains(String($0)) } || secretWords.contains(words.joined())
}

private let secretWords: Set<String> = [
    "token", "accesstoken", "refreshtoken", "authtoken", "idtoken", "sig", "signature", "key", "apikey", "accesskey",
    "secret", "clientsecret", "password", "passwd", "pwd", "pass", "passphrase", "auth", "authorization", "credential",
    "credentials", "jwt", "session", "sessionid", "sid", "jsessionid", "phpsessid", "code", "otp", "hmac",
]
