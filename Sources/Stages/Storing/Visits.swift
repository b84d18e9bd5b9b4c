import Database
package import Model

/// A visit of a run as the catalog holds it, with what is known of its resource today.
package struct Visit: Sendable {
    package enum State: Sendable, Hashable {
        case page
        /// Content came and waits for its name.
        case fetched
        /// The server said that nothing changed.
        case notModified
        case final(ItemStatus)
    }
    package let id: Int64
    /// The URL's number in the catalog.
    package let urlID: Int64
    package let url: String
    package let purpose: Purpose
    package let depth: Int
    package let state: State
    /// The last word on it that the catalog has already.
    package let conclusion: ItemStatus?
    package let referrer: String?
    package let download: String?
    package let text: String
    /// The encoding of the page that the link was on, where it may matter to names.
    package let charset: String?
    package let reason: String?
    package let httpStatus: Int?
    package let contentType: String?
    package let disposition: [UInt8]?
    package let finalURL: String?
    package let redirects: [String]
    package let attempts: Int
    package let resumedFrom: Int64?
    package let received: Int64
    /// Seconds since 1970.
    package let started: Double?
    package let seconds: Double?
    package let failure: Failure?
    package let known: KnownResource?
}

/// What is known of a URL of a job from this run or an earlier one.
package struct KnownResource: Sendable {
    package let content: StoredContent
    package let finalURL: String?
    package let contentType: String?
    package let disposition: [UInt8]?
    package let lastModified: String?
    /// The name that stands for this content; nil when none was given yet.
    package let name: String?
    package let `extension`: String?
    package let extensionSource: ExtensionSource?
    package let duplicateOf: String?
    /// True when this run is the first to know of it.
    package let isNew: Bool
}

extension Catalog {
    /// The visits of a run in the order that names and reports follow.
    package func order(of run: RunNumber) throws -> [Int64] {
        try database.rows(
            "SELECT id FROM visits WHERE run = ? ORDER BY depth, parent_order, position, id", [.integer(run.value)]
        ) { $0.integer(0) }
    }

    /// The visits of those numbers, in the same order.
    package func visits(_ ids: some Collection<Int64> & Sendable) throws -> [Visit] {
        var visits: [Visit] = []
        visits.reserveCapacity(ids.count)
        try database.snapshot {
            for range in ranges(of: ids) {
                try database.each(Self.visitQuery, [.integer(range.lowerBound), .integer(range.upperBound)]) {
                    visits.append(Self.visit($0))
                }
            }
        }
        return visits
    }

    /// Numbers that follow each other: links of one page mostly do, and are read at once.
    func ranges(of ids: some Collection<Int64>) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for id in ids {
            if let last = ranges.last, last.upperBound == id - 1 {
                ranges[ranges.count - 1] = last.lowerBound...id
            } else {
                ranges.append(id...id)
            }
        }
        return ranges
    }

    /// Those visits of URLs that no earlier run of the job ended with something of: what was adopted, or came in a run
    /// that was killed, is known and new all the same.
    package func firstToEnd(_ ids: [Int64]) throws -> Set<Int64> {
        try database.snapshot {
            try Set(
                ids.filter { id in
                    try database.first(
                        """
                        SELECT 1 FROM visits AS v JOIN runs ON runs.number = v.run
                        JOIN visits AS old ON old.url = v.url AND old.run < v.run
                        JOIN runs AS past ON past.number = old.run AND past.job = runs.job
                        WHERE v.id = ? AND old.status IN ('downloaded', 'duplicate', 'unchanged') LIMIT 1
                        """, [.integer(id)]
                    ) { _ in true } == nil
                })
        }
    }

    private static let visitQuery = """
        SELECT urls.url, v.purpose, v.depth, v.status, referrers.url, v.download, v.text, v.reason, v.http_status,
            v.final_url, v.redirects, v.attempts, v.received, v.started, v.seconds, v.error_code, v.error_message,
            known.sha256, known.bytes, known.final_url, known.content_type, known.disposition, known.last_modified,
            known.name, known.extension, known.extension_source, known.duplicate_of, v.id,
            v.content_type, v.disposition, v.resumed_from, v.charset, known.first_run = v.run, v.url
        FROM visits AS v CROSS JOIN urls ON urls.id = v.url CROSS JOIN runs ON runs.number = v.run
        LEFT JOIN urls AS referrers ON referrers.id = v.referrer
        LEFT JOIN resources AS known ON known.job = runs.job AND known.url = v.url
        WHERE v.id BETWEEN ? AND ? ORDER BY v.id
        """

    private static func visit(_ row: borrowing Row) -> Visit {
        let status = row.text(3)
        let state: Visit.State =
            switch status {
            case "page": .page
            case "fetched": .fetched
            case "not-modified", ItemStatus.unchanged.rawValue: .notModified
            default: .final(ItemStatus(rawValue: status) ?? .skipped)
            }
        let failure = row.optionalText(15).flatMap(ErrorCode.init).map { Failure($0, row.text(16)) }
        return Visit(
            id: row.integer(27), urlID: row.integer(33), url: row.text(0),
            purpose: Purpose(rawValue: row.int(1)) ?? .item, depth: row.int(2),
            state: state, conclusion: ItemStatus(rawValue: status), referrer: row.optionalText(4),
            download: row.optionalText(5), text: row.text(6),
            charset: row.optionalText(31),
            reason: row.optionalText(7), httpStatus: row.optionalInt(8), contentType: row.optionalText(28),
            disposition: row.optionalBlob(29),
            finalURL: row.optionalText(9),
            redirects: row.text(10).split(separator: "\n").map(String.init), attempts: row.int(11),
            resumedFrom: row.isNull(30) ? nil : row.integer(30), received: row.integer(12),
            started: row.optionalReal(13), seconds: row.optionalReal(14),
            failure: failure, known: row.isNull(17) ? nil : resource(row))
    }

    private static func resource(_ row: borrowing Row) -> KnownResource {
        KnownResource(
            content: StoredContent(sha256: row.blob(17), bytes: row.integer(18)), finalURL: row.optionalText(19),
            contentType: row.optionalText(20), disposition: row.optionalBlob(21), lastModified: row.optionalText(22),
            name: row.optionalText(23), extension: row.optionalText(24),
            extensionSource: row.optionalText(25).flatMap(ExtensionSource.init), duplicateOf: row.optionalText(26),
            isNew: row.optionalInt(32) == 1)
    }
}
