extension ManifestTable {
    /// Keys that are known and refused until their feature is built, so that none is silently ignored.
    static let later: [ManifestKey] = watching + sessions

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
}
