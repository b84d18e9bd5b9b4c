import Database
import Lanes

/// The SQLite database that remembers URLs, validators, objects, names, runs and bundles.
///
/// One actor on a thread of its own writes it; doors take batches, since a hop to the actor costs more than a row.
package actor Catalog {
    let database: Connection
    private let lane: Lane
    private var jobs: [String: Int64] = [:]
    private var urlCache = RecentNumbers()
    /// What was met last had not been met before, so the next may well be new too.
    private var meetsNewURLs = false
    /// The alternative to try first for a name met lately: thousands of like names must not try all of them in turn.
    var nameHints = RecentNumbers()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

    /// Opens the catalog, makes it when missing, and brings its tables up to date.
    /// - Throws: ``DatabaseError``, ``StoreError``.
    package static func open(_ path: String) async throws -> Catalog {
        let lane = try Lane("catalog")
        do {
            let catalog = try Catalog(path, lane: lane)
            try await catalog.prepare()
            return catalog
        } catch let error as DatabaseError where error.isDamaged {
            throw StoreError.damagedCatalog("\(error)")
        }
    }

    /// Opens a catalog that cannot be written, as it is.
    /// - Throws: ``DatabaseError``, ``StoreError``.
    static func openReadOnly(_ path: String) async throws -> Catalog {
        do {
            let catalog = try Catalog(path, lane: try Lane("catalog"), access: .immutable)
            try await catalog.checkVersion()
            return catalog
        } catch let error as DatabaseError where error.isDamaged {
            throw StoreError.damagedCatalog("\(error)")
        }
    }

    private init(_ path: String, lane: Lane, access: Connection.Access = .readWrite) throws {
        self.lane = lane
        database = try Connection(path, access: access)
    }

    private func checkVersion() throws {
        let version = try database.first("PRAGMA user_version") { $0.int(0) } ?? 0
        if version > Schema.versions.count { throw StoreError.newerCatalog(version: version) }
        if version < Schema.versions.count { throw StoreError.olderCatalog(version: version) }
    }

    private func prepare() throws {
        try database.script(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            PRAGMA temp_store = FILE;
            PRAGMA cache_size = -32768;
            PRAGMA journal_size_limit = 67108864;
            -- Pages that many transactions change go to the database once for all of them.
            PRAGMA wal_autocheckpoint = 8192;
            """)
        try Schema.migrate(database)
    }

    /// Makes one transaction durable at once, also against loss of power; the others are so after the next checkpoint.
    func durably<Result>(_ body: () throws -> Result) throws -> Result {
        try database.script("PRAGMA synchronous = FULL")
        defer { try? database.script("PRAGMA synchronous = NORMAL") }
        return try database.transaction(body)
    }

    func job(_ name: String) throws -> Int64 {
        if let id = jobs[name] { return id }
        let select = "SELECT id FROM jobs WHERE name = ?"
        var id = try database.first(select, [.text(name)]) { $0.integer(0) }
        if id == nil {
            try database.run("INSERT INTO jobs(name) VALUES(?) ON CONFLICT DO NOTHING", [.text(name)])
            id = try database.first(select, [.text(name)]) { $0.integer(0) }
        }
        jobs[name] = id
        return id ?? 0
    }

    /// The number of a URL's normal form; a new one when the catalog does not know it.
    func url(_ key: String) throws -> Int64 {
        if let id = urlCache[key] { return id }
        let id = try meetsNewURLs ? newURL(key) ?? knownURL(key) : knownURL(key) ?? newURL(key)
        urlCache[key] = id
        return id ?? 0
    }

    private func knownURL(_ key: String) throws -> Int64? {
        let id = try database.first("SELECT id FROM urls WHERE url = ?", [.text(key)], { $0.integer(0) })
        if id != nil { meetsNewURLs = false }
        return id
    }

    private func newURL(_ key: String) throws -> Int64? {
        try database.run("INSERT INTO urls(url) VALUES(?) ON CONFLICT DO NOTHING", [.text(key)])
        meetsNewURLs = database.changes > 0
        return meetsNewURLs ? database.lastInsertedRow : nil
    }

    /// What a rolled back transaction may have left in memory is forgotten.
    func forgetCaches() {
        jobs = [:]
        urlCache = RecentNumbers()
        nameHints = RecentNumbers()
    }
}

/// Numbers by text, for as many texts as memory is granted: navigation repeats the same links on every page.
struct RecentNumbers {
    private var numbers: [ExactText: Int64] = [:]

    subscript(key: String) -> Int64? {
        get { numbers[ExactText(key)] }
        set {
            if numbers.count >= 4096 { numbers.removeAll(keepingCapacity: true) }
            numbers[ExactText(key)] = newValue
        }
    }
}
