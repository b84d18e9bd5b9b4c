import HTTP
import Model

extension Failure {
    init(_ error: HTTPError) { self.init(ErrorCode(error.kind), error.message) }

    /// An answer that is no success.
    init(status: Int, host: String, scheme: String, note: String = "") {
        switch (scheme, status) {
        case ("ftp", 401), ("sftp", 401):
            self.init(.login, "\(host) refused the login; see fetch.auth.basic, fetch.auth.netrc and fetch.ssh")
        case ("ftp", 403), ("sftp", 403): self.init(.httpStatus, "\(host) gives no access to that folder, or has none")
        case ("ftp", 404), ("sftp", 404): self.init(.httpStatus, "\(host) has no such file, or gives no access to it")
        default: self.init(status: status, host: host, note: note)
        }
    }

    init(status: Int, host: String, note: String = "") {
        let reason = reasons[status].map { " \($0)" } ?? ""
        self.init(.httpStatus, "\(host) answered \(status)\(reason)\(note)")
    }

    static let cancelled = Failure(.cancelled, "stopped before it was complete")
}

extension ErrorCode {
    init(_ kind: HTTPError.Kind) {
        self =
            switch kind {
            case .dns: .dns
            case .connect: .connect
            case .tls: .tls
            case .connectTimeout, .idleTimeout, .totalTimeout: .timeout
            case .reset: .reset
            case .truncated: .truncated
            case .protocolViolation, .invalidRequest: .protocolError
            case .tooLarge: .tooLarge
            case .addressRefused: .addressRefused
            case .diskFull: .diskFull
            case .io, .unavailable: .io
            case .cancelled: .cancelled
            }
    }
}

/// The names of statuses (RFC 9110, 15); a server's own words are not repeated, since anything may stand there.
private let reasons: [Int: String] = [
    204: "No Content", 205: "Reset Content", 206: "Partial Content", 300: "Multiple Choices",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
    308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
    408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
    414: "URI Too Long", 416: "Range Not Satisfiable", 418: "I'm a teapot", 421: "Misdirected Request",
    425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons", 500: "Internal Server Error",
    501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    505: "HTTP Version Not Supported", 507: "Insufficient Storage", 511: "Network Authentication Required",
]
