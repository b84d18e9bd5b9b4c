import Files
import TestSupport
import Glibc
import Model
import Storing
import Testing

@Suite struct NameTests {
    @Test func namesShareOneCopyAndFollowTheOrder() async throws {
        try await Trial.with { trial in
            try await trial.download([("a", "same"), ("b", "other"), ("c", "same")])
            let chosen = try await trial.name("n")
            #expect(chosen.map(\.name) == ["n", "n-2", "n-3"])
            #expect(chosen.map(\.duplicateOf) == [nil, nil, "n"])
            var (one, other) = (stat(), stat())
            #expect(stat("\(trial.folder.path)/root/files/job/n", &one) == 0)
            #expect(stat("\(trial.folder.path)/root/files/job/n-3", &other) == 0)
            #expect(one.st_ino == other.st_ino)
        }
    }

    @Test func nothingIsOverwritten() async throws {
        try await Trial.with { trial in
            try trial.folder.write("root/files/job/n", "somebody's own")
            try await trial.download([("a", "ours")])
            let visits = try await trial.store.catalog.visits(try await trial.store.catalog.order(of: trial.run))
            let content = try #require(visits[0].known?.content)
            let wish = NameWish(visit: visits[0].id, content: content) { _ in ("n", "n") }
            let chosen = try await trial.store.catalog.choose([wish], for: "job")
            #expect(await trial.store.place(chosen, of: "job", copies: false) == [.taken])
            #expect(await trial.store.place(chosen, of: "job", copies: true) == [.taken])
            #expect(try trial.folder.text("root/files/job/n") == "somebody's own")
        }
    }

    @Test func aNameThatAKillLeftIsTakenOver() async throws {
        try await Trial.with { trial in
            try await trial.download([("a", "ours")])
            let visits = try await trial.store.catalog.visits(try await trial.store.catalog.order(of: trial.run))
            let content = try #require(visits[0].known?.content)
            let wish = NameWish(visit: visits[0].id, content: content) { _ in ("n", "n") }
            let chosen = try await trial.store.catalog.choose([wish], for: "job")
            #expect(await trial.store.place(chosen, of: "job", copies: false) == [.placed])
            #expect(await trial.store.place(chosen, of: "job", copies: false) == [.placed])
        }
    }

    @Test func aPlantedLinkIsNotFollowed() async throws {
        try await Trial.with { trial in
            try trial.folder.write("outside/x", "")
            try trial.folder.write("root/files/job/x", "")
            symlink("../../../outside", "\(trial.folder.path)/root/files/job/folder")
            try await trial.download([("a", "ours")])
            let visits = try await trial.store.catalog.visits(try await trial.store.catalog.order(of: trial.run))
            let content = try #require(visits[0].known?.content)
            let wish = NameWish(visit: visits[0].id, content: content) { _ in ("folder/n", "folder/n") }
            let chosen = try await trial.store.catalog.choose([wish], for: "job")
            #expect(await trial.store.place(chosen, of: "job", copies: false) == [.taken])
            #expect(access("\(trial.folder.path)/outside/n", F_OK) != 0)
        }
    }

    @Test func contentThatChangedGetsANewNameAndTheOldOneStays() async throws {
        try await Trial.with { trial in
            try await trial.download([("a", "first")])
            _ = try await trial.name("n")
            let second = try await Trial.begin(trial.store, "2")
            try await trial.download([("a", "second")], run: second)
            let visits = try await trial.store.catalog.visits(try await trial.store.catalog.order(of: second))
            #expect(visits[0].known?.name == nil)
            #expect(try await trial.name("n", run: second).map(\.name) == ["n-2"])
            #expect(try trial.folder.text("root/files/job/n") == "first")
            #expect(try trial.folder.text("root/files/job/n-2") == "second")
        }
    }

    @Test func contentThatIsTheSameKeepsItsName() async throws {
        try await Trial.with { trial in
            try await trial.download([("a", "first")])
            _ = try await trial.name("n")
            let second = try await Trial.begin(trial.store, "2")
            try await trial.download([("a", "first")], run: second)
            let visits = try await trial.store.catalog.visits(try await trial.store.catalog.order(of: second))
            #expect(visits[0].known?.name == "n")
        }
    }

    @Test func thousandsOfLikeNamesAreNumberedInTurn() async throws {
        try await Trial.with { trial in
            try await trial.download((0..<300).map { ("\($0)", "content \($0)") })
            let chosen = try await trial.name("n")
            #expect(chosen.map(\.name) == ["n"] + (2...300).map { "n-\($0)" })
        }
    }
}
