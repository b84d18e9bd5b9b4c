extension ManifestTable {
    /// Keys that are known and refused until their feature is built, so that none is silently ignored.
    static let later: [ManifestKey] = []
}
