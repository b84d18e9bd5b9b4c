import TestSupport
import Testing

@testable import Database

@Suite struct ImmutableTests {
    @Test(arguments: ["catalog.sqlite", "a?b#c%41 é.sqlite"])
    func itIsReadWithoutAFileBesideIt(name: String) async throws {
        try await Folder.temporary { folder in
            let path = "\(folder.path)/\(name)"
            do {
                let writer = try Connection(path)
                try writer.script("PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(7)")
            }
            let reader = try Connection(path, access: .immutable)
            #expect(try reader.first("SELECT a FROM t") { $0.int(0) } == 7)
            #expect(throws: DatabaseError.self) { try reader.run("INSERT INTO t VALUES(8)") }
            #expect(folder.names == [name])
        }
    }
}
