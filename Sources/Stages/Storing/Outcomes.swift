import Database
package import Model
package import URLs

/// What became of one visit, ready to be recorded. Content must be durable below `objects/` by then.
package struct Outcome: Sendable {
    package enum Kind: Sendable {
        case page
        /// New or known content; whether it is a duplicate shows when names are given.
        case content(StoredContent)
        case notModified
        case skipped(reason: String)
        case failed(Failure)
        /// 404 or 410 for something that an earlier run got.
        case gone(Failure)
    }
    package let id: Int64
    package let kind: Kind
    /// What an earlier run got.
    fileprivate let known: StoredContent?
    fileprivate let knownName: String?
    package let head: ResponseHead?
    package let redirects: [WebURL]
    package let attempts: Int
    package let resumedFrom: Int64?
    package let received: Int64
    package let started: Double
    package let seconds: Double

    package init(_ result: FetchResult, kind: Kind) {
        id = result.request.id
        self.kind = kind
        known = result.request.known
        knownName = result.request.knownName
        head = result.head
        redirects = result.redirects
        attempts = result.attempts
        resumedFrom = result.resumedFrom
        received = result.received
        started = result.started
        seconds = result.seconds
    }

    /// The server has said that what is known is still so.
    fileprivate var isSight: Bool {
        if case .notModified = kind { return attempts > 0 }
        return false
    }

    /// The visit's status until names are given.
    fileprivate var status: String {
        switch kind {
        case .page: "page"
        case .content: "fetched"
        // With a name of its own that is the last word, unless the name is found missing.
        case .notModified: knownName == nil ? "not-modified" : ItemStatus.unchanged.rawValue
        case .skipped: ItemStatus.skipped.rawValue
        case .failed: ItemStatus.failed.rawValue
        case .gone: ItemStatus.gone.rawValue
        }
    }
}

extension Catalog {
    /// Records outcomes, and with each content what to ask the server with next time, so that a run which is killed
    /// before it gives names has fetched nothing for naught.
    package func record(_ outcomes: [Outcome], of run: RunNumber) throws {
        let job = try job(of: run)
        try database.transaction {
            for outcome in outcomes {
                try recordVisit(outcome)
                if case .content(let content) = outcome.kind { try recordContent(content, outcome, job) }
            }
            try recordSights(of: outcomes.filter { $0.isSight }.map(\.id).sorted(), job, run)
        }
    }

    private func recordVisit(_ outcome: Outcome) throws {
        var reason: String?
        var failure: Failure?
        var content: StoredContent?
        var name: String?
        switch outcome.kind {
        case .page: break
        // The history tells also what it was that did not change.
        case .notModified: (content, name) = (outcome.known, outcome.knownName)
        case .content(let stored): content = stored
        case .skipped(let text): reason = text
        case .failed(let error), .gone(let error): failure = error
        }
        let head = outcome.head
        try database.run(
            """
            UPDATE visits SET status = ?, reason = ?, http_status = ?, final_url = ?, content_type = ?,
                disposition = ?, sha256 = ?, bytes = ?, etag = ?, last_modified = ?, redirects = ?, attempts = ?,
                resumed_from = ?, received = ?, started = ?, seconds = ?, error_code = ?, error_message = ?, name = ?
            WHERE id = ?
            """,
            [
                .text(outcome.status), .optional(reason), .optional(head?.status),
                .optional(head?.url.key), .optional(head?.contentType),
                .optional(head?.headers.bytes("content-disposition")), .optional(content?.sha256),
                .optional(content?.bytes), .optional(head?.headers["etag"]), .optional(head?.headers["last-modified"]),
                .optional(outcome.redirects.isEmpty ? nil : outcome.redirects.map(\.key).joined(separator: "\n")),
                .integer(outcome.attempts), .optional(outcome.resumedFrom), .integer(outcome.received),
                .real(outcome.started),
                .real(outcome.seconds), .optional(failure?.code.rawValue), .optional(failure?.message),
                .optional(name), .integer(outcome.id),
            ])
    }

    private func recordSights(of visits: [Int64], _ job: Value, _ run: RunNumber) throws {
        for range in ranges(of: visits) {
            try database.run(
                """
                UPDATE resources SET last_run = ?
                WHERE job = ? AND url IN (SELECT url FROM visits WHERE id BETWEEN ? AND ?)
                """, [.integer(run.value), job, .integer(range.lowerBound), .integer(range.upperBound)])
        }
    }

    /// A name belongs to content: when the content changed the name goes, and the next one is given at the run's end.
    private func recordContent(_ content: StoredContent, _ outcome: Outcome, _ job: Value) throws {
        try database.run(
            "INSERT INTO objects(sha256, bytes, stored) VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
            [.blob(content.sha256), .integer(content.bytes), .real(outcome.started + outcome.seconds)])
        try database.run(
            """
            INSERT INTO resources(job, url, etag, last_modified, sha256, bytes, final_url, content_type, disposition,
                first_run, last_run)
            SELECT ?2, url, etag, last_modified, sha256, bytes, final_url, content_type, disposition, run, run
            FROM visits WHERE id = ?1
            ON CONFLICT DO UPDATE SET
                name = iif(sha256 = excluded.sha256, name, NULL),
                extension = iif(sha256 = excluded.sha256, extension, NULL),
                extension_source = iif(sha256 = excluded.sha256, extension_source, NULL),
                duplicate_of = iif(sha256 = excluded.sha256, duplicate_of, NULL),
                etag = excluded.etag, last_modified = excluded.last_modified, sha256 = excluded.sha256,
                bytes = excluded.bytes, final_url = excluded.final_url, content_type = excluded.content_type,
                disposition = excluded.disposition, last_run = excluded.last_run
            """, [.integer(outcome.id), job])
    }
}
