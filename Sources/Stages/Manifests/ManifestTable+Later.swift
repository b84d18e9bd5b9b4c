extension ManifestTable {
    /// Keys that are known and refused until their feature is built, so that none is silently ignored.
    static let later: [ManifestKey] = watching + sessions + fetchingLater + packingLater + handingOff

    private static let watching: [ManifestKey] = []

    private static let sessions: [ManifestKey] = [
        .later("cookies.pool", "name", default: "none", "A jar shared by all jobs that name it"),
        .later("cookies.isolated", "true or false", default: "true", "A jar of the job's own, kept"),
        .later("cookies.ephemeral", "true or false", default: "false", "A jar in memory, gone at the end"),
        .later("cookies.import", "path", default: "none", "A browser's cookies.txt"),
        .later("cookies.keep-session", "true or false", default: "false", "Whether session cookies are kept"),
        .later("cookies.login", "mapping", default: "none", "A request that logs in before the crawl"),
        .later("cookies.expired", "mapping", default: "none", "How the end of a session is noticed"),
    ]

    private static let fetchingLater: [ManifestKey] = [
        .later("fetch.checksums", "auto, URL or template", default: "none", "Where published checksums are"),
        .later("fetch.segments", "whole number", default: "1", "Ranges of one large file fetched at once"),
        .later("fetch.max-decoded", "size", default: "set by the program", "Most bytes of a decoded body"),
    ]

    private static let packingLater: [ManifestKey] = [
        .later("pack[].include", "list of globs", default: "all", "Names that go in"),
        .later("pack[].exclude", "list of globs", default: "none", "Names that stay out"),
        .later("pack[].bagit", "true or false", default: "false", "Whether the bundle is a bag (RFC 8493)"),
        .later("pack[].bag-info", "mapping", default: "none", "Fields of bag-info.txt"),
        .later("pack[].split", "size", default: "none", "Largest volume"),
        .later("pack[].passphrase", "secret", default: "none", "Encrypts a zip with AES-256"),
        .later("pack[].recipients", "list of keys", default: "none", "Encrypts with OpenPGP"),
        .later("pack[].sign", "mapping", default: "none", "Signs with gpg or minisign"),
    ]

    private static let handingOff: [ManifestKey] = [
        .later("handoff[].to", "URL", default: "", "Where bundles go: file, sftp, https or S3"),
        .later("handoff[].credentials", "mapping", default: "none", "What the target asks for, from env or file"),
        .later("handoff[].known-hosts", "path", default: "none", "Host keys for sftp"),
    ]
}
