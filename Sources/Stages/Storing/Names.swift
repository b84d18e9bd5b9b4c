import Database
package import Model

/// A name that is wanted for a visit's content.
package struct NameWish: Sendable {
    package let visit: Int64
    /// The number of its URL.
    package let url: Int64
    package let content: StoredContent
    /// The job had nothing of the URL before, so no name either.
    package let isFirst: Bool
    /// The wanted name and those to take instead when it is taken: 1 is as wanted, 2 has `-2` before the extension.
    package let alternative: @Sendable (Int) -> (name: String, folded: String)
    /// The number to try first; higher once a name was found taken on disk.
    package var first = 1
    /// Underscores behind the first folder, once something that is no folder was found in its place on disk.
    package var marks = 0

    package init(
        for visit: Visit, content: StoredContent, isFirst: Bool = false,
        alternative: @escaping @Sendable (Int) -> (name: String, folded: String)
    ) {
        self.visit = visit.id
        url = visit.urlID
        self.content = content
        self.isFirst = isFirst
        self.alternative = alternative
    }
}

/// The name that a visit's content is to have.
package struct ChosenName: Sendable {
    package let visit: Int64
    /// The number of its URL.
    let url: Int64
    package let content: StoredContent
    package let name: String
    package let folded: String
    /// Which alternative it is.
    package let number: Int
    /// Another name for the same content, `<job>/<name>` when it is another job's.
    package var duplicateOf: String?
    /// The content that loses this name to the new one.
    package let replaces: StoredContent?
}

extension ChosenName {
    /// A name that the catalog has and the disk has lost.
    package init(restoring name: String, of content: StoredContent) {
        self.init(
            visit: 0, url: 0, content: content, name: name, folded: "", number: 0, duplicateOf: nil, replaces: nil)
    }
}

/// A name to be recorded, once the file has it.
package struct GivenName: Sendable {
    package var chosen: ChosenName
    /// False when `dedupe: skip` leaves a duplicate without a name of its own.
    package let isNamed: Bool
    package let `extension`: String
    package let extensionSource: ExtensionSource
    /// Seconds since 1970.
    package let modified: Double
    package let contentType: String?

    package init(
        chosen: ChosenName, isNamed: Bool, extension: String, extensionSource: ExtensionSource, modified: Double,
        contentType: String?
    ) {
        self.chosen = chosen
        self.isNamed = isNamed
        self.extension = `extension`
        self.extensionSource = extensionSource
        self.modified = modified
        self.contentType = contentType
    }
}

extension Catalog {
    /// Chooses free names, in the order given. Nothing is recorded: the job's lock keeps others from choosing too.
    /// - Parameters:
    ///   - run: in it, a URL whose content changed gets the name again that it had, if it is one of those wished; nil
    ///     lets it keep that and have a new one.
    ///   - earlier: names that were chosen and are not recorded yet.
    package func choose(
        _ wishes: [NameWish], for job: String, replacingIn run: RunNumber? = nil, besides earlier: [ChosenName] = []
    ) throws -> [ChosenName] {
        var choice = NameChoice(job: try self.job(job), run: run)
        for name in earlier { choice.take(name) }
        return try database.snapshot { try wishes.map { try choose($0, &choice) } }
    }

    /// Lets the next choice try names that an earlier one took and nothing has come to have.
    package func forgetHints() { nameHints = RecentNumbers() }

    /// The first name that content was given, of this job if it has one.
    /// - Parameter run: names that its new content is about to get do not count.
    func name(of sha256: [UInt8], _ job: Int64, replacingIn run: RunNumber?) throws -> String? {
        var (values, isKept): ([Value], String) = ([.blob(sha256), .integer(job)], "TRUE")
        if let run {
            values.append(.integer(run.value))
            isKept = """
                NOT (names.job = ?2 AND EXISTS (
                    SELECT 1 FROM visits WHERE visits.run = ?3 AND visits.url = names.url
                        AND visits.status = 'fetched' AND visits.sha256 <> names.sha256))
                """
        }
        let first = try database.first(
            """
            SELECT names.job = ?2, names.name, jobs.name || '/' || names.name FROM names
            CROSS JOIN jobs ON jobs.id = names.job
            WHERE names.sha256 = ?1 AND \(isKept) ORDER BY names.job, names.run, names.name LIMIT 1
            """, values, { (isOwn: $0.int(0) == 1, name: $0.text(1), path: $0.text(2)) })
        guard let first, !first.isOwn else { return first?.name }
        let own = try database.first(
            "SELECT name FROM names WHERE sha256 = ?1 AND job = ?2 AND \(isKept) ORDER BY run, name LIMIT 1", values,
            { $0.text(0) })
        return own ?? first.path
    }

    /// Says which names files are about to get, so that what a kill leaves of them can be found.
    /// - Parameter batch: what ``record(_:of:batch:)`` knows them by.
    package func announce(_ names: [ChosenName], for job: String, batch: Int = 0) throws {
        let job = try self.job(job)
        try durably {
            for name in names {
                try database.run(
                    "INSERT OR REPLACE INTO announced_names(job, name, sha256, bytes, batch) VALUES(?, ?, ?, ?, ?)",
                    [
                        .integer(job), .text(name.name), .blob(name.content.sha256), .integer(name.content.bytes),
                        .integer(batch),
                    ])
            }
        }
    }

    /// Announced names of a job that did not come to be recorded, and whether other content had the name before.
    func leftNames(of job: String) throws -> [(name: String, content: StoredContent, isReplacing: Bool)] {
        try database.rows(
            """
            SELECT announced.name, announced.sha256, announced.bytes, names.name IS NOT NULL
            FROM announced_names AS announced
            LEFT JOIN names ON names.job = announced.job AND names.name = announced.name
            WHERE announced.job = ? AND names.sha256 IS NOT announced.sha256
            """, [.integer(try self.job(job))]
        ) { row in (row.text(0), StoredContent(sha256: row.blob(1), bytes: row.integer(2)), row.int(3) == 1) }
    }

    func forgetAnnouncedNames(of job: String) throws {
        try database.run("DELETE FROM announced_names WHERE job = ?", [.integer(try self.job(job))])
    }

    /// Records names that the files have, and the last word on visits; what was announced as that batch is settled.
    package func record(
        _ names: [GivenName], of run: RunNumber, batch: Int = 0,
        concluding statuses: [(visit: Int64, status: ItemStatus, name: String?)] = []
    ) throws {
        let job = try job(of: run)
        try database.transaction {
            for name in names { try record(name, job, run) }
            for (visit, status, name) in statuses {
                try database.run(
                    "UPDATE visits SET status = ?, name = ? WHERE id = ?",
                    [.text(status.rawValue), .optional(name), .integer(visit)])
            }
            try database.run("DELETE FROM announced_names WHERE job = ? AND batch = ?", [job, .integer(batch)])
        }
    }

    /// Null for a run that the catalog does not know.
    func job(of run: RunNumber) throws -> Value {
        .optional(try database.first("SELECT job FROM runs WHERE number = ?", [.integer(run.value)]) { $0.integer(0) })
    }

    private func record(_ given: GivenName, _ job: Value, _ run: RunNumber) throws {
        let chosen = given.chosen
        if given.isNamed {
            if let old = chosen.replaces { try release(old, from: chosen.name, job) }
            try database.run(
                """
                INSERT OR \(chosen.replaces == nil ? "IGNORE" : "REPLACE") INTO
                names(job, folded, name, url, sha256, bytes, modified, content_type, run)
                VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    job, .text(chosen.folded), .text(chosen.name), .integer(chosen.url),
                    .blob(chosen.content.sha256), .integer(chosen.content.bytes), .real(given.modified),
                    .optional(given.contentType), .integer(run.value),
                ])
        }
        try database.run(
            """
            UPDATE resources SET name = ?, extension = ?, extension_source = ?, duplicate_of = ?
            WHERE job = ? AND url = ?
            """,
            [
                given.isNamed ? .text(chosen.name) : .null, .text(given.extension),
                .text(given.extensionSource.rawValue), .optional(chosen.duplicateOf), job, .integer(chosen.url),
            ])
    }

    /// Before the run gives names: what is only another name for content that is about to lose its name to what the same
    /// URL brought now counts as without one, so that it gets its own in this run.
    package func releaseReplaced(in run: RunNumber) throws {
        try database.run(
            """
            UPDATE resources SET duplicate_of = NULL
            WHERE job = ?2 AND duplicate_of IN (
                SELECT names.name FROM visits
                JOIN names ON names.job = ?2 AND names.url = visits.url AND names.sha256 <> visits.sha256
                WHERE visits.run = ?1 AND visits.status = 'fetched')
            """, [.integer(run.value), try job(of: run)])
    }

    /// What has been another name for content no longer is when that name goes to other content; what has no name of
    /// its own gets one in the next run.
    private func release(_ content: StoredContent, from name: String, _ job: Value) throws {
        try database.run(
            """
            UPDATE resources SET duplicate_of = NULL WHERE job = ? AND sha256 = ? AND duplicate_of = ?
            """, [job, .blob(content.sha256), .text(name)])
    }
}
