/// One GET or POST request, or a GET for a file by FTP or SFTP: that is answered with a head as an HTTP server would have
/// sent it. The engine follows no redirect, keeps no cookie and adds no credentials: one request, one answer.
package struct HTTPRequest: Sendable {
    /// An absolute http, https, ftp or sftp URL without user information and fragment, as the WHATWG standard serialises it.
    package var url: String
    /// Sent in this order beside Host and Accept; a name given here replaces the engine's own.
    package var headers: [(name: String, value: String)] = []
    /// The value of the Cookie field, as it is.
    package var cookies: [UInt8]?
    /// Sent with POST; nil asks with GET.
    package var body: [UInt8]?
    /// Longest time for name lookup, TCP and TLS together.
    package var connectTimeout = Duration.seconds(15)
    /// Longest time without a byte once connected, also before the first.
    package var idleTimeout = Duration.seconds(60)
    /// Fewer bytes a second than that count as none.
    package var idleFloor: Int64 = 1
    /// Longest time from start to end.
    package var totalTimeout = Duration.seconds(6 * 3600)
    /// Where the answer may come from; checked for the address itself, on new and on reused connections.
    package var permitted = AddressClasses.public
    /// `host:port:address`, as curl's `--resolve`: the address to use instead of asking for the name.
    package var resolve: [String] = []
    /// A proxy's URL; nil goes direct. Through a proxy only an address written into the URL can be checked.
    package var proxy: String?
    /// Asks on a connection that nobody has used before.
    package var isFresh = false
    /// Bounds what comes in together with other requests.
    package var rateLimit: RateLimit?
    /// The path of a PEM file with authorities to trust beside the system's.
    package var authorities: String?
    package var clientCertificate: ClientCertificate?
    /// Who asks, by FTP and SFTP; over HTTP a header says that.
    package var login: FileLogin?
    /// The first byte that is wanted, by FTP and SFTP; over HTTP a header says that.
    package var firstByte: Int64 = 0
    /// The path of a file with the keys of SFTP servers that are trusted; none is without it.
    package var knownHosts: String?

    package init(url: String) { self.url = url }
}

/// What a client shows of itself to servers of FTP and SFTP.
package struct FileLogin: Sendable, Hashable {
    package var user: String
    package var password: String?
    /// The path of a private key, for SFTP.
    package var key: String?
    /// What that key is encrypted with.
    package var passphrase: String?

    package init(user: String, password: String? = nil, key: String? = nil, passphrase: String? = nil) {
        self.user = user
        self.password = password
        self.key = key
        self.passphrase = passphrase
    }
}

/// What a client shows of itself in TLS: paths of PEM files.
package struct ClientCertificate: Sendable, Hashable {
    package var certificate: String
    /// Nil when the key is in the certificate's file.
    package var key: String?
    package var passphrase: String?

    package init(certificate: String, key: String? = nil, passphrase: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.passphrase = passphrase
    }
}
