import Files
import Glibc
import TestSupport
import Testing

@Suite struct DirectoryTests {
    @Test func aPlantedLinkIsNeitherReadNorWrittenThrough() async throws {
        try await Folder.temporary { folder in
            try folder.write("outside/secret", "secret")
            try folder.write("inside/keep", "")
            symlink("../outside/secret", "\(folder.path)/inside/link")
            symlink("../outside", "\(folder.path)/inside/folder")
            let inside = try Directory("\(folder.path)/inside")
            #expect(throws: SystemError.self) { _ = try inside.open("link") }
            #expect(throws: SystemError.self) { _ = try inside.create("link") }
            #expect(throws: SystemError.self) { _ = try inside.openOrCreate("link") }
            #expect(throws: SystemError.self) { try inside.directory("folder") }
            #expect(throws: SystemError.self) { try inside.directory("folder/x", create: true) }
            #expect(throws: SystemError.self) { try inside.directory("../outside") }
            #expect(try folder.text("outside/secret") == "secret")
        }
    }

    @Test func aNameThatIsTakenIsNotReplacedByAccident() async throws {
        try await Folder.temporary { folder in
            try folder.write("new", "new")
            try folder.write("old", "old")
            let directory = try Directory(folder.path)
            let error = #expect(throws: SystemError.self) { try directory.renameNew("new", to: directory, "old") }
            #expect(error?.alreadyExists == true)
            #expect(throws: SystemError.self) { try directory.link("new", to: directory, "old") }
            #expect(try folder.text("old") == "old")
            try directory.rename("new", to: directory, "old")
            #expect(try folder.text("old") == "new")
        }
    }

    @Test func errorsSayWhatWasTriedOnWhat() async throws {
        try await Folder.temporary { folder in
            let directory = try Directory(folder.path)
            let error = #expect(throws: SystemError.self) { _ = try directory.open("absent") }
            #expect(error?.description == "cannot open \(folder.path)/absent: No such file or directory")
        }
    }

    @Test func foldersAreMadeWithThoseAbove() async throws {
        try await Folder.temporary { folder in
            let directory = try Directory("\(folder.path)/a/b/c", create: true)
            try directory.replace("x", with: [1])
            #expect(try folder.read("a/b/c/x") == [1])
            #expect(try Directory(folder.path).directory("a/b/c").names() == ["x"])
        }
    }
}

@Suite struct AtomicFileTests {
    @Test func theNameAppearsWithTheWholeContent() async throws {
        try await Folder.temporary { folder in
            try folder.write("report", "old")
            let directory = try Directory(folder.path)
            let file = try AtomicFile("report", in: directory)
            try file.write(Array("new".utf8))
            #expect(try folder.text("report") == "old")
            try file.publish()
            #expect(try folder.text("report") == "new")
            #expect(try directory.names() == ["report"])
        }
    }

    @Test func whatIsNotPublishedLeavesNothing() async throws {
        try await Folder.temporary { folder in
            let directory = try Directory(folder.path)
            do {
                let file = try AtomicFile("report", in: directory)
                try file.write([1, 2, 3])
            }
            #expect(try directory.names() == [])
        }
    }

    @Test func theNewestIsALinkThatMoves() async throws {
        try await Folder.temporary { folder in
            let directory = try Directory(folder.path)
            try directory.replaceLink("latest", to: "one")
            try directory.replaceLink("latest", to: "two")
            #expect(try directory.linkTarget("latest") == "two")
            #expect(try directory.linkTarget("absent") == nil)
        }
    }
}

@Suite struct FileLockTests {
    @Test func theSecondHearsWhoIsFirst() async throws {
        try await Folder.temporary { folder in
            let directory = try Directory(folder.path)
            guard case .held(let lock) = try FileLock.attempt("l", in: directory, note: "pid 7, since noon") else {
                Issue.record("a free lock was not given")
                return
            }
            guard case .taken(let holder) = try FileLock.attempt("l", in: directory, note: "x") else {
                Issue.record("a lock was given twice")
                return
            }
            #expect(holder == "pid 7, since noon")
            withExtendedLifetime(lock) {}
        }
    }

    @Test func aLockThatWasLetGoIsFree() async throws {
        try await Folder.temporary { folder in
            let directory = try Directory(folder.path)
            for _ in 0..<2 {
                guard case .held = try FileLock.attempt("l", in: directory, note: "") else {
                    Issue.record("the lock stayed behind")
                    return
                }
            }
        }
    }
}

@Suite struct TemporaryFolderTests {
    @Test func itGoesWithAllThatIsInItAndNothingElse() async throws {
        try await Folder.temporary { folder in
            try folder.write("kept/file", "kept")
            var path = ""
            do {
                let temporary = try TemporaryFolder(below: folder.path)
                path = temporary.path
                try Folder(path).write("a/b/c", "x")
                symlink("\(folder.path)/kept", "\(path)/a/link")
            }
            #expect(access(path, F_OK) != 0)
            #expect(try folder.text("kept/file") == "kept")
        }
    }
}
