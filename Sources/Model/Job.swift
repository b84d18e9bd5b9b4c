package import Templates
package import URLs

/// What one manifest describes, typed and with every default filled in.
package struct Job: Sendable {
    /// `[a-z0-9-]+`, unique in the jobs folder.
    package var name: String
    package var description: String?
    /// IANA name of the zone of the schedule, and that date-stamps are written in.
    package var timezone = "UTC"
    /// A cron expression that was found right; nil for a job that runs only by name or by plain `run`.
    package var schedule: String?
    /// Whether a time that was missed is made up for once.
    package var catchUp = true
    /// Names of jobs that must have succeeded before.
    package var needs: [String] = []
    /// Of several jobs that could start, the one with the greatest does.
    package var priority = 0
    /// After that long a run is ended in order.
    package var maxRuntime: Duration?
    package var overlap = Overlap.skip
    package var notify: [NotifyRules] = []
    /// The path of a file for node_exporter's textfile collector.
    package var metrics: String?
    package var start: [Template] = []
    package var crawl = CrawlRules()
    package var download = DownloadRules()
    package var fetch = FetchRules()
    package var cookies = CookieRules()
    package var naming = NamingRules()
    package var dedupe = Dedupe.link
    package var packs: [PackRules] = []
    package var expect = ExpectRules()
    package var keep = KeepRules()
    package var log = LogRules()
    package var handoffs: [HandoffRules] = []
    /// Every secret that the manifest names, with its place, so that a missing one can be pointed at.
    package var secrets: [SecretUse] = []
    /// The manifest's path as given, for messages.
    package var manifest: String
    /// SHA-256 of the manifest's bytes, in lower-case hexadecimal.
    package var manifestSHA256: String

    package init(name: String, manifest: String, manifestSHA256: String) {
        self.name = name
        self.manifest = manifest
        self.manifestSHA256 = manifestSHA256
    }
}

/// What happens when the job's last run still goes on.
package enum Overlap: Sendable, Hashable {
    case skip
    /// Waits for its end, but no longer.
    case wait(atMost: Duration)
}

/// How a run tells of itself.
package struct LogRules: Sendable, Hashable {
    /// Between two lines on how far the run is.
    package var interval = Duration.seconds(30)
    /// Query parameters whose values are shown nowhere, beside those whose names tell that they are secrets.
    package var mask: [String] = []

    package init() {}
}

/// How far a URL may lie from the start URLs.
package enum Scope: String, Sendable, CaseIterable {
    /// Below the folder of a start URL.
    case prefix
    /// On the host of a start URL.
    case host
    /// On the registrable domain of a start URL (public suffix list).
    case domain
    case any
}

/// Two lists of patterns; a URL passes when an include matches, or none is given, and no exclude matches.
package struct Filter: Sendable {
    package var include: [URLPattern] = []
    package var exclude: [URLPattern] = []

    package init() {}
}

package struct CrawlRules: Sendable {
    /// Pages away from a start URL; 0 reads the start pages alone.
    package var depth = 3
    /// Most pages read in one run.
    package var pages = 500
    package var scope = Scope.prefix
    package var follow = Filter()
    package var obeysRobots = true
    /// Whether the sitemaps that robots.txt names are read.
    package var sitemaps = true
    /// Pages of one kind that may lead only to more of their kind and to no item; 0 is no bound.
    package var trap = 50
    /// A CSS selector of the links that are taken; nil takes all.
    package var select: String?
    /// Names of further attributes that hold links, in lower case.
    package var attributes: [String] = []
    /// Names of query parameters that do not tell URLs apart; `*` stands for any run of characters.
    package var ignoredQuery: [String] = []

    package init() {}
}

package struct DownloadRules: Sendable {
    /// Lower-case parts of MIME types; a response whose type contains one is an item.
    package var types: [String] = []
    /// Lower-case extensions without the dot; a URL that ends in one is an item.
    package var extensions: [String] = []
    /// Prefixes such as `f:` that mark a link as a download.
    package var schemes: [String] = []
    package var filter = Filter()
    /// Most bytes of one item's body; nil is no bound.
    package var maxSize: Int64?
    /// Lower-case parts of MIME types that fail an item; nil takes the default of the README.
    package var rejectTypes: [String]?
    package var scope = Scope.any
    /// Nil leaves content untested.
    package var test: DownloadTest?

    package init() {}
}

/// How content is tested before it may have a name.
package enum DownloadTest: String, Sendable, CaseIterable {
    /// Archives, office files, PDF and pictures are opened: a cut or damaged one is a failed item.
    case container
}

/// A value that the manifest names but does not hold.
package enum Secret: Sendable, Hashable {
    /// The name of an environment variable.
    case environment(String)
    /// A path; a relative one was taken from the manifest's folder.
    case file(String)
}

/// A place in the manifest that names a secret.
package struct SecretUse: Sendable, Hashable {
    package var secret: Secret
    /// The manifest's key, such as `fetch.headers.X-Token`.
    package var key: String
    /// From 1.
    package var line: Int
    /// From 1, in Unicode scalars.
    package var column: Int

    package init(secret: Secret, key: String, line: Int, column: Int) {
        self.secret = secret
        self.key = key
        self.line = line
        self.column = column
    }
}

package enum HeaderValue: Sendable, Hashable {
    case plain(String)
    case secret(Secret)
}

package struct FetchRules: Sendable {
    /// Most requests in flight for the job.
    package var concurrency = 16
    /// Most requests in flight for one host (scheme, name and port).
    package var perHost = 4
    /// Tries after the first attempt.
    package var retries = 5
    package var connectTimeout = Duration.seconds(15)
    /// Longest time without a byte.
    package var idleTimeout = Duration.seconds(60)
    /// Longest time of one attempt.
    package var totalTimeout = Duration.seconds(6 * 3600)
    package var userAgent: String?
    package var headers: [(name: String, value: HeaderValue)] = []
    package var allowHTTP = true
    package var allowPrivate = false
    /// `host:port:address` as curl's `--resolve` takes it.
    package var resolve: [String] = []
    /// Time between the starts of two requests to one host.
    package var delay = Duration.zero
    /// Most bytes received in a second by the whole run.
    package var rate: Int64?
    /// Fewer bytes a second than that count as none.
    package var idleFloor: Int64 = 1
    /// Longest time that a server may ask to wait.
    package var retryAfterMax = Duration.seconds(6 * 3600)
    /// Content that was fetched or confirmed since then is not asked for again.
    package var maxAge = Duration.zero
    /// Bytes of disk space that a run leaves free.
    package var keepFree: Int64?
    /// The path of a PEM file with authorities to trust beside the system's.
    package var authorities: String?
    package var clientCertificate = ClientCertificateRules()
    package var auth = AuthRules()
    package var proxy: HeaderValue?
    package var noProxy: [String]?
    package var sendsReferer = false
    /// The path of a file with the keys of SFTP servers that are trusted.
    package var knownHosts: String?
    /// The path of a private key for SFTP servers.
    package var sshKey: String?
    package var sshPassphrase: Secret?
    /// Ranges that one large file may be fetched in at once.
    package var segments = 1
    package var checksums = ChecksumRules.none
    /// Most bytes that a coded body may decode to.
    package var maxDecoded: Int64 = 1 << 30

    package init() {}
}

/// Where published checksums of downloads are looked for.
package enum ChecksumRules: Sendable, Hashable {
    case none
    /// Beside each file, under the names that are usual.
    case auto
    /// URLs, relative ones from each file's own; `{url}` stands for the file's.
    case at([String])
}

/// What is shown to servers that ask who is there; paths of PEM files.
package struct ClientCertificateRules: Sendable, Hashable {
    package var certificate: String?
    /// Nil when the key is in the certificate's file.
    package var key: String?
    package var passphrase: Secret?

    package init() {}
}

/// How a job shows who it is; for the origins of its start URLs only.
package struct AuthRules: Sendable, Hashable {
    /// Looks up the host in the user's netrc file, which may name other hosts too.
    package var netrc = false
    package var basic: BasicAuthRules?
    package var bearer: Secret?

    package init() {}
}

package struct BasicAuthRules: Sendable, Hashable {
    /// Nil when the secret holds `name:password`.
    package var user: String?
    package var secret: Secret

    package init(user: String?, secret: Secret) {
        self.user = user
        self.secret = secret
    }
}

package enum Dedupe: String, Sendable, CaseIterable {
    /// Every name, one copy.
    case link
    /// The first name only.
    case skip
    /// A copy for each name.
    case off
}

package struct NamingRules: Sendable {
    package var template: Template
    /// The user's own table: a part of a MIME type, lower-case, and the extension it gives.
    package var types: [(match: String, extension: String)] = []
    package var onChange = OnChange.version

    package init(template: Template = .defaultName) { self.template = template }
}

/// What changed content of a URL does to the name that it had.
package enum OnChange: String, Sendable, CaseIterable {
    /// The old name stays with the old content; the new content gets a name of its own.
    case version
    /// The new content takes over the name; the old object stays in the store.
    case replace
}

package enum BundleFormat: String, Sendable, CaseIterable, Codable {
    case tar
    case tarGzip = "tar.gz"
    case tarZstd = "tar.zst"
    case tarXz = "tar.xz"
    case zip
    case sevenZip = "7z"
}

package enum BundleContents: String, Sendable, CaseIterable {
    /// What is in no earlier bundle of this pack.
    case new
    /// Everything the job holds.
    case all
    /// What the newest run brought.
    case run
}

package struct PackRules: Sendable {
    /// Names the pack in the ledger, so that the order of packs may change; `<position>-<format>` by default.
    package var id: String
    package var format: BundleFormat
    package var contents = BundleContents.new
    package var name: Template
    /// Compression level as the format's own tool counts it; nil takes that tool's default.
    package var level: Int?
    package var threads = 1
    /// Globs on names: what goes in if there are any.
    package var include: [String] = []
    /// Globs on names: what stays out.
    package var exclude: [String] = []
    /// Nil for a bundle that is no bag.
    package var bag: BagRules?
    /// Most bytes of a volume; nil writes one bundle whatever its size.
    package var split: Int64?
    /// Encrypts a zip with AES-256.
    package var passphrase: Secret?
    /// Whom the bundle is encrypted for with OpenPGP: key ids, addresses, or paths of key files.
    package var recipients: [String] = []
    package var sign: SignRules?

    package init(id: String, format: BundleFormat, name: Template = .defaultBundle) {
        self.id = id
        self.format = format
        self.name = name
    }
}

/// A bundle as a bag (RFC 8493).
package struct BagRules: Sendable {
    /// Fields of `bag-info.txt` in their order.
    package var info: [(label: String, value: String)] = []

    package init() {}
}

/// A detached signature beside each bundle.
package struct SignRules: Sendable, Hashable {
    package enum Key: Sendable, Hashable {
        /// A key of the user's keyring, by id, fingerprint or address.
        case gpg(String)
        /// The path of a secret key.
        case minisign(String)
    }
    package var key: Key
    /// Unlocks the key.
    package var passphrase: Secret?

    package init(key: Key, passphrase: Secret? = nil) {
        self.key = key
        self.passphrase = passphrase
    }
}

/// Where bundles go.
package struct HandoffRules: Sendable {
    package enum Kind: Sendable, Hashable { case folder, http, sftp, s3 }

    /// Without user information: how the ledger and reports name the target.
    package var to: String
    package var kind: Kind
    package var credentials = HandoffCredentials()
    /// The path of an OpenSSH `known_hosts`; sftp only.
    package var knownHosts: String?
    /// The server of an S3-compatible store; nil is Amazon's.
    package var endpoint: String?
    /// S3 only.
    package var region = "us-east-1"
    /// The path of a PEM file with authorities to trust beside the system's.
    package var authorities: String?

    package init(to: String, kind: Kind) {
        self.to = to
        self.kind = kind
    }
}

/// What a target asks for; each value is text or a secret.
package struct HandoffCredentials: Sendable, Hashable {
    /// A user's name, or the id of an S3 key.
    package var user: HeaderValue?
    /// A password, or the secret of an S3 key.
    package var password: Secret?
    package var bearer: Secret?
    /// The path of a private key; sftp only.
    package var key: String?
    /// Unlocks the private key.
    package var passphrase: Secret?
    /// S3 only.
    package var sessionToken: Secret?

    package init() {}
}
