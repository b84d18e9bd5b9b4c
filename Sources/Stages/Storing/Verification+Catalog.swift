import Database

/// What SQLite's own check does not see: tables that somebody dropped, and values that no run of ours wrote.
extension Catalog {
    /// Tables, views and columns of the newest version that are not there.
    func missingParts() throws -> [String] {
        let whole = try Connection(":memory:")
        try Schema.migrate(whole)
        let parts = """
            SELECT type || ' ' || name FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            UNION SELECT 'column ' || tables.name || '.' || columns.name
            FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'
            ORDER BY 1
            """
        let present = Set(try database.rows(parts) { $0.text(0) })
        return try whole.rows(parts) { $0.text(0) }.filter { !present.contains($0) }.map { "it has no \($0)" }
    }

    /// Values of a kind that would lead those astray who read them in order.
    func foreignValues() throws -> [String] {
        let checks: [(StaticString, StaticString, StaticString)] = [
            ("names", "name", "typeof(name) <> 'text' OR typeof(folded) <> 'text' OR name = ''"),
            ("names", "sha256", "typeof(sha256) <> 'blob' OR length(sha256) <> 32"),
            ("objects", "sha256", "typeof(sha256) <> 'blob' OR length(sha256) <> 32"),
            ("resources", "sha256", "typeof(sha256) <> 'blob' OR length(sha256) <> 32"),
            ("jobs", "name", "typeof(name) <> 'text' OR name = ''"),
            // Times until the year 9999.
            ("runs", "start", "typeof(started) NOT IN ('real', 'integer') OR abs(started) > 253402300799"),
            ("runs", "end", "typeof(finished) NOT IN ('null', 'real', 'integer') OR abs(finished) > 253402300799"),
        ]
        var faults: [String] = []
        for (table, column, condition) in checks {
            let count = try database.first("SELECT count(*) FROM \(table) WHERE \(condition)") { $0.int(0) } ?? 0
            if count > 0 { faults.append("\(count) rows of \(table) hold what is no \(column)") }
        }
        return faults
    }
}
