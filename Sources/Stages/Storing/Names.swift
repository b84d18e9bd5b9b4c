import Database
package import Model

/// A name that is wanted for a visit's content.
package struct NameWish: Sendable {
    package let visit: Int64
    package let content: StoredContent
    /// The wanted name and those to take instead when it is taken: 1 is as wanted, 2 has `-2` before the extension.
    package let alternative: @Sendable (Int) -> (name: String, folded: String)
    /// The number to try first; higher once a name was found taken on disk.
    package var first = 1

    package init(
        visit: Int64, content: StoredContent,
        alternative: @escaping @Sendable (Int) -> (name: String, folded: String)
    ) {
        self.visit = visit
        self.content = content
        self.alternative = alternative
    }
}

/// The name that a visit's content is to have.
package struct ChosenName: Sendable {
    package let visit: Int64
    package let content: StoredContent
    package let name: String
    package let folded: String
    /// Which alternative it is.
    package let number: Int
    /// Another name for the same content, `<job>/<name>` when it is another job's.
    package let duplicateOf: String?
}

extension ChosenName {
    /// A name that the catalog has and the disk has lost.
    package init(restoring name: String, of content: StoredContent, visit: Int64) {
        self.init(visit: visit, content: content, name: name, folded: "", number: 0, duplicateOf: nil)
    }
}

/// A name to be recorded, once the file has it.
package struct GivenName: Sendable {
    package let chosen: ChosenName
    /// False when `dedupe: skip` leaves a duplicate without a name of its own.
    package let isNamed: Bool
    package let `extension`: String
    package let extensionSource: ExtensionSource
    /// Seconds since 1970.
    package let modified: Double

    package init(
        chosen: ChosenName, isNamed: Bool, extension: String, extensionSource: ExtensionSource, modified: Double
    ) {
        self.chosen = chosen
        self.isNamed = isNamed
        self.extension = `extension`
        self.extensionSource = extensionSource
        self.modified = modified
    }
}

extension Catalog {
    /// Chooses free names, in the order given. Nothing is recorded: the job's lock keeps others from choosing too.
    package func choose(_ wishes: [NameWish], for job: String) throws -> [ChosenName] {
        let job = try self.job(job)
        var taken: Set<[UInt8]> = []
        var contents: [[UInt8]: String] = [:]
        return try wishes.map { wish in
            if let former = try formerName(wish, job) { return former }
            let first = wish.alternative(1)
            let hint = "\(job)/\(first.folded)"
            var number = max(wish.first, nameHints[hint].map(Int.init) ?? 1)
            var (name, folded) = number == 1 ? first : wish.alternative(number)
            while try taken.contains(Array(folded.utf8)) || isTaken(folded, job) {
                number += 1
                (name, folded) = wish.alternative(number)
            }
            nameHints[hint] = Int64(number + 1)
            taken.insert(Array(folded.utf8))
            let duplicateOf = try contents[wish.content.sha256] ?? self.name(of: wish.content.sha256, job)
            if duplicateOf == nil { contents[wish.content.sha256] = name }
            return ChosenName(
                visit: wish.visit, content: wish.content, name: name, folded: folded, number: number,
                duplicateOf: duplicateOf)
        }
    }

    /// The name that the same URL gave the same content before it brought other content.
    private func formerName(_ wish: NameWish, _ job: Int64) throws -> ChosenName? {
        try database.first(
            """
            SELECT names.name, names.folded FROM names JOIN visits ON visits.url = names.url
            WHERE visits.id = ?1 AND names.job = ?2 AND names.sha256 = ?3 LIMIT 1
            """, [.integer(wish.visit), .integer(job), .blob(wish.content.sha256)]
        ) { row in
            ChosenName(
                visit: wish.visit, content: wish.content, name: row.text(0), folded: row.text(1), number: 0,
                duplicateOf: row.text(0))
        }
    }

    private func isTaken(_ folded: String, _ job: Int64) throws -> Bool {
        try database.first(
            "SELECT 1 FROM names WHERE job = ? AND folded = ?", [.integer(job), .text(folded)], { _ in true }) ?? false
    }

    /// The first name that content was given, of this job if it has one.
    private func name(of sha256: [UInt8], _ job: Int64) throws -> String? {
        try database.first(
            """
            SELECT iif(names.job = ?2, names.name, jobs.name || '/' || names.name)
            FROM names JOIN jobs ON jobs.id = names.job WHERE names.sha256 = ?1
            ORDER BY names.job <> ?2, names.run, names.name LIMIT 1
            """, [.blob(sha256), .integer(job)], { $0.text(0) })
    }

    /// Records names that the files have.
    package func record(_ names: [GivenName], of run: RunNumber) throws {
        try database.transaction {
            for name in names { try record(name, run) }
        }
    }

    private func record(_ given: GivenName, _ run: RunNumber) throws {
        let chosen = given.chosen
        if given.isNamed {
            try database.run(
                """
                INSERT OR IGNORE INTO names(job, folded, name, url, sha256, bytes, modified, content_type, run)
                SELECT runs.job, ?2, ?3, visits.url, ?4, ?5, ?6, known.content_type, visits.run
                FROM visits JOIN runs ON runs.number = visits.run
                JOIN resources AS known ON known.job = runs.job AND known.url = visits.url WHERE visits.id = ?1
                """,
                [
                    .integer(chosen.visit), .text(chosen.folded), .text(chosen.name), .blob(chosen.content.sha256),
                    .integer(chosen.content.bytes), .real(given.modified),
                ])
        }
        try database.run(
            """
            UPDATE resources SET name = ?2, extension = ?3, extension_source = ?4, duplicate_of = ?5
            WHERE (job, url) = (
                SELECT runs.job, visits.url FROM visits JOIN runs ON runs.number = visits.run WHERE visits.id = ?1)
            """,
            [
                .integer(chosen.visit), given.isNamed ? .text(chosen.name) : .null, .text(given.extension),
                .text(given.extensionSource.rawValue), .optional(chosen.duplicateOf),
            ])
    }

    /// Records the last word on visits.
    package func conclude(_ statuses: [(visit: Int64, status: ItemStatus, name: String?)]) throws {
        try database.transaction {
            for (visit, status, name) in statuses {
                try database.run(
                    "UPDATE visits SET status = ?, name = ? WHERE id = ?",
                    [.text(status.rawValue), .optional(name), .integer(visit)])
            }
        }
    }
}
