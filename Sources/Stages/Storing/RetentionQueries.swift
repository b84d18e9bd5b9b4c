import Database
import Model

extension Catalog {
    func countNames(of job: String) throws -> Int {
        try database.first("SELECT count(*) FROM names WHERE job = ?", [.integer(try self.job(job))]) { $0.int(0) } ?? 0
    }

    /// Names that `keep.versions` and `keep.gone` do not keep, and those whose content was lost.
    func filesToRemove(of job: String, _ keep: KeepRules, at seconds: Double) throws -> [OldFile] {
        let id = try self.job(job)
        var files: [String: OldFile] = [:]
        if let versions = keep.versions {
            let old = try database.rows(
                """
                SELECT name, sha256, bytes, url FROM (
                    SELECT names.name, names.sha256, names.bytes, names.url, dense_rank() OVER (
                        PARTITION BY names.url ORDER BY names.run DESC, names.sha256) AS place
                    FROM names LEFT JOIN resources AS known ON known.job = names.job AND known.url = names.url
                    WHERE names.job = ?1 AND known.sha256 IS NOT NULL AND known.sha256 <> names.sha256)
                WHERE place > ?2
                """, [.integer(id), .integer(versions)]
            ) { row in
                OldFile(
                    name: row.text(0), content: StoredContent(sha256: row.blob(1), bytes: row.integer(2)),
                    url: row.integer(3), isGone: false)
            }
            for file in old { files[file.name] = file }
        }
        if let age = keep.gone {
            for file in try goneFiles(of: id, since: seconds - age / .seconds(1)) { files[file.name] = file }
        }
        for file in try lostFiles(of: id) where files[file.name] == nil { files[file.name] = file }
        return files.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private func lostFiles(of job: Int64) throws -> [OldFile] {
        try database.rows(
            """
            SELECT name, sha256, bytes, url FROM names WHERE job = ? AND NOT EXISTS (
                SELECT 1 FROM objects WHERE objects.sha256 = names.sha256)
            """, [.integer(job)]
        ) { row in
            OldFile(
                name: row.text(0), content: StoredContent(sha256: row.blob(1), bytes: row.integer(2)),
                url: row.integer(3), isGone: false, isLost: true)
        }
    }

    /// Files of URLs that answered as gone for the first time since they were last seen before that time, and still do.
    private func goneFiles(of job: Int64, since seconds: Double) throws -> [OldFile] {
        try database.rows(
            """
            SELECT names.name, names.sha256, names.bytes, names.url
            FROM resources AS known JOIN names ON names.job = known.job AND names.url = known.url
            WHERE known.job = ?1 AND (
                SELECT v.status FROM visits AS v JOIN runs ON runs.number = v.run
                WHERE v.url = known.url AND runs.job = ?1 AND v.status <> 'skipped' ORDER BY v.run DESC LIMIT 1
            ) = 'gone' AND (
                SELECT min(runs.started) FROM visits AS v JOIN runs ON runs.number = v.run
                WHERE v.url = known.url AND runs.job = ?1 AND v.run > known.last_run AND v.status = 'gone'
            ) <= ?2
            """, [.integer(job), .real(seconds)]
        ) { row in
            OldFile(
                name: row.text(0), content: StoredContent(sha256: row.blob(1), bytes: row.integer(2)),
                url: row.integer(3), isGone: true)
        }
    }

    /// The files lose their names; announced, so that whoever comes next removes what a kill leaves of them.
    func forget(_ files: [OldFile], of job: String) throws {
        let id = try self.job(job)
        try durably {
            for file in files {
                try database.run(
                    "INSERT OR REPLACE INTO announced_names(job, name, sha256, bytes) VALUES(?, ?, ?, ?)",
                    [.integer(id), .text(file.name), .blob(file.content.sha256), .integer(file.content.bytes)])
                try database.run(
                    "DELETE FROM names WHERE job = ? AND name = ? AND sha256 = ?",
                    [.integer(id), .text(file.name), .blob(file.content.sha256)])
                // Another name of the same content gets its own in the next run.
                try database.run(
                    "UPDATE resources SET duplicate_of = NULL WHERE job = ? AND duplicate_of = ? AND name IS NULL",
                    [.integer(id), .text(file.name)])
                if file.isLost {
                    // Should its URL give it again, it gets a name as what is new does.
                    try database.run(
                        "UPDATE resources SET name = NULL WHERE job = ? AND name = ? AND sha256 = ?",
                        [.integer(id), .text(file.name), .blob(file.content.sha256)])
                }
                if file.isGone {
                    try database.run(
                        "DELETE FROM resources WHERE job = ? AND url = ?", [.integer(id), .integer(file.url)])
                }
            }
        }
    }

    /// Written bundles of each pack that were handed off, but for those of the newest runs that wrote any.
    func bundlesToRemove(of job: String, keeping count: Int) throws -> [KnownBundle] {
        try database.rows(
            """
            SELECT path, bytes, sha256, handed_off, companions FROM (
                SELECT *, dense_rank() OVER (PARTITION BY pack ORDER BY coalesce(run, -id) DESC) AS place
                FROM bundles WHERE job = ?1 AND published = 1 AND removed IS NULL AND handed_off IS NOT NULL)
            WHERE place > ?2 ORDER BY path
            """, [.integer(try self.job(job)), .integer(count)]
        ) { row in
            KnownBundle(
                path: row.text(0), bytes: row.integer(1), sha256: row.text(2), isHandedOff: !row.isNull(3),
                companions: row.text(4).split(separator: "\n").map(String.init))
        }
    }

    func runsThatEnded(before seconds: Double, of job: String, but newest: String) throws -> [String] {
        try database.rows(
            "SELECT id FROM runs WHERE job = ? AND finished < ? AND id <> ? ORDER BY number",
            [.integer(try self.job(job)), .real(seconds), .text(newest)]
        ) { $0.text(0) }
    }

    /// Verdicts of old runs go with their reports; what brought content stays, for it is the URL's history.
    func forgetVerdicts(of runs: [String]) throws {
        for run in runs {
            try database.run(
                """
                DELETE FROM visits WHERE run = (SELECT number FROM runs WHERE id = ?)
                    AND (sha256 IS NULL OR status IN ('unchanged', 'not-modified'))
                """, [.text(run)])
        }
    }

    // MARK: - Objects

    /// Fills the table of contents that something needs.
    func markNeeded(keepingVersions versions: [String: Int], after removals: [Removal]) throws {
        try database.script(Self.neededTables)
        for (job, count) in versions {
            try database.run(
                "INSERT INTO versions(job, kept) VALUES(?, ?)", [.integer(try self.job(job)), .integer(count)])
        }
        for removal in removals { try markGoing(removal) }
        try database.script(Self.needs)
    }

    private func markGoing(_ removal: Removal) throws {
        switch removal.subject {
        case .itself:
            guard removal.kind == .bundle else { return }
            try database.run("INSERT INTO going_bundles(path) VALUES(?)", [.text(removal.path)])
        case .name(let job, let name):
            try database.run(
                "INSERT OR IGNORE INTO going(job, name) VALUES(?, ?)", [.integer(try self.job(job)), .text(name)])
        case .nameAndURL(let job, let name, let url):
            let job = try self.job(job)
            try database.run("INSERT OR IGNORE INTO going(job, name) VALUES(?, ?)", [.integer(job), .text(name)])
            try database.run("INSERT OR IGNORE INTO going_urls(job, url) VALUES(?, ?)", [.integer(job), .integer(url)])
        }
    }

    private static let neededTables = """
        CREATE TEMP TABLE IF NOT EXISTS needed(sha256 BLOB PRIMARY KEY) WITHOUT ROWID;
        CREATE TEMP TABLE IF NOT EXISTS versions(job INTEGER PRIMARY KEY, kept INTEGER NOT NULL);
        CREATE TEMP TABLE IF NOT EXISTS going(job, name, PRIMARY KEY(job, name)) WITHOUT ROWID;
        CREATE TEMP TABLE IF NOT EXISTS going_urls(job, url, PRIMARY KEY(job, url)) WITHOUT ROWID;
        CREATE TEMP TABLE IF NOT EXISTS going_bundles(path TEXT PRIMARY KEY) WITHOUT ROWID;
        DELETE FROM needed;
        DELETE FROM versions;
        DELETE FROM going;
        DELETE FROM going_urls;
        DELETE FROM going_bundles;
        """

    /// Content whose name newer content took over is known by the history alone.
    private static let needs = """
        INSERT OR IGNORE INTO needed SELECT sha256 FROM names WHERE (job, name) NOT IN (SELECT job, name FROM going);
        INSERT OR IGNORE INTO needed
            SELECT sha256 FROM resources WHERE (job, url) NOT IN (SELECT job, url FROM going_urls);
        INSERT OR IGNORE INTO needed SELECT sha256 FROM announced_names;
        INSERT OR IGNORE INTO needed
            SELECT packed.sha256 FROM packed JOIN bundles ON bundles.id = packed.bundle
            WHERE removed IS NULL AND path NOT IN (SELECT path FROM going_bundles);
        INSERT OR IGNORE INTO needed
            SELECT history.sha256 FROM (
                SELECT job, url, sha256, dense_rank() OVER (PARTITION BY job, url ORDER BY newest DESC) - 1 AS age
                FROM (
                    SELECT runs.job, visits.url, visits.sha256, max(visits.run) AS newest
                    FROM visits JOIN runs ON runs.number = visits.run WHERE visits.sha256 IS NOT NULL
                    GROUP BY runs.job, visits.url, visits.sha256)) AS history
            JOIN resources AS known ON known.job = history.job AND known.url = history.url
            LEFT JOIN versions ON versions.job = history.job
            WHERE age > 0 AND (versions.kept IS NULL OR age <= versions.kept)
                AND (history.job, history.url) NOT IN (SELECT job, url FROM going_urls);
        """

    /// Objects that are not needed, by what ``markNeeded(keepingVersions:)`` found.
    func unneeded(beginningWith byte: UInt8) throws -> [[UInt8]] {
        let all = try objects(beginningWith: byte)
        return try all.map(\.sha256).filter { sha256 in
            try database.first("SELECT 1 FROM needed WHERE sha256 = ?", [.blob(sha256)], { _ in true }) == nil
        }
    }

    func forgetObjects(_ contents: [[UInt8]]) throws {
        guard !contents.isEmpty else { return }
        try durably {
            for sha256 in contents { try database.run("DELETE FROM objects WHERE sha256 = ?", [.blob(sha256)]) }
        }
    }
}
