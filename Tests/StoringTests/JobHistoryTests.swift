import Database
import Model
import TestSupport
import Testing

@testable import Storing

@Suite struct JobHistoryTests {
    private static func with(_ body: (Store, String) async throws -> Void) async throws {
        try await Folder.temporary { folder in
            let root = "\(folder.path)/root"
            try await body(try await Store.open(root), root)
        }
    }

    private static func start(_ job: String, at seconds: Double, _ store: Store) async throws {
        let id = "\(job)-\(seconds)"
        _ = try await store.catalog.begin(RunIdentity(id: id, job: job, manifestSHA256: "00", started: seconds))
    }

    @Test func theFirstLookIsRemembered() async throws {
        try await Self.with { store, _ in
            #expect(try await store.catalog.histories(of: ["a"], at: 100).isEmpty)
            #expect(try await store.catalog.see(["a"], at: 100) == ["a": JobHistory(firstSeen: 100)])
            let later = try await store.catalog.see(["a", "b"], at: 200)
            #expect(later == ["a": JobHistory(firstSeen: 100), "b": JobHistory(firstSeen: 200)])
        }
    }

    @Test func theLastStartIsThatOfTheNewestRun() async throws {
        try await Self.with { store, _ in
            _ = try await store.catalog.see(["a"], at: 100)
            for seconds in [110.0, 130, 120] { try await Self.start("a", at: seconds, store) }
            try await Self.start("b", at: 999, store)
            let found = try await store.catalog.histories(of: ["a"], at: 500)
            #expect(found == ["a": JobHistory(firstSeen: 100, lastStarted: 120)])
        }
    }

    @Test func aClockThatWasAheadKeepsNothingFromRunning() async throws {
        try await Self.with { store, _ in
            try await Self.start("a", at: 1000, store)
            try await Self.start("a", at: 900_000, store)
            // By an hour it may be a clock set back: that start counts.
            let near = try await store.catalog.see(["a"], at: 896_400)["a"]
            #expect(near?.lastStarted == 900_000)
            let far = try await store.catalog.see(["a"], at: 5000)["a"]
            #expect(far?.lastStarted == 1000)
            _ = try await store.catalog.see(["new"], at: 900_000)
            let mended = try await store.catalog.see(["new"], at: 5000)["new"]
            #expect(mended == JobHistory(firstSeen: 5000))
        }
    }

    @Test func aCatalogOfTheFirstVersionGainsIt() async throws {
        try await Folder.temporary { folder in
            let database = try Connection("\(folder.path)/catalog.sqlite")
            try database.script(Schema.versions[0])
            try database.script(
                """
                INSERT INTO jobs(id, name) VALUES(1, 'old');
                INSERT INTO runs(id, job, manifest_sha256, started) VALUES('r', 1, '', 50);
                PRAGMA user_version = 1;
                """)
            let store = try await Store.open(folder.path)
            let found = try await store.catalog.see(["old", "new"], at: 60)
            #expect(found["old"] == JobHistory(firstSeen: 50, lastStarted: 50))
            #expect(found["new"] == JobHistory(firstSeen: 60))
        }
    }
}
