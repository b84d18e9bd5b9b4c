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

    /// A name for the first visit of the run, whatever has it.
    private func choose(_ name: String, in trial: Trial) async throws -> [ChosenName] {
        let visits = try await trial.store.catalog.visits(try await trial.store.catalog.order(of: trial.run))
        let content = try #require(visits[0].known?.content)
        let wish = NameWish(for: visits[0], content: content) { _ in (name, name) }
        return try await trial.store.catalog.choose([wish], for: "job")
    }

    @Test func nothingIsOverwritten() async throws {
        try await Trial.with { trial in
            try trial.folder.write("root/files/job/n", "somebody's own")
            try await trial.download([("a", "ours")])
            let chosen = try await choose("n", in: trial)
            #expect(await trial.store.place(chosen, of: "job", copies: false) == [.taken])
            #expect(await trial.store.place(chosen, of: "job", copies: true) == [.taken])
            #expect(try trial.folder.text("root/files/job/n") == "somebody's own")
        }
    }

    @Test(arguments: [false, true]) func aNameThatAKillLeftIsTakenOver(copies: Bool) async throws {
        try await Trial.with { trial in
            try await trial.download([("a", "ours")])
            let chosen = try await choose("n", in: trial)
            #expect(await trial.store.place(chosen, of: "job", copies: copies) == [.placed])
            #expect(await trial.store.place(chosen, of: "job", copies: copies) == [.placed])
        }
    }

    @Test func whatAKillLeftOfAReplacementGoesAndTheNameStays() async throws {
        try await Trial.with { trial in
            try await trial.download([("a", "older")])
            _ = try await trial.name("n")
            let visits = try await trial.store.catalog.visits(try await trial.store.catalog.order(of: trial.run))
            let newer = StoredContent(sha256: [UInt8](repeating: 7, count: 32), bytes: 5)
            let wish = NameWish(for: visits[0], content: newer) { _ in ("n", "n") }
            let chosen = try await trial.store.catalog.choose([wish], for: "job", replacingIn: trial.run)
            #expect(chosen.first?.name == "n")
            try await trial.store.catalog.announce(chosen, for: "job")
            let temporary = "root/files/job/.\(String(repeating: "07", count: 32)).1.tmp"
            try trial.folder.write(temporary, "half")
            try await trial.store.removeLeftNames(of: "job")
            #expect(access("\(trial.folder.path)/\(temporary)", F_OK) != 0)
            #expect(try trial.folder.text("root/files/job/n") == "older")
        }
    }

    @Test func aPlantedLinkIsNotFollowed() async throws {
        try await Trial.with { trial in
            try trial.folder.write("outside/x", "")
            try trial.folder.write("root/files/job/x", "")
            symlink("../../../outside", "\(trial.folder.path)/root/files/job/folder")
            try await trial.download([("a", "ours")])
            let chosen = try await choose("folder/n", in: trial)
            #expect(await trial.store.place(chosen, of: "job", copies: false) == [.blocked])
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

@Suite("Names that changed content takes over, and folders that files stand in the way of")
struct ReplacingTests {
    /// Gives names by what each visit's URL ends in.
    private func name(
        _ trial: Trial, _ wanted: [String: String], run: RunNumber, replacing: Bool = true, copies: Bool = false
    ) async throws -> [ChosenName] {
        let visits = try await trial.store.catalog.visits(try await trial.store.catalog.order(of: run))
        let wishes = visits.compactMap { visit -> NameWish? in
            let last = visit.url.split(separator: "/").last.map(String.init) ?? ""
            guard let known = visit.known, known.name == nil, let name = wanted[last] else { return nil }
            return NameWish(for: visit, content: known.content) { number in
                let whole = number == 1 ? "\(name).pdf" : "\(name)-\(number).pdf"
                return (whole, whole.lowercased())
            }
        }
        let chosen = try await trial.store.catalog.choose(
            wishes, for: "job", replacingIn: replacing ? run : nil)
        let placements = await trial.store.place(chosen, of: "job", copies: copies)
        let given = zip(chosen, placements).filter { $0.1 == .placed }.map {
            GivenName(
                chosen: $0.0, isNamed: true, extension: "pdf", extensionSource: .url, modified: 1, contentType: nil)
        }
        try await trial.store.catalog.record(given, of: run)
        return chosen
    }

    @Test("Each URL's new content gets the name that its old content had", arguments: [false, true])
    func replaced(copies: Bool) async throws {
        try await Trial.with { trial in
            let wanted = ["a": "report", "b": "Report"]
            try await trial.download([("a", "first a"), ("b", "first b")])
            #expect(
                try await name(trial, wanted, run: trial.run, copies: copies).map(\.name) == [
                    "report.pdf", "Report-2.pdf",
                ])
            let second = try await Trial.begin(trial.store, "2")
            try await trial.download([("b", "second b"), ("a", "second a")], run: second)
            let chosen = try await name(trial, wanted, run: second, copies: copies)
            #expect(chosen.map(\.name) == ["Report-2.pdf", "report.pdf"])
            #expect(try trial.folder.text("root/files/job/report.pdf") == "second a")
            #expect(try trial.folder.text("root/files/job/Report-2.pdf") == "second b")
            #expect(try trial.folder.text(trial.object("first a")) == "first a")
            #expect(trial.folder.files("root/files/job").count == 2)
        }
    }

    @Test("What somebody put in a name's place is not replaced")
    func foreign() async throws {
        try await Trial.with { trial in
            try await trial.download([("a", "first")])
            _ = try await name(trial, ["a": "n"], run: trial.run)
            unlink("\(trial.folder.path)/root/files/job/n.pdf")
            try trial.folder.write("root/files/job/n.pdf", "somebody's own")
            let second = try await Trial.begin(trial.store, "2")
            try await trial.download([("a", "second")], run: second)
            _ = try await name(trial, ["a": "n"], run: second)
            #expect(try trial.folder.text("root/files/job/n.pdf") == "somebody's own")
        }
    }

    @Test("A folder with the name of a file gets another name, whichever came first")
    func folders() async throws {
        try await Trial.with { trial in
            try await trial.download([("a", "file"), ("b", "below"), ("c", "other")])
            let chosen = try await name(
                trial, ["a": "x/a", "b": "x/A.pdf/b", "c": "x"], run: trial.run, replacing: false)
            #expect(chosen.map(\.name) == ["x/a.pdf", "x/A.pdf_/b.pdf", "x.pdf"])
            #expect(try trial.folder.text("root/files/job/x/A.pdf_/b.pdf") == "below")
        }
    }
}
