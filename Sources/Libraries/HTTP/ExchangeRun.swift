import CCurl
import CShims
import Glibc

extension Exchange {
    /// Does it and gives the answer; a status of any kind is an answer. Blocks.
    /// - Parameters:
    ///   - isCancelled: asked about once a second, and more often while bytes flow.
    ///   - sent: hears how many bytes of the body went out so far.
    package func run(
        isCancelled: () -> Bool = { false }, sent: (Int64) -> Void = { _ in }
    ) throws(ExchangeError) -> ExchangeAnswer {
        guard nj_curl_global_init() == CURLE_OK, let handle = EasyHandle() else {
            throw ExchangeError(kind: .unavailable, message: "no memory left for a transfer")
        }
        let code: CURLcode
        let state: ExchangeState
        do {
            (code, state) = try withoutActuallyEscaping(isCancelled) { isCancelled in
                try withoutActuallyEscaping(sent) { sent in
                    let state = ExchangeState(self, isCancelled, sent)
                    try apply(to: handle)
                    try handle.set(state)
                    let code = curl_easy_perform(handle.raw)
                    state.forget()
                    return (code, state)
                }
            }
        } catch let error as ExchangeError { throw error } catch {
            throw ExchangeError(kind: .protocolViolation, message: "\(error)")
        }
        guard code == CURLE_OK else { throw failure(code, state, handle) }
        var answer = state.answer
        answer.status = handle.number(CURLINFO_RESPONSE_CODE)
        return answer
    }

    private var isSFTP: Bool { url.hasPrefix("sftp:") }

    private func apply(to handle: EasyHandle) throws {
        try handle.set(CURLOPT_URL, url)
        try handle.set(CURLOPT_PROTOCOLS_STR, isSFTP ? "sftp" : "http,https")
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_PATH_AS_IS, 1)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, max(connectTimeout.milliseconds, 1))
        try handle.set(CURLOPT_LOW_SPEED_LIMIT, 1)
        try handle.set(CURLOPT_LOW_SPEED_TIME, max(idleTimeout.milliseconds / 1000, 1))
        try handle.set(CURLOPT_PROXY, proxy ?? "")
        try handle.set(CURLOPT_UPLOAD_BUFFERSIZE, 512 * 1024)
        if let authorities { try handle.set(CURLOPT_CAINFO, authorities) }
        try applyLogin(to: handle)
        try handle.set(CURLOPT_QUOTE, before)
        try handle.set(CURLOPT_POSTQUOTE, after)
        if let body {
            try handle.set(CURLOPT_UPLOAD, 1)
            try handle.set(offset: CURLOPT_INFILESIZE_LARGE, body.count)
            if isSFTP {
                try handle.set(CURLOPT_FTP_CREATE_MISSING_DIRS, 1)
                if resumes { try handle.set(offset: CURLOPT_RESUME_FROM_LARGE, -1) }
            }
        } else if offset > 0 {
            try handle.set(offset: CURLOPT_RESUME_FROM_LARGE, offset)
        }
        if method == "HEAD" {
            try handle.set(CURLOPT_NOBODY, 1)
        } else if let method {
            try handle.set(CURLOPT_CUSTOMREQUEST, method)
        }
        if !isSFTP {
            try handle.set(
                CURLOPT_HTTPHEADER, headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" })
        }
    }

    private func applyLogin(to handle: EasyHandle) throws {
        switch login {
        case .none: break
        case .basic(let user, let password):
            try handle.set(CURLOPT_HTTPAUTH, 1)
            try handle.set(CURLOPT_USERNAME, user)
            try handle.set(CURLOPT_PASSWORD, password)
        case .bearer(let token):
            // CURLAUTH_BEARER.
            try handle.set(CURLOPT_HTTPAUTH, 1 << 6)
            try handle.set(CURLOPT_XOAUTH2_BEARER, token)
        case .s3(let key, let secret, let region):
            try handle.set(CURLOPT_AWS_SIGV4, "aws:amz:\(region):s3")
            try handle.set(CURLOPT_USERNAME, key)
            try handle.set(CURLOPT_PASSWORD, secret)
        case .ssh(let user, let password):
            try handle.set(CURLOPT_USERNAME, user)
            if let password { try handle.set(CURLOPT_PASSWORD, password) }
            // Password and keyboard-interactive, or the agent.
            try handle.set(CURLOPT_SSH_AUTH_TYPES, password == nil ? 16 : 2 | 8)
        case .sshKey(let user, let path, let passphrase):
            try handle.set(CURLOPT_USERNAME, user)
            try handle.set(CURLOPT_SSH_PRIVATE_KEYFILE, path)
            if let passphrase { try handle.set(CURLOPT_KEYPASSWD, passphrase) }
            try handle.set(CURLOPT_SSH_AUTH_TYPES, 1)
        }
        if isSFTP {
            guard let knownHosts else {
                throw ExchangeError(kind: .login, message: "no known-hosts file is named, so no server can be trusted")
            }
            try handle.set(CURLOPT_SSH_KNOWNHOSTS, knownHosts)
            try handle.check(nj_curl_on_host_key(handle.raw, judgeHostKey))
        }
    }

    private func failure(_ code: CURLcode, _ state: ExchangeState, _ handle: EasyHandle) -> ExchangeError {
        let words = handle.lastError.isEmpty ? String(cString: curl_easy_strerror(code)) : handle.lastError
        if let error = state.failure { return error }
        let kind: ExchangeError.Kind =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dns
            case CURLE_COULDNT_CONNECT, CURLE_SSH: .connect
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE: .tls
            case CURLE_LOGIN_DENIED: .login
            case CURLE_REMOTE_ACCESS_DENIED, CURLE_QUOTE_ERROR, CURLE_REMOTE_FILE_EXISTS: .refused
            case CURLE_REMOTE_FILE_NOT_FOUND: .missing
            case CURLE_REMOTE_DISK_FULL: .diskFull
            case CURLE_BAD_DOWNLOAD_RESUME: .tooShort
            case CURLE_OUT_OF_MEMORY: .unavailable
            case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_UPLOAD_FAILED: .reset
            default: .protocolViolation
            }
        return ExchangeError(kind: kind, message: words)
    }
}

extension Exchange.Body {
    var count: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, _, let count): count
        }
    }

    /// Copies what lies at a place of it; nil when that cannot be read.
    func read(at position: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let wanted = Int(min(Int64(buffer.count), count - position))
        guard wanted > 0 else { return 0 }
        switch self {
        case .bytes(let bytes):
            let start = Int(position)
            buffer.copyBytes(from: bytes[start..<start + wanted])
            return wanted
        case .file(let descriptor, let offset, _):
            while true {
                let count = pread(descriptor, buffer.baseAddress, wanted, off_t(offset + position))
                if count > 0 { return count }
                // A file that ends before its announced size must not become a shorter upload.
                if count == 0 || errno != EINTR { return nil }
            }
        }
    }
}
