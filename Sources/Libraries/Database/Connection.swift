import CSQLite

/// An open SQLite database. Not to be shared between threads: an actor on a lane of its own holds it.
///
/// Statements are prepared once and kept by their text, so their texts must come from the program, never from input.
package final class Connection {
    private let handle: OpaquePointer
    private let path: String
    private var statements: [StatementText: Statement] = [:]

    package enum Access {
        case readWrite
        /// Fails when the file is missing.
        case readOnly
        /// So too, where nothing can be written beside it either: no lock is taken, and nobody may write it meanwhile.
        case immutable
    }

    /// - Parameter busyTimeout: milliseconds to wait for another process's write.
    package init(_ path: String, access: Access = .readWrite, busyTimeout: Int32 = 60_000) throws(DatabaseError) {
        var handle: OpaquePointer?
        let mode =
            switch access {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let name = if case .immutable = access { Self.immutableURI(path) } else { path }
        let code = sqlite3_open_v2(name, &handle, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(handle)
            throw DatabaseError(code: code, message: message, statement: "", path: path)
        }
        self.handle = handle
        self.path = path
        sqlite3_busy_timeout(handle, busyTimeout)
    }

    private static func immutableURI(_ path: String) -> String {
        var uri = "file:"
        for scalar in path.unicodeScalars {
            switch scalar {
            case "%": uri += "%25"
            case "?": uri += "%3f"
            case "#": uri += "%23"
            default: uri.unicodeScalars.append(scalar)
            }
        }
        return uri + "?immutable=1"
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// Runs statements separated by semicolons that take no values.
    package func script(_ text: String) throws(DatabaseError) {
        let code = sqlite3_exec(handle, text, nil, nil, nil)
        if code != SQLITE_OK { throw error(code, text) }
    }

    /// Runs one statement and ignores what it answers.
    package func run(_ text: String, _ values: [Value] = []) throws(DatabaseError) {
        let statement = try prepared(text, values)
        defer { statement.reset() }
        while true {
            let code = sqlite3_step(statement.handle)
            if code == SQLITE_DONE { return }
            if code != SQLITE_ROW { throw error(code, text) }
        }
    }

    /// Runs one statement and gives what `read` makes of each row of the answer.
    package func rows<Result>(
        _ text: String, _ values: [Value] = [], _ read: (borrowing Row) -> Result
    ) throws(DatabaseError) -> [Result] {
        var results: [Result] = []
        try each(text, values) { results.append(read($0)) }
        return results
    }

    /// The first row of the answer, nil when it has none.
    package func first<Result>(
        _ text: String, _ values: [Value] = [], _ read: (borrowing Row) -> Result
    ) throws(DatabaseError) -> Result? {
        let statement = try prepared(text, values)
        defer { statement.reset() }
        switch sqlite3_step(statement.handle) {
        case SQLITE_ROW: return read(Row(statement))
        case SQLITE_DONE: return nil
        case let code: throw error(code, text)
        }
    }

    /// Calls `body` with each row of the answer.
    package func each(
        _ text: String, _ values: [Value] = [], _ body: (borrowing Row) -> Void
    ) throws(DatabaseError) {
        let statement = try prepared(text, values)
        defer { statement.reset() }
        while true {
            switch sqlite3_step(statement.handle) {
            case SQLITE_ROW: body(Row(statement))
            case SQLITE_DONE: return
            case let code: throw error(code, text)
            }
        }
    }

    /// All of `body` counts, or nothing of it. The write lock is taken at once, so that no upgrade can fail half-way.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try between("BEGIN IMMEDIATE", body)
    }

    /// What `body` reads is of one moment, and is locked once instead of for each statement.
    package func snapshot<Result>(_ body: () throws -> Result) throws -> Result { try between("BEGIN", body) }

    private func between<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
        try run(begin)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // What fails to roll back was rolled back by SQLite itself; the first error is the one to tell.
            try? run("ROLLBACK")
            throw error
        }
    }

    /// Rows that the last statement changed.
    package var changes: Int { Int(sqlite3_changes(handle)) }
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    private func prepared(_ text: String, _ values: [Value]) throws(DatabaseError) -> Statement {
        let statement: Statement
        let key = StatementText(text: text)
        if let known = statements[key] {
            statement = known
        } else {
            var prepared: OpaquePointer?
            let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
            guard code == SQLITE_OK, let prepared else { throw error(code, text) }
            statement = Statement(owning: prepared)
            statements[key] = statement
        }
        let code = statement.bind(values)
        if code != SQLITE_OK {
            statement.reset()
            throw error(code, text)
        }
        return statement
    }

    private func error(_ code: Int32, _ text: String) -> DatabaseError {
        DatabaseError(code: code, message: String(cString: sqlite3_errmsg(handle)), statement: text, path: path)
    }
}

/// Texts of statements are long and differ at their ends or in their lengths: hashing them whole would cost more than
/// many of them do.
private struct StatementText: Hashable {
    let text: String

    func hash(into hasher: inout Hasher) {
        let bytes = text.utf8
        var end = UInt64(bytes.count) &* 0x9E37_79B9
        for byte in bytes.suffix(8) { end = end << 7 ^ UInt64(byte) }
        hasher.combine(end)
    }
}
