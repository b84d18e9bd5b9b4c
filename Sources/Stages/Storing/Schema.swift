import Database

/// The catalog's tables. A new version is a new entry at the end; one that was released never changes.
enum Schema {
    static let versions = [
        version1, version2, version3, version4, version5, version6, version7, version8, version9,
    ]

    /// Brings a catalog to the newest version.
    /// - Throws: ``StoreError`` when the catalog was made by a later program.
    static func migrate(_ database: Connection) throws {
        try database.transaction {
            let version = try database.first("PRAGMA user_version") { $0.int(0) } ?? 0
            guard version <= versions.count else { throw StoreError.newerCatalog(version: version) }
            for (index, script) in versions.enumerated().dropFirst(version) {
                try database.script(script)
                try database.script("PRAGMA user_version = \(index + 1)")
            }
        }
    }

    private static let version1 = """
        CREATE TABLE jobs(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
        );
        CREATE TABLE urls(
            id INTEGER PRIMARY KEY,
            url TEXT NOT NULL UNIQUE
        );
        -- Content in objects/, durable before its row.
        CREATE TABLE objects(
            sha256 BLOB PRIMARY KEY,
            bytes INTEGER NOT NULL,
            stored REAL NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE runs(
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            job INTEGER NOT NULL REFERENCES jobs(id),
            manifest_sha256 TEXT NOT NULL,
            started REAL NOT NULL,
            finished REAL,
            status TEXT,
            exit_status INTEGER,
            counts TEXT
        );
        CREATE INDEX runs_of_job ON runs(job, number);
        -- Every URL that a run met: the frontier while it runs, the history afterwards.
        -- status: NULL waits; 'page' was read; 'fetched' and 'not-modified' wait for a name; else an item's status.
        CREATE TABLE visits(
            id INTEGER PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs(number),
            url INTEGER NOT NULL REFERENCES urls(id),
            purpose INTEGER NOT NULL,
            depth INTEGER NOT NULL,
            parent_order INTEGER NOT NULL,
            position INTEGER NOT NULL,
            page_order INTEGER,
            referrer INTEGER REFERENCES urls(id),
            download TEXT,
            text TEXT,
            status TEXT,
            reason TEXT,
            http_status INTEGER,
            final_url TEXT,
            content_type TEXT,
            disposition BLOB,
            sha256 BLOB,
            bytes INTEGER,
            etag TEXT,
            last_modified TEXT,
            redirects TEXT,
            attempts INTEGER,
            resumed_from INTEGER,
            received INTEGER,
            started REAL,
            seconds REAL,
            error_code TEXT,
            error_message TEXT,
            name TEXT
        );
        CREATE UNIQUE INDEX visits_of_run ON visits(run, url);
        CREATE INDEX levels_of_run ON visits(run, depth) WHERE purpose <> 1 AND status IS NULL;
        CREATE INDEX pages_of_run ON visits(run, page_order) WHERE page_order IS NOT NULL;
        -- What is known of a URL today, by job.
        CREATE TABLE resources(
            job INTEGER NOT NULL REFERENCES jobs(id),
            url INTEGER NOT NULL REFERENCES urls(id),
            etag TEXT,
            last_modified TEXT,
            sha256 BLOB NOT NULL,
            bytes INTEGER NOT NULL,
            final_url TEXT,
            content_type TEXT,
            disposition BLOB,
            name TEXT,
            extension TEXT,
            extension_source TEXT,
            duplicate_of TEXT,
            first_run INTEGER NOT NULL,
            last_run INTEGER NOT NULL,
            PRIMARY KEY(job, url)
        ) WITHOUT ROWID;
        -- Names below files/<job>; folded is what file systems without case would confuse it with.
        CREATE TABLE names(
            job INTEGER NOT NULL REFERENCES jobs(id),
            folded TEXT NOT NULL,
            name TEXT NOT NULL,
            url INTEGER NOT NULL REFERENCES urls(id),
            sha256 BLOB NOT NULL,
            bytes INTEGER NOT NULL,
            modified REAL NOT NULL,
            content_type TEXT,
            run INTEGER NOT NULL,
            PRIMARY KEY(job, folded)
        ) WITHOUT ROWID;
        CREATE INDEX names_in_order ON names(job, name);
        CREATE INDEX names_of_content ON names(sha256);
        CREATE TABLE bundles(
            id INTEGER PRIMARY KEY,
            job INTEGER NOT NULL REFERENCES jobs(id),
            pack TEXT NOT NULL,
            run INTEGER,
            path TEXT NOT NULL,
            format TEXT NOT NULL,
            entries INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            sha256 TEXT NOT NULL,
            created REAL NOT NULL,
            -- 0 while the archive has not got its name yet.
            published INTEGER NOT NULL
        );
        CREATE TABLE packed(
            job INTEGER NOT NULL,
            pack TEXT NOT NULL,
            name TEXT NOT NULL,
            sha256 BLOB NOT NULL,
            bundle INTEGER NOT NULL REFERENCES bundles(id),
            PRIMARY KEY(job, pack, name, sha256)
        ) WITHOUT ROWID;
        """

    /// When a job was first looked at for its schedule; NULL until then.
    private static let version2 = "ALTER TABLE jobs ADD COLUMN first_seen REAL"

    private static let version3 = """
        -- The encoding of the page that a link was on, where it is not UTF-8: for names that servers send in it.
        ALTER TABLE visits ADD COLUMN charset TEXT;
        CREATE INDEX names_of_url ON names(job, url);
        """

    /// Names that files are about to get: what a kill leaves of them is found and removed by the next run.
    private static let version4 = """
        CREATE TABLE announced_names(
            job INTEGER NOT NULL REFERENCES jobs(id),
            name TEXT NOT NULL,
            sha256 BLOB NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY(job, name)
        ) WITHOUT ROWID;
        """

    /// One content under many names costs no search among them all.
    private static let version5 = """
        DROP INDEX names_of_content;
        CREATE INDEX names_of_content ON names(sha256, job, run, name);
        CREATE INDEX duplicates_of_name ON resources(job, duplicate_of) WHERE duplicate_of IS NOT NULL;
        """

    /// What origins ask of robots: each robots.txt is kept for a day.
    private static let version6 = """
        CREATE TABLE robots(
            origin TEXT PRIMARY KEY,
            fetched REAL NOT NULL,
            status INTEGER NOT NULL,
            etag TEXT,
            last_modified TEXT,
            body BLOB NOT NULL
        ) WITHOUT ROWID;
        """
}
