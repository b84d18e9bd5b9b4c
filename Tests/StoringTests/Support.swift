import Digests
import Model
import Storing
import TestSupport
import URLs

/// A store in a folder of its own, with a run of job "job" begun.
struct Trial {
    let folder: Folder
    let store: Store
    let run: RunNumber

    static func with(_ body: (Trial) async throws -> Void) async throws {
        try await Folder.temporary { folder in
            let store = try await Store.open("\(folder.path)/root")
            try await body(Trial(folder: folder, store: store, run: try await begin(store)))
        }
    }

    static func begin(_ store: Store, _ id: String = "1") async throws -> RunNumber {
        try await store.catalog.begin(RunIdentity(id: id, job: "job", manifestSHA256: "00", started: 1))
    }

    func url(_ path: String) throws -> WebURL {
        guard let url = WebURL("https://example.org/\(path)") else { throw NoURL() }
        return url
    }

    struct NoURL: Error {}

    func discovery(
        _ path: String, _ verdict: LinkVerdict, depth: Int = 1, position: Int = 0
    ) throws -> Discovery {
        Discovery(
            link: Link(url: try url(path), source: "a[href]"), verdict: verdict, depth: depth, position: position)
    }

    func add(_ discoveries: [Discovery], pageOrder: Int64 = 1, run: RunNumber? = nil) async throws -> Int {
        let page = Catalog.FoundOn(url: try url("page\(pageOrder)"), pageOrder: pageOrder)
        return try await store.catalog.add(discoveries, to: run ?? self.run, foundOn: page).count
    }

    /// Puts content below `partial/` as a finished download.
    func part(_ name: String, _ content: String) throws -> PartFile {
        let bytes = Array(content.utf8)
        try folder.write("root/partial/job/\(name)", bytes)
        return PartFile(name: name, bytes: Int64(bytes.count), sha256: try SHA256.digest(of: bytes), prefix: bytes)
    }

    func object(_ content: String) throws -> String {
        let name = hex(try SHA256.digest(of: content.utf8))
        return "root/objects/\(name.prefix(2))/\(name)"
    }

    /// Downloads content for URLs in one batch: settled, recorded, not named.
    func download(_ contents: [(path: String, content: String)], run: RunNumber? = nil) async throws {
        let run = run ?? self.run
        let discoveries = try contents.enumerated().map { position, item in
            try discovery(item.path, .fetch(.item), position: position)
        }
        _ = try await add(discoveries, run: run)
        let partial = try await store.folder("partial/job")
        let queued = try await store.catalog.items(of: run, after: 0, limit: 1000)
        for (resource, item) in zip(queued, contents) {
            let part = try part("\(resource.id).part", item.content)
            _ = await store.settle([Arrival(part: part, modified: nil)], from: partial)
            let request = FetchRequest(id: resource.id, url: try url(item.path), purpose: .item)
            let result = FetchResult(request: request, outcome: .item(part), started: 1)
            let content = StoredContent(sha256: part.sha256, bytes: part.bytes)
            try await store.catalog.record([Outcome(result, kind: .content(content))], of: run)
        }
    }

    /// Gives every visit that waits the name `wanted`, or the next that is free.
    func name(_ wanted: String, run: RunNumber? = nil) async throws -> [ChosenName] {
        let run = run ?? self.run
        let visits = try await store.catalog.visits(try await store.catalog.order(of: run))
        let wishes = visits.compactMap { visit in
            visit.known.map { known in
                NameWish(for: visit, content: known.content) { number in
                    let name = number == 1 ? wanted : "\(wanted)-\(number)"
                    return (name, name)
                }
            }
        }
        let chosen = try await store.catalog.choose(wishes, for: "job")
        let placements = await store.place(chosen, of: "job", copies: false)
        let given = zip(chosen, placements).filter { $0.1 == .placed }.map {
            GivenName(
                chosen: $0.0, isNamed: true, extension: "bin", extensionSource: .default, modified: 1, contentType: nil)
        }
        try await store.catalog.record(given, of: run)
        return chosen
    }
}
