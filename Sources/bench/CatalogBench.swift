import Digests
import Files
import Model
import Storing
import URLs

/// What the catalog costs a run that meets URLs it knows, over what the network takes.
struct CatalogBench {
    let store: Store
    let count: Int

    /// Runs twice over `count` URLs: the first knows none of them, the second all.
    /// - Returns: seconds of wall time of both.
    static func run(_ count: Int, below folder: String) async throws -> (new: Double, known: Double) {
        let bench = CatalogBench(store: try await Store.open(folder), count: count)
        let new = try await bench.timed(1)
        return (new, try await bench.timed(2))
    }

    private func timed(_ number: Int) async throws -> Double {
        let began = ContinuousClock.now
        let identity = RunIdentity(id: "\(number)", job: "bench", manifestSHA256: "", started: Double(number))
        let run = try await store.catalog.begin(identity)
        try await discover(run)
        try await fetch(run, isNew: number == 1)
        try await conclude(run)
        try await store.catalog.end(
            run, RunEnd(status: .succeeded, exitStatus: 0, finished: Double(number)), counts: "{}")
        return (ContinuousClock.now - began) / .seconds(1)
    }

    /// As the crawl does it: a page's links at once, 200 a page.
    private func discover(_ run: RunNumber) async throws {
        guard let page = WebURL("https://example.org/list/") else { return }
        for start in stride(from: 0, to: count, by: 200) {
            let links = (start..<min(start + 200, count)).compactMap { number -> Discovery? in
                guard let url = WebURL("https://example.org/reports/\(number % 97)/annual-report-\(number).pdf") else {
                    return nil
                }
                return Discovery(
                    link: Link(url: url, source: "a[href]"), verdict: .fetch(.item), depth: 1, position: number)
            }
            _ = try await store.catalog.add(links, to: run, foundOn: Catalog.FoundOn(url: page, pageOrder: 1))
        }
    }

    /// As crawl and settler do it: looked up in batches, recorded in batches.
    private func fetch(_ run: RunNumber, isNew: Bool) async throws {
        var last: Int64 = 0
        while true {
            let waiting = try await store.catalog.items(of: run, after: last, limit: 256)
            guard let end = waiting.last else { return }
            last = end.id
            var outcomes: [Outcome] = []
            for resource in waiting {
                guard let url = WebURL(resource.url) else { continue }
                var request = FetchRequest(id: resource.id, url: url, purpose: .item)
                request.known = resource.content
                request.knownName = resource.name
                let result = FetchResult(request: request, outcome: .unchanged, started: 1)
                guard isNew else {
                    outcomes.append(Outcome(result, kind: .notModified))
                    continue
                }
                let content = StoredContent(sha256: try SHA256.digest(of: resource.url.utf8), bytes: 1000)
                outcomes.append(Outcome(result, kind: .content(content)))
            }
            try await store.catalog.record(outcomes, of: run)
        }
    }

    /// As the naming pass does it.
    private func conclude(_ run: RunNumber) async throws {
        let order = try await store.catalog.order(of: run)
        for start in stride(from: 0, to: order.count, by: 256) {
            let visits = try await store.catalog.visits(order[start..<min(start + 256, order.count)])
            try await name(visits.filter { $0.known?.name == nil }, run)
        }
    }

    private func name(_ visits: [Visit], _ run: RunNumber) async throws {
        guard !visits.isEmpty else { return }
        let wishes = visits.compactMap { visit in
            visit.known.map { known in
                NameWish(for: visit, content: known.content, isFirst: known.isNew) { number in
                    let name = "\(visit.id)-\(number).pdf"
                    return (name, name)
                }
            }
        }
        let chosen = try await store.catalog.choose(wishes, for: "bench")
        try await store.catalog.announce(chosen, for: "bench")
        let given = chosen.map {
            GivenName(
                chosen: $0, isNamed: true, extension: "pdf", extensionSource: .url, modified: 1, contentType: nil)
        }
        try await store.catalog.record(
            given, of: run, concluding: chosen.map { (visit: $0.visit, status: .downloaded, name: $0.name) })
    }
}
