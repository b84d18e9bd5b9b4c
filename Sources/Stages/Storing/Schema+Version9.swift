extension Schema {
    /// Which batch of names was announced, since the next one is while that is recorded.
    static let version9 = "ALTER TABLE announced_names ADD COLUMN batch INTEGER NOT NULL DEFAULT 0"
}
