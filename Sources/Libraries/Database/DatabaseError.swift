import CSQLite

/// What SQLite said, with the statement and never the bound values, which may be secret.
package struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// SQLite's extended result code.
    package let code: Int32
    package let message: String
    package let statement: String
    package let path: String

    /// The disk or the user's quota is full.
    package var isDiskFull: Bool { code & 0xff == SQLITE_FULL }
    /// The file is damaged, or no SQLite database at all.
    package var isDamaged: Bool { code & 0xff == SQLITE_CORRUPT || code & 0xff == SQLITE_NOTADB }
    /// Another process held the database for longer than the busy timeout.
    package var isBusy: Bool { code & 0xff == SQLITE_BUSY }

    package var description: String {
        let place = statement.isEmpty ? "" : " in: \(statement.split(separator: "\n").joined(separator: " "))"
        return "catalog \(path): \(message) (SQLite code \(code))\(place)"
    }
}
