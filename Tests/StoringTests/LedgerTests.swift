import Files
import TestSupport
import Model
import Storing
import Testing

@Suite struct LedgerTests {
    private static func bundle(_ name: String, _ bytes: Int64) -> WrittenBundle {
        let record = BundleRecord(
            path: "bundles/job/\(name)", format: .tar, entries: 1, bytes: bytes, sha256: "00")
        return WrittenBundle(record: record, companions: ["\(name).sha256"])
    }

    /// Announces bundles, the first of which holds all that the job has.
    private func announce(_ trial: Trial, _ names: String..., bytes: Int64 = 4) async throws {
        let catalog = trial.store.catalog
        let bundles = names.map { Self.bundle($0, bytes) }
        let numbers = try await catalog.announce(bundles, pack: "p", of: "job", run: trial.run, at: 1)
        let files = try await catalog.files(of: "job", notIn: nil, after: "", limit: 9)
        try await catalog.add(files.map { ($0.name, $0.content.sha256) }, to: numbers[0])
        try await catalog.commitAnnounced(of: "job")
    }

    @Test func whatWentOutIsNoLongerNewForThatPackAlone() async throws {
        try await Trial.with { trial in
            let catalog = trial.store.catalog
            try await trial.download([("a", "first")])
            _ = try await trial.name("n")
            #expect(try await catalog.files(of: "job", notIn: "p", after: "", limit: 9).map(\.name) == ["n"])
            try await announce(trial, "b.tar")
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
            try await announce(trial, "b.tar")
            try await trial.store.settleAnnouncedBundles(of: "job")
            #expect(try await catalog.files(of: "job", notIn: "p", after: "", limit: 9).count == 1)
        }
    }

    @Test func aBundleThatAppearedBeforeTheKillCounts() async throws {
        try await Trial.with { trial in
            let catalog = trial.store.catalog
            try await trial.download([("a", "first")])
            _ = try await trial.name("n")
            try await announce(trial, "b.tar")
            try trial.folder.write("root/bundles/job/b.tar", "whole")
            try await trial.store.settleAnnouncedBundles(of: "job")
            #expect(try await catalog.files(of: "job", notIn: "p", after: "", limit: 9).count == 1)
            try await announce(trial, "b.tar", bytes: 5)
            try await trial.store.settleAnnouncedBundles(of: "job")
            #expect(try await catalog.files(of: "job", notIn: "p", after: "", limit: 9).isEmpty)
        }
    }
}

extension LedgerTests {
    @Test func volumesCountTogetherOrNotAtAll() async throws {
        try await Trial.with { trial in
            let catalog = trial.store.catalog
            try await trial.download([("a", "first")])
            _ = try await trial.name("n")
            try await announce(trial, "v1.tar", "v2.tar")
            for name in ["v1.tar", "v1.tar.sha256", "v2.tar.sha256"] {
                try trial.folder.write("root/bundles/job/\(name)", "four")
            }
            try trial.folder.write("root/bundles/job/other.tar", "four")
            try await trial.store.settleAnnouncedBundles(of: "job")
            #expect(Folder("\(trial.folder.path)/root/bundles/job").names.sorted() == ["other.tar", "v2.tar.sha256"])
            #expect(try await catalog.files(of: "job", notIn: "p", after: "", limit: 9).count == 1)
        }
    }

    @Test func whatTheNewestRunBroughtIsAPartOfAll() async throws {
        try await Trial.with { trial in
            let catalog = trial.store.catalog
            try await trial.download([("a", "first")])
            _ = try await trial.name("n")
            #expect(try await catalog.files(of: "job", notIn: nil, isNewest: true, after: "", limit: 9).count == 1)
            #expect(try await catalog.bytes(of: "job", notIn: nil, isNewest: true) == 5)
            let next = RunIdentity(id: "2", job: "job", manifestSHA256: "", started: 2)
            _ = try await catalog.begin(next)
            #expect(try await catalog.files(of: "job", notIn: nil, isNewest: true, after: "", limit: 9).isEmpty)
            #expect(try await catalog.files(of: "job", notIn: nil, after: "", limit: 9).count == 1)
            #expect(try await catalog.bytes(of: "job", notIn: nil, isNewest: true) == 0)
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
