import Testing

@testable import Database

@Suite struct ConnectionTests {
    @Test func valuesComeBackAsTheyWent() throws {
        let database = try Connection(":memory:")
        try database.script("CREATE TABLE t(a, b, c, d, e)")
        let values: [Value] = [.null, .integer(Int64.min), .real(1.5), .text("카페\0é"), .blob([])]
        try database.run("INSERT INTO t VALUES(?, ?, ?, ?, ?)", values)
        let row = try database.first("SELECT a, b, c, d, e FROM t") { row in
            (row.optionalText(0), row.integer(1), row.real(2), row.text(3), row.optionalBlob(4))
        }
        let found = try #require(row)
        #expect(found.0 == nil)
        #expect(found.1 == Int64.min)
        #expect(found.2 == 1.5)
        #expect(Array(found.3.utf8) == Array("카페\0é".utf8))
        #expect(found.4 == [])
    }

    @Test func aFailedTransactionLeavesNothing() throws {
        let database = try Connection(":memory:")
        try database.script("CREATE TABLE t(a UNIQUE)")
        #expect(throws: DatabaseError.self) {
            try database.transaction {
                try database.run("INSERT INTO t VALUES(1)")
                try database.run("INSERT INTO t VALUES(1)")
            }
        }
        #expect(try database.first("SELECT count(*) FROM t") { $0.int(0) } == 0)
    }

    @Test func errorsNameTheStatementButNoValue() throws {
        let database = try Connection(":memory:")
        try database.script("CREATE TABLE t(a UNIQUE)")
        try database.run("INSERT INTO t VALUES(?)", [.text("secret")])
        let error = #expect(throws: DatabaseError.self) {
            try database.run("INSERT INTO t VALUES(?)", [.text("secret")])
        }
        let message = try #require(error).description
        #expect(message.contains("INSERT INTO t") && !message.contains("secret"))
    }
}
