extension Schema {
    /// Hand-off: which bundle is owed to which target, and how far that is.
    static let version8 = """
        -- Names of the files beside a bundle that go where it goes, one a line.
        ALTER TABLE bundles ADD COLUMN companions TEXT NOT NULL DEFAULT '';
        CREATE TABLE handoffs(
            bundle INTEGER NOT NULL REFERENCES bundles(id),
            target TEXT NOT NULL,
            -- pending, delivered, failed
            status TEXT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            -- When the status came to be.
            changed REAL NOT NULL,
            -- What a target needs to go on with what was begun.
            progress TEXT,
            error_code TEXT,
            error_message TEXT,
            PRIMARY KEY(bundle, target)
        ) WITHOUT ROWID;
        """
}
