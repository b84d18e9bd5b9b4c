import Database
package import Model
package import URLs

/// Where a run keeps what it still has to fetch.
///
/// Pages are read level by level, so that what is found, and in which order names are given, does not depend on which
/// server answered first. Items have no children and are fetched at any time.
extension Catalog {
    /// The page that links were found on; nil stands for the manifest itself.
    package struct FoundOn: Sendable {
        package var url: WebURL
        package var pageOrder: Int64
        /// The page's encoding, where it may matter to names.
        package var charset: String?

        package init(url: WebURL, pageOrder: Int64, charset: String? = nil) {
            self.url = url
            self.pageOrder = pageOrder
            self.charset = charset
        }
    }

    /// Adds the start URLs, in the manifest's order.
    package func addStarts(_ urls: [WebURL], to run: RunNumber) throws {
        let starts = urls.enumerated().map { position, url in
            Discovery(
                link: Link(url: url, source: "start"), verdict: .fetch(.ask), depth: 0, position: position)
        }
        _ = try add(starts, to: run, foundOn: nil)
    }

    /// Adds what one page linked to. A URL that the run knows already keeps its row, and takes the earliest place
    /// (page order, position) that it was found at on its level.
    /// - Returns: which of them are new to the run, by index.
    package func add(_ discoveries: [Discovery], to run: RunNumber, foundOn page: FoundOn?) throws -> [Int] {
        do {
            return try database.transaction {
                let origin = Origin(
                    order: page?.pageOrder ?? 0, referrer: try page.map { try url($0.url.key) }, charset: page?.charset)
                return try discoveries.indices.filter { try add(discoveries[$0], run, origin) }
            }
        } catch {
            forgetCaches()
            throw error
        }
    }

    private struct Origin {
        let order: Int64
        let referrer: Int64?
        let charset: String?
    }

    private func add(_ discovery: Discovery, _ run: RunNumber, _ origin: Origin) throws -> Bool {
        let url = try url(discovery.link.url.key)
        if try insert(discovery, run, url: url, origin) { return true }
        let known = try database.first(
            "SELECT id, status, purpose, depth, parent_order, position FROM visits WHERE run = ? AND url = ?",
            [.integer(run.value), .integer(url)]
        ) { row in
            KnownVisit(
                id: row.integer(0), status: row.optionalText(1), purpose: row.int(2), depth: row.int(3),
                order: row.integer(4), position: row.integer(5))
        }
        guard let known else { return false }
        if known.gives(wayTo: discovery) {
            try database.run("DELETE FROM visits WHERE id = ?", [.integer(known.id)])
            _ = try insert(discovery, run, url: url, origin)
        } else if known.isLater(than: discovery, order: origin.order) {
            try database.run(
                "UPDATE visits SET depth = ?, parent_order = ?, position = ?, referrer = ?, download = ?, text = ?, "
                    + "charset = ? WHERE id = ?",
                [
                    .integer(discovery.depth), .integer(origin.order), .integer(discovery.position),
                    .optional(origin.referrer), .optional(discovery.link.download), .text(discovery.link.text),
                    .optional(origin.charset), .integer(known.id),
                ])
        }
        return false
    }

    /// - Returns: false when the run knows the URL already.
    private func insert(_ discovery: Discovery, _ run: RunNumber, url: Int64, _ origin: Origin) throws -> Bool {
        let (purpose, status, reason): (Purpose, Value, Value) =
            switch discovery.verdict {
            case .fetch(let purpose): (purpose, .null, .null)
            case .skip(let reason): (.item, .text(ItemStatus.skipped.rawValue), .text(reason))
            }
        try database.run(
            "INSERT INTO visits(run, url, purpose, depth, parent_order, position, referrer, download, text, status, "
                + "reason, charset) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(run, url) DO NOTHING",
            [
                .integer(run.value), .integer(url), .integer(purpose.rawValue), .integer(discovery.depth),
                .integer(origin.order), .integer(discovery.position), .optional(origin.referrer),
                .optional(discovery.link.download), .text(discovery.link.text), status, reason,
                .optional(origin.charset),
            ])
        return database.changes > 0
    }

    /// Opens a level: gives its pages their order and leaves out those over the bound.
    /// - Parameter room: how many more pages the run may read; what might turn out a page counts only when it does.
    /// - Returns: the first and last page order given, nil when the level is empty.
    package func openLevel(_ depth: Int, of run: RunNumber, room: Int, reason: String) throws -> ClosedRange<Int64>? {
        try database.transaction {
            let values: [Value] = [.integer(run.value), .integer(depth)]
            try database.run(
                """
                UPDATE visits SET status = 'skipped', reason = ?3 WHERE id IN (
                    SELECT id FROM visits WHERE run = ?1 AND depth = ?2 AND purpose = 0 AND status IS NULL
                    ORDER BY parent_order, position LIMIT -1 OFFSET ?4)
                """, values + [.text(reason), .integer(max(room, 0))])
            let last =
                try database.first(
                    "SELECT max(page_order) FROM visits WHERE run = ?", [.integer(run.value)], { $0.integer(0) }) ?? 0
            try database.run(
                """
                UPDATE visits SET page_order = ranked.place + ?3 FROM (
                    SELECT id, row_number() OVER (ORDER BY parent_order, position) AS place
                    FROM visits WHERE run = ?1 AND depth = ?2 AND purpose <> 1 AND status IS NULL) AS ranked
                WHERE visits.id = ranked.id
                """, values + [.integer(last)])
            let count = Int64(database.changes)
            return count == 0 ? nil : last + 1...last + count
        }
    }

    /// The next resources of the open level that may be pages, in their order.
    package func pages(of run: RunNumber, after order: Int64, limit: Int) throws -> [QueuedResource] {
        try queued(
            "visits.run = ?1 AND page_order > ?2 AND visits.status IS NULL ORDER BY page_order LIMIT ?3",
            [.integer(run.value), .integer(order), .integer(limit)])
    }

    /// The next items in the order they were found.
    package func items(of run: RunNumber, after id: Int64, limit: Int) throws -> [QueuedResource] {
        try queued(
            // The plus keeps SQLite from the index on runs, whose rows it would have to sort.
            "visits.id > ?2 AND +visits.run = ?1 AND purpose = 1 AND visits.status IS NULL ORDER BY visits.id LIMIT ?3",
            [.integer(run.value), .integer(id), .integer(limit)])
    }

    private func queued(_ condition: String, _ values: [Value]) throws -> [QueuedResource] {
        try database.rows(
            """
            SELECT visits.id, urls.url, purpose, visits.depth, page_order, referrers.url, known.etag,
                known.last_modified, known.sha256, known.bytes, seen.started, visits.download, visits.charset,
                known.final_url, known.name
            FROM visits JOIN urls ON urls.id = visits.url JOIN runs ON runs.number = visits.run
            LEFT JOIN urls AS referrers ON referrers.id = visits.referrer
            LEFT JOIN resources AS known ON known.job = runs.job AND known.url = visits.url
            LEFT JOIN runs AS seen ON seen.number = known.last_run
            WHERE \(condition)
            """, values
        ) { row in
            QueuedResource(
                id: row.integer(0), url: row.text(1), purpose: Purpose(rawValue: row.int(2)) ?? .item,
                depth: row.int(3), pageOrder: row.integer(4), referrer: row.optionalText(5),
                validators: Validators(etag: row.optionalText(6), lastModified: row.optionalText(7)),
                content: row.optionalBlob(8).map { StoredContent(sha256: $0, bytes: row.integer(9)) },
                seen: row.optionalReal(10), download: row.optionalText(11), charset: row.optionalText(12),
                finalURL: row.optionalText(13), name: row.optionalText(14))
        }
    }

    /// Leaves out all that still waits, with one reason.
    package func skipRest(of run: RunNumber, reason: String) throws {
        try database.run(
            "UPDATE visits SET status = 'skipped', reason = ?2 WHERE run = ?1 AND status IS NULL",
            [.integer(run.value), .text(reason)])
    }
}

/// A run's row in the catalog.
package struct RunNumber: Sendable, Hashable {
    let value: Int64
}

/// A resource that waits to be fetched, with what is known of it from earlier runs.
package struct QueuedResource: Sendable {
    package let id: Int64
    package let url: String
    package let purpose: Purpose
    package let depth: Int
    package let pageOrder: Int64
    package let referrer: String?
    package let validators: Validators
    /// What an earlier run got from it.
    package let content: StoredContent?
    /// When that was fetched, or found unchanged, for the last time: seconds since 1970.
    package let seen: Double?
    /// The `download` attribute of the link, and the encoding of its page where it may matter to names.
    package let download: String?
    package let charset: String?
    /// Who gave the validators.
    package let finalURL: String?
    /// The content's own name.
    package let name: String?
}

private struct KnownVisit {
    let id: Int64
    let status: String?
    let purpose: Int
    let depth: Int
    let order: Int64
    let position: Int64

    /// Something left out gives way to a reason to fetch it, a page that waits to the word that it is an item, and what
    /// may be no page to the word that it may.
    func gives(wayTo discovery: Discovery) -> Bool {
        guard case .fetch(let newPurpose) = discovery.verdict else { return false }
        if status == ItemStatus.skipped.rawValue { return true }
        guard status == nil, purpose != Purpose.item.rawValue, depth >= discovery.depth else { return false }
        return newPurpose == .item || purpose == Purpose.probe.rawValue && newPurpose != .probe
    }

    func isLater(than discovery: Discovery, order newOrder: Int64) -> Bool {
        if depth != discovery.depth { return depth > discovery.depth && purpose == Purpose.item.rawValue }
        return (order, position) > (newOrder, Int64(discovery.position))
    }
}
