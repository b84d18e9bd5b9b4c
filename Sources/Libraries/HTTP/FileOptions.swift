import CCurl
import CShims

extension HTTPRequest {
    var scheme: String { String(decoding: url.utf8.prefix { $0 != .colon }, as: UTF8.self) }

    /// Asked for by FTP or SFTP.
    var isFile: Bool { url.utf8.starts(with: "ftp:".utf8) || url.utf8.starts(with: "sftp:".utf8) }

    /// A folder's listing is asked for.
    var isFolder: Bool { isFile && url.utf8.last == UInt8(ascii: "/") }

    /// Sets what only FTP and SFTP know.
    func applyFile(to handle: EasyHandle) throws(HTTPError) {
        try handle.set(CURLOPT_FILETIME, 1)
        try handle.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, max(idleTimeout.milliseconds / 1000, 1))
        if proxy != nil { try handle.set(CURLOPT_HTTPPROXYTUNNEL, 1) }
        if firstByte > 0, !isFolder { try handle.set(CURLOPT_RESUME_FROM_LARGE, offset: firstByte) }
        if let login {
            try handle.set(CURLOPT_USERNAME, login.user)
            try handle.set(CURLOPT_PASSWORD, login.password ?? "")
        }
        if scheme == "sftp" { return try applySFTP(to: handle) }
        // What a server says its own address is may be anybody's.
        try handle.set(CURLOPT_FTP_SKIP_PASV_IP, 1)
    }

    private func applySFTP(to handle: EasyHandle) throws(HTTPError) {
        guard let knownHosts else {
            throw HTTPError(
                .tls, "\(authority): sftp needs fetch.ssh.known-hosts, the file with the server's key; see ssh-keyscan")
        }
        try handle.set(CURLOPT_SSH_KNOWNHOSTS, knownHosts)
        // Whom one file trusts another may not: no connection is shared.
        try handle.set(CURLOPT_FRESH_CONNECT, 1)
        try handle.set(CURLOPT_FORBID_REUSE, 1)
        var ways = 0
        if let key = login?.key {
            ways |= Int(CURLSSH_AUTH_PUBLICKEY)
            try handle.set(CURLOPT_SSH_PRIVATE_KEYFILE, key)
            if let passphrase = login?.passphrase { try handle.set(CURLOPT_KEYPASSWD, passphrase) }
        }
        if login?.password != nil { ways |= Int(CURLSSH_AUTH_PASSWORD) | Int(CURLSSH_AUTH_KEYBOARD) }
        guard ways != 0 else {
            throw HTTPError(.invalidRequest, "\(authority): sftp needs a password (netrc, auth.basic) or fetch.ssh.key")
        }
        try handle.set(CURLOPT_SSH_AUTH_TYPES, ways)
    }
}
