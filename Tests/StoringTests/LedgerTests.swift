import Files
import TestSupport
import Model
import Storing
import Testing

@Suite struct LedgerTests {
    private func bundle(_ bytes: Int64 = 4) -> BundleRecord {
        BundleRecord(path: "bundles/job/b.tar", format: .tar, entries: 1, bytes: bytes, sha256: "00")
    }

    @Test func whatWentOutIsNoLongerNewForThatPackAlone() async throws {
        try await Trial.with { trial in
            let catalog = trial.store.catalog
            try await trial.download([("a", "first")])
            _ = try await trial.name("n")
            #expect(try await catalog.files(of: "job", notIn: "p", after: "", limit: 9).map(\.name) == ["n"])
            try await catalog.announce(bundle(), pack: "p", of: trial.run, at: 1)
            try await catalog.publishAnnounced(of: "job")
            #expect(try await catalog.files(of: "job", notIn: "p", after: "", limit: 9).isEmpty)
            #expect(try await catalog.files(of: "job", notIn: "other", after: "", limit: 9).count == 1)
            #expect(try await catalog.files(of: "job", notIn: nil, after: "", limit: 9).count == 1)
        }
    }

    @Test func aBundleThatDidNotAppearLeavesItsFilesNew() async throws {
        try await Trial.with { trial in
            let catalog = trial.store.catalog
            try await trial.download([("a", "first")])
            _ = try await trial.name("n")
            try await catalog.announce(bundle(), pack: "p", of: trial.run, at: 1)
            try await trial.store.settleAnnouncedBundles(of: "job")
            #expect(try await catalog.files(of: "job", notIn: "p", after: "", limit: 9).count == 1)
        }
    }

    @Test func aBundleThatAppearedBeforeTheKillCounts() async throws {
        try await Trial.with { trial in
            let catalog = trial.store.catalog
            try await trial.download([("a", "first")])
            _ = try await trial.name("n")
            try await catalog.announce(bundle(), pack: "p", of: trial.run, at: 1)
            try trial.folder.write("root/bundles/job/b.tar", "whole")
            try await trial.store.settleAnnouncedBundles(of: "job")
            #expect(try await catalog.files(of: "job", notIn: "p", after: "", limit: 9).count == 1)
            try await catalog.announce(bundle(5), pack: "p", of: trial.run, at: 1)
            try await trial.store.settleAnnouncedBundles(of: "job")
            #expect(try await catalog.files(of: "job", notIn: "p", after: "", limit: 9).isEmpty)
        }
    }
}

@Suite struct RunHistoryTests {
    @Test func aRunWithoutAnEndIsClosedAsInterrupted() async throws {
        try await Trial.with { trial in
            let catalog = trial.store.catalog
            _ = try await trial.add([trial.discovery("a", .fetch(.item))])
            #expect(try await catalog.closeKilledRuns(of: "job", at: 5) == ["1"])
            #expect(try await catalog.closeKilledRuns(of: "job", at: 6) == [])
            #expect(try await catalog.runs(of: "job", limit: 9).map(\.status) == [.interrupted])
        }
    }

    @Test func oneRunAJobAtATime() async throws {
        try await Trial.with { trial in
            let first = try await trial.store.lock(job: "job", note: "first")
            let other = try await Store.open("\(trial.folder.path)/root")
            let second = try await other.lock(job: "job", note: "second")
            #expect(first.holder == nil)
            #expect(second.holder == "first")
            withExtendedLifetime(first) {}
        }
    }

    @Test func theCatalogOfALaterProgramIsRefused() async throws {
        try await Trial.with { trial in
            let path = "\(trial.folder.path)/root/catalog.sqlite"
            _ = try await Program.tool("sqlite3", [path, "PRAGMA user_version = 99"]).run()
            await #expect(throws: StoreError.self) { try await Catalog.open(path) }
        }
    }
}

extension FileLock.Attempt {
    /// Who has the lock instead; nil when it was given.
    fileprivate var holder: String? {
        if case .taken(let holder) = self { return holder }
        return nil
    }
}
