import CCurl
import CShims
import Glibc

extension Transfer {
    /// Says what libcurl's result means, in terms of what a person or a retry can do about it.
    func failure(_ code: CURLcode) -> HTTPError {
        let host = order.request.authority
        let words = handle.lastError.isEmpty ? String(cString: curl_easy_strerror(code)) : handle.lastError
        var error = HTTPError(kind(code, words), message(code, host: host, words: words))
        if let address = refusedAddress, code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK {
            error = HTTPError(
                .addressRefused, "\(host) is at \(address), \(address.addressClass.phrase), where this may not lead")
        }
        return signed(error)
    }

    /// The engine's own clock ran out, or the caller or a sink has ended the transfer.
    func failure(_ kind: HTTPError.Kind, _ message: String) -> HTTPError {
        signed(HTTPError(kind, message))
    }

    /// With what the transfer knows of itself.
    func signed(_ error: HTTPError) -> HTTPError {
        var error = error
        error.received = received
        error.wasReused = isConnected && handle.number(CURLINFO_NUM_CONNECTS) == 0
        return error
    }

    private func kind(_ code: CURLcode, _ words: String) -> HTTPError.Kind {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dns
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED: .connect
        case CURLE_OPERATION_TIMEDOUT: .connectTimeout
        // A server that hangs up in the handshake may be there again in a moment.
        case CURLE_SSL_CONNECT_ERROR where words.contains("SSL_ERROR_SYSCALL") || words.contains("reset by peer"):
            .reset
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            .tls
        // libcurl gives bad framing the same code as a broken connection.
        case CURLE_RECV_ERROR where words.contains("chunk"): .protocolViolation
        case CURLE_RECV_ERROR where words.contains("eader"): .protocolViolation
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM,
            CURLE_SSL_SHUTDOWN_FAILED, CURLE_AGAIN:
            .reset
        case CURLE_PARTIAL_FILE: .truncated
        case CURLE_FTP_ACCEPT_TIMEOUT: .idleTimeout
        // A server that says "not now", and what ends an SSH connection.
        case CURLE_FTP_COULDNT_RETR_FILE, CURLE_FTP_CANT_GET_HOST, CURLE_FTP_ACCEPT_FAILED, CURLE_SSH: .reset
        case CURLE_WEIRD_SERVER_REPLY where order.request.isFile && (400..<500).contains(reply): .reset
        case CURLE_FTP_WEIRD_PASS_REPLY, CURLE_FTP_WEIRD_PASV_REPLY, CURLE_FTP_WEIRD_227_FORMAT,
            CURLE_FTP_COULDNT_SET_TYPE, CURLE_FTP_BAD_FILE_LIST, CURLE_FTP_PRET_FAILED, CURLE_QUOTE_ERROR:
            .protocolViolation
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        // What libcurl says of a header line beyond its own bound.
        case CURLE_OUT_OF_MEMORY where head == nil && isConnected: .protocolViolation
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_UNSUPPORTED_PROTOCOL,
            CURLE_BAD_FUNCTION_ARGUMENT, CURLE_TOO_MANY_REDIRECTS:
            .protocolViolation
        case CURLE_URL_MALFORMAT: .invalidRequest
        default: .unavailable
        }
    }

    private func message(_ code: CURLcode, host: String, words: String) -> String {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: "no address was found for \(host); is the name right?"
        case CURLE_COULDNT_RESOLVE_PROXY: "no address was found for the proxy: \(words)"
        case CURLE_COULDNT_CONNECT where systemError == ECONNREFUSED: "\(host) refused the connection"
        case CURLE_COULDNT_CONNECT where systemError != 0:
            "no connection to \(host): \(String(cString: strerror(systemError)))"
        case CURLE_COULDNT_CONNECT: "no connection to \(host): \(words)"
        case CURLE_OPERATION_TIMEDOUT: "no connection to \(host) within \(order.request.connectTimeout)"
        case CURLE_GOT_NOTHING: "\(host) closed the connection without an answer"
        case CURLE_PARTIAL_FILE: "\(host) closed the connection after \(received) bytes, before the body's end"
        case CURLE_OUT_OF_MEMORY where head == nil && isConnected: "\(host) sent a header line that is too long"
        case CURLE_PEER_FAILED_VERIFICATION where order.request.scheme == "sftp":
            "the key of \(host) is not the one in \(order.request.knownHosts ?? "fetch.ssh.known-hosts"), or not there: \(words)"
        case CURLE_PEER_FAILED_VERIFICATION: "the certificate of \(host) cannot be trusted: \(words)"
        default: "\(host): \(words)"
        }
    }

    /// The last reply code of an FTP server.
    private var reply: Int { handle.number(CURLINFO_RESPONSE_CODE) }

    private var systemError: Int32 { Int32(truncatingIfNeeded: handle.number(CURLINFO_OS_ERRNO)) }
}
