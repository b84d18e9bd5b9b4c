import Database
package import Model

/// A robots.txt as the catalog keeps it, so that hosts are not asked for it in every run.
package struct RobotsCopy: Sendable, Hashable {
    /// Seconds since 1970: when the server last gave or confirmed it.
    package var fetched: Double
    /// 200, or the 4xx by which the server said that it has none.
    package var status: Int
    package var validators: Validators
    package var body: [UInt8]

    package init(fetched: Double, status: Int, validators: Validators, body: [UInt8]) {
        self.fetched = fetched
        self.status = status
        self.validators = validators
        self.body = body
    }

    /// RFC 9309, 2.4: no longer than a day. A copy from the future was made before the clock was set back: nobody knows
    /// how old it is.
    package func isFresh(at seconds: Double) -> Bool { (0..<86_400).contains(seconds - fetched) }
}

extension Catalog {
    /// The copy of an origin's robots.txt, however old.
    package func robots(of origin: String) throws -> RobotsCopy? {
        try database.first(
            "SELECT fetched, status, etag, last_modified, body FROM robots WHERE origin = ?", [.text(origin)]
        ) { row in
            RobotsCopy(
                fetched: row.real(0), status: row.int(1),
                validators: Validators(etag: row.optionalText(2), lastModified: row.optionalText(3)), body: row.blob(4))
        }
    }

    package func keep(_ copy: RobotsCopy, asRobotsOf origin: String) throws {
        try database.run(
            "INSERT OR REPLACE INTO robots(origin, fetched, status, etag, last_modified, body) "
                + "VALUES(?, ?, ?, ?, ?, ?)",
            [
                .text(origin), .real(copy.fetched), .integer(copy.status), .optional(copy.validators.etag),
                .optional(copy.validators.lastModified), .blob(copy.body),
            ])
    }
}
