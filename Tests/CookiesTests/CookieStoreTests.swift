import Cookies
import Files
import Glibc
import Synchronization
import TestSupport
import Testing
import URLs

/// A session that has a new value with every answer.
private final class Server: Sendable {
    let state = Mutex((value: 0, oldest: 0))

    func next(after sent: Int) -> Int {
        state.withLock { state in
            state.oldest = max(state.oldest, state.value - sent)
            state.value += 1
            return state.value
        }
    }
}

@Suite("A jar that is kept")
struct CookieStoreTests {
    private func open(
        _ folder: Folder, _ name: String = "pool", isShared: Bool = true, keepsSession: Bool = false
    ) async throws -> CookieStore {
        try await CookieStore.open(
            name, in: Directory(folder.path), isShared: isShared, keepsSession: keepsSession
        ).store
    }

    private func header(_ store: CookieStore, _ text: String = "https://a.com/") async throws -> String? {
        let (field, turn) = await store.header(for: try url(text))
        await store.end(turn)
        return field.map { String(decoding: $0, as: UTF8.self) }
    }

    private func set(_ store: CookieStore, _ field: String) async throws {
        store.receive([Array(field.utf8)], from: try url("https://a.com/"))
        await store.end()
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test("What one run of a pool gets the other sends at once")
    func shared() async throws {
        try await Folder.temporary { folder in
            let (one, other) = (try await open(folder), try await open(folder))
            try await set(one, "a=1; Max-Age=100")
            #expect(try await header(other) == "a=1")
            try await set(other, "a=2; Max-Age=100")
            try await set(one, "b=3")
            #expect(try await header(one) == "a=2; b=3", "session cookies too")
            try await set(other, "a=; Max-Age=0")
            #expect(try await header(one) == "b=3")
            try await one.close()
            #expect(try await header(other) == "b=3", "the session lives as long as one run uses it")
            try await other.close()
            #expect(try folder.text("pool.txt").contains("\tb\t") == false)
        }
    }

    @Test("Session cookies go with the run unless they are to be kept", arguments: [true, false])
    func session(isKept: Bool) async throws {
        try await Folder.temporary { folder in
            let first = try await open(folder, isShared: false, keepsSession: isKept)
            try await set(first, "s=1")
            try await set(first, "p=2; Max-Age=100")
            try await first.close()
            let second = try await open(folder, isShared: false, keepsSession: isKept)
            #expect(try await header(second) == (isKept ? "s=1; p=2" : "p=2"))
        }
    }

    @Test("The session of a run that was killed is not taken for an imported one")
    func killedSession() async throws {
        try await Folder.temporary { folder in
            let line = "a.com\tFALSE\t/\tFALSE\t0\ts\t1\n"
            try folder.write("pool.txt", "# A run is under way: its session cookies are below.\n" + line)
            #expect(try await header(try await open(folder)) == nil)
            try folder.write("other.txt", line)
            #expect(try await header(try await open(folder, "other")) == "s=1")
        }
    }

    @Test("The file is its owner's alone, whatever it was before, and no link is followed (C17)")
    func modes() async throws {
        try await Folder.temporary { folder in
            try folder.write("pool.txt", "")
            chmod("\(folder.path)/pool.txt", 0o666)
            let store = try await open(folder)
            try await set(store, "a=1; Max-Age=100")
            try await store.close()
            for name in ["pool.txt", ".pool.lock", ".pool.use", ".pool.turn"] {
                #expect(mode("\(folder.path)/\(name)") == 0o600)
            }
            try folder.write("target", "a.com\tFALSE\t/\tFALSE\t0\ts\t1\n")
            symlink("target", "\(folder.path)/linked.txt")
            await #expect(throws: SystemError.self) { try await open(folder, "linked") }
            #expect(try folder.text("target").contains("\ts\t1"))
        }
    }

    @Test("An import is taken when it is newer; its session cookies at each run")
    func imports() async throws {
        try await Folder.temporary { folder in
            let content = CookieText.read(
                Array("a.com\tFALSE\t/\tFALSE\t9999999999\tp\t1\na.com\tFALSE\t/\tFALSE\t0\ts\t1\n".utf8), now: 1)
            let first = try await open(folder)
            first.take(content, path: "/x/cookies.txt", modified: 10.5)
            #expect(try await header(first) == "p=1; s=1")
            try await set(first, "p=2; Max-Age=100")
            try await first.close()
            let second = try await open(folder)
            second.take(content, path: "/x/cookies.txt", modified: 10.5)
            #expect(try await header(second) == "p=2; s=1")
            second.take(content, path: "/x/cookies.txt", modified: 11)
            #expect(try await header(second) == "p=1; s=1")
        }
    }

    @Test("A disk that cannot be written leaves the jar in memory, and the end tells")
    func failingDisk() async throws {
        try await Folder.temporary { folder in
            let store = try await open(folder)
            try folder.write("pool.txt/x", "a folder where the file should go")
            try await set(store, "a=1; Max-Age=100")
            #expect(try await header(store) == "a=1")
            await #expect(throws: SystemError.self) { try await store.close() }
        }
    }

    @Test("Many tasks and two jars at once lose no cookie")
    func crowd() async throws {
        try await Folder.temporary { folder in
            let stores = [try await open(folder), try await open(folder)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let store = stores[number % 2]
                        try await set(store, "n\(number)=v; Max-Age=1000")
                        _ = try await header(store)
                    }
                }
                try await group.waitForAll()
            }
            for store in stores { #expect(try await header(store)?.split(separator: ";").count == 60) }
        }
    }

    @Test("A session that changes with every answer is asked for by few at once, in two runs", .timeLimit(.minutes(1)))
    func turns() async throws {
        try await Folder.temporary { folder in
            let stores = [try await open(folder), try await open(folder)]
            let site = try url("https://a.com/")
            let server = Server()
            for store in stores {
                store.receive([Array("s=0".utf8)], from: site)
                await store.end()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<120 {
                    group.addTask {
                        let store = stores[number % 2]
                        let (field, turn) = await store.header(for: site)
                        // Some requests take much longer than others to get there.
                        try await Task.sleep(for: .milliseconds(number % 7 == 0 ? 25 : 0))
                        let sent = Int(String(decoding: field?.dropFirst(2) ?? [], as: UTF8.self)) ?? -1
                        let next = server.next(after: sent)
                        store.receive([Array("s=\(next)".utf8)], from: site, turn: turn)
                        await store.end(turn)
                    }
                    // The first few tell that the session changes.
                    if number < 6 { try await group.next() }
                }
                try await group.waitForAll()
            }
            let (value, oldest) = server.state.withLock { $0 }
            #expect(value == 120 && oldest <= 4, "\(oldest) values old")
        }
    }
}
