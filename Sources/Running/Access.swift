import Fetching
import HTTP
import Manifests
import Model

/// What a job shows of itself to servers and proxies, with the secrets filled in.
struct Access: Sendable {
    let rules: FetchRules
    /// Where secrets and proxies come from.
    let environment: [String: String]

    /// The headers for the origins of the start URLs.
    func headers() throws -> [(name: String, value: String)] {
        var headers = try rules.headers.map { (name: $0.name, value: try text($0.value)) }
        if let basic = rules.auth.basic {
            let secret = try self.secret(basic.secret)
            headers.append(("Authorization", basicAuthorization(basic.user.map { "\($0):\(secret)" } ?? secret)))
        } else if let bearer = rules.auth.bearer {
            headers.append(("Authorization", "Bearer \(try secret(bearer))"))
        }
        return headers
    }

    /// Who asks at servers of FTP and SFTP.
    func fileLogin() throws -> FileLogin? {
        guard rules.auth.basic != nil || rules.sshKey != nil else { return nil }
        var login = FileLogin(user: "")
        if let basic = rules.auth.basic {
            let secret = try self.secret(basic.secret)
            let parts = secret.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            login.user = basic.user ?? parts.first ?? ""
            login.password = basic.user == nil ? parts.dropFirst().first ?? "" : secret
        }
        login.key = rules.sshKey
        login.passphrase = try rules.sshPassphrase.map(secret)
        return login
    }

    func proxies() throws -> ProxyRules {
        ProxyRules { environment[$0] }
            .replacing(proxy: try rules.proxy.map(text), exceptions: rules.noProxy)
    }

    func netrc() throws -> Netrc? {
        guard rules.auth.netrc else { return nil }
        let path = environment["NETRC"] ?? environment["HOME"].map { "\($0)/.netrc" }
        guard let path else {
            throw SecretError(message: "fetch.auth.netrc: neither NETRC nor HOME is set, so there is no netrc file")
        }
        let bytes = try Secrets.file(path, limit: 1 << 20)
        return Netrc(String(decoding: bytes, as: UTF8.self))
    }

    func clientCertificate() throws -> ClientCertificate? {
        let rules = rules.clientCertificate
        guard let certificate = rules.certificate else { return nil }
        return ClientCertificate(
            certificate: certificate, key: rules.key, passphrase: try rules.passphrase.map(secret))
    }

    private func text(_ value: HeaderValue) throws -> String {
        switch value {
        case .plain(let text): text
        case .secret(let secret): try self.secret(secret)
        }
    }

    private func secret(_ secret: Secret) throws -> String { try Secrets.value(of: secret, environment: environment) }
}
