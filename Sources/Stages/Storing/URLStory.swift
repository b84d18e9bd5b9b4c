import Database
package import Model

/// All that the catalog knows of one URL in one job.
package struct URLStory: Sendable {
    /// What an earlier run got and is known today.
    package struct Known: Sendable {
        package let content: StoredContent
        package let name: String?
        package let duplicateOf: String?
        package let contentType: String?
        package let finalURL: String?
        package let etag: String?
        package let lastModified: String?
        package let firstRun: String?
        package let lastRun: String?
        /// When it was fetched or confirmed last; seconds since 1970.
        package let seen: Double?
        /// True when the content is no longer there.
        package let isLost: Bool
    }

    /// A name below `files/<job>`, of today's content or of older.
    package struct Name: Sendable {
        package let name: String
        package let content: StoredContent
        package let run: String?
    }

    package struct Bundle: Sendable {
        package let path: String
        /// The name that the content has in it.
        package let name: String
        package let run: String?
        package let created: Double
        package let handedOff: Double?
        package let removed: Double?
    }

    /// One run's verdict.
    package struct Verdict: Sendable {
        package let run: String
        /// Seconds since 1970.
        package let seen: Double
        package let status: String
        package let reason: String?
        package let failure: Failure?
        package let httpStatus: Int?
        package let referrer: String?
        package let text: String?
        package let depth: Int
        package let finalURL: String?
        package let sha256: [UInt8]?
    }
    package let job: String
    package let known: Known?
    package let names: [Name]
    package let bundles: [Bundle]
    /// Newest first.
    package let verdicts: [Verdict]
    /// How many runs met the URL in all.
    package let runs: Int
}

extension Catalog {
    /// What is known of a URL by its normal form, one story for each job that met it.
    /// - Parameter limit: most verdicts of each job.
    package func stories(of key: String, limit: Int) throws -> [URLStory] {
        guard let url = try database.first("SELECT id FROM urls WHERE url = ?", [.text(key)], { $0.integer(0) })
        else { return [] }
        let jobs = try database.rows(
            """
            SELECT DISTINCT jobs.id, jobs.name FROM jobs WHERE id IN (
                SELECT runs.job FROM visits JOIN runs ON runs.number = visits.run WHERE visits.url = ?1
                UNION SELECT job FROM resources WHERE url = ?1 UNION SELECT job FROM names WHERE url = ?1)
            ORDER BY name
            """, [.integer(url)]
        ) { ($0.integer(0), $0.text(1)) }
        return try jobs.map { job, name in
            let values: [Value] = [.integer(url), .integer(job)]
            return URLStory(
                job: name, known: try known(values), names: try names(values), bundles: try bundles(values),
                verdicts: try verdicts(values + [.integer(limit)]), runs: try runs(values))
        }
    }

    /// URLs that led to this one by redirects, at most ten; looks through every visit.
    package func redirecting(to key: String) throws -> [String] {
        try database.rows(
            """
            SELECT DISTINCT urls.url FROM visits JOIN urls ON urls.id = visits.url
            WHERE visits.final_url = ?1 AND urls.url <> ?1 LIMIT 10
            """, [.text(key)]
        ) { $0.text(0) }
    }

    /// The URL that a file below `files/<job>` came from.
    package func url(ofName name: String, job: String) throws -> String? {
        try database.first(
            """
            SELECT urls.url FROM names JOIN urls ON urls.id = names.url JOIN jobs ON jobs.id = names.job
            WHERE jobs.name = ? AND names.name = ?
            """, [.text(job), .text(name)]
        ) { $0.text(0) }
    }

    private func known(_ values: [Value]) throws -> URLStory.Known? {
        try database.first(
            """
            SELECT known.sha256, known.bytes, known.name, known.duplicate_of, known.content_type, known.final_url,
                known.etag, known.last_modified, first.id, last.id, last.started,
                NOT EXISTS (SELECT 1 FROM objects WHERE objects.sha256 = known.sha256)
            FROM resources AS known LEFT JOIN runs AS first ON first.number = known.first_run
            LEFT JOIN runs AS last ON last.number = known.last_run WHERE known.url = ? AND known.job = ?
            """, values
        ) { row in
            URLStory.Known(
                content: StoredContent(sha256: row.blob(0), bytes: row.integer(1)), name: row.optionalText(2),
                duplicateOf: row.optionalText(3), contentType: row.optionalText(4), finalURL: row.optionalText(5),
                etag: row.optionalText(6), lastModified: row.optionalText(7), firstRun: row.optionalText(8),
                lastRun: row.optionalText(9), seen: row.optionalReal(10), isLost: row.int(11) != 0)
        }
    }

    private func names(_ values: [Value]) throws -> [URLStory.Name] {
        try database.rows(
            """
            SELECT names.name, names.sha256, names.bytes, runs.id FROM names LEFT JOIN runs ON runs.number = names.run
            WHERE names.url = ? AND names.job = ? ORDER BY names.run DESC, names.name
            """, values
        ) { row in
            URLStory.Name(
                name: row.text(0), content: StoredContent(sha256: row.blob(1), bytes: row.integer(2)),
                run: row.optionalText(3))
        }
    }

    private func bundles(_ values: [Value]) throws -> [URLStory.Bundle] {
        try database.rows(
            """
            SELECT bundles.path, packed.name, runs.id, bundles.created, bundles.handed_off, bundles.removed
            FROM names JOIN packed ON packed.job = names.job AND packed.name = names.name
                AND packed.sha256 = names.sha256
            JOIN bundles ON bundles.id = packed.bundle LEFT JOIN runs ON runs.number = bundles.run
            WHERE names.url = ? AND names.job = ? AND bundles.published = 1 ORDER BY bundles.created, bundles.path
            """, values
        ) { row in
            URLStory.Bundle(
                path: row.text(0), name: row.text(1), run: row.optionalText(2), created: row.real(3),
                handedOff: row.optionalReal(4), removed: row.optionalReal(5))
        }
    }

    private func verdicts(_ values: [Value]) throws -> [URLStory.Verdict] {
        try database.rows(
            """
            SELECT runs.id, coalesce(v.started, runs.started), coalesce(v.status, 'waiting'), v.reason, v.error_code,
                v.error_message, v.http_status, referrers.url, v.text, v.depth, v.final_url, v.sha256
            FROM visits AS v JOIN runs ON runs.number = v.run LEFT JOIN urls AS referrers ON referrers.id = v.referrer
            WHERE v.url = ? AND runs.job = ? ORDER BY v.run DESC LIMIT ?
            """, values
        ) { row in
            URLStory.Verdict(
                run: row.text(0), seen: row.real(1), status: row.text(2), reason: row.optionalText(3),
                failure: row.optionalText(4).flatMap(ErrorCode.init).map { Failure($0, row.text(5)) },
                httpStatus: row.optionalInt(6), referrer: row.optionalText(7), text: row.optionalText(8),
                depth: row.int(9), finalURL: row.optionalText(10), sha256: row.optionalBlob(11))
        }
    }

    private func runs(_ values: [Value]) throws -> Int {
        try database.first(
            "SELECT count(*) FROM visits JOIN runs ON runs.number = visits.run WHERE visits.url = ? AND runs.job = ?",
            values
        ) { $0.int(0) } ?? 0
    }
}
