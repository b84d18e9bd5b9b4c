import Cookies
import Fetching
import Files
import Glibc
import HTTP
import Model
import Synchronization
import TestSupport
import Testing
import URLs

func url(_ text: String) throws -> WebURL { try #require(WebURL(text)) }

/// Remembers how long it was asked to sleep, and does not.
final class Naps: Sendable {
    private let naps = Mutex<[Duration]>([])

    var all: [Duration] { naps.withLock { $0 } }

    func pace(chance: Double = 0.5, now: Double = 1_000_000_000) -> Pace {
        Pace(now: { now }, sleep: { nap in self.naps.withLock { $0.append(nap) } }, chance: { chance })
    }
}

extension FetchRules {
    /// No second try, and patience for a busy machine.
    static var quick: FetchRules {
        var rules = FetchRules()
        rules.retries = 0
        rules.connectTimeout = .seconds(30)
        rules.idleTimeout = .seconds(30)
        rules.totalTimeout = .seconds(600)
        return rules
    }
}

extension FetchPolicy {
    /// Takes everything for one thing.
    static func all(_ verdict: HeadVerdict, maxItemBytes: Int64? = nil) -> FetchPolicy {
        FetchPolicy(hop: { _, _ in nil }, head: { _, _ in verdict }, maxItemBytes: maxItemBytes)
    }
}

/// A fetcher with a folder of its own for parts.
struct Bench {
    let fetcher: Fetcher
    let folder: Folder

    /// - Parameter starts: URLs whose origins the manifest's headers are for.
    static func with<Result>(
        _ rules: FetchRules = .quick, headers: [(name: String, value: String)] = [], starts: [String] = [],
        pace: Pace = Naps().pace(), certificate: ClientCertificate? = nil, login: FileLogin? = nil, netrc: Netrc? = nil,
        proxies: ProxyRules = .none, cookies: CookieStore? = nil, hsts: HSTSStore = HSTSStore(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Bench) async throws -> sending Result
    ) async throws -> sending Result {
        try await Folder.temporary { folder in
            let fetcher = Fetcher(
                rules: rules, headers: headers, starts: try starts.map(url),
                engine: try HTTPEngine(connections: 16, writers: 2),
                partial: try Directory(folder.path), partPrefix: "run", proxies: proxies, netrc: netrc,
                clientCertificate: certificate, cookies: cookies, login: login, hsts: hsts, pace: pace)
            return try await body(Bench(fetcher: fetcher, folder: folder))
        }
    }

    /// Fetches as if the URL were a start, so that loopback is permitted.
    func fetch(
        _ text: String, _ policy: FetchPolicy = .all(.item), change: (inout FetchRequest) -> Void = { _ in }
    ) async -> FetchResult {
        guard let url = WebURL(text) else { preconditionFailure("no URL: \(text)") }
        var request = FetchRequest(id: 1, url: url, purpose: .item)
        request.isStart = true
        change(&request)
        return await fetcher.fetch(request, policy: policy)
    }

    /// What an item's fetch has brought.
    func content(of result: FetchResult) throws -> [UInt8] {
        let part = try #require(result.part, "\(String(describing: result.failure))")
        return try folder.read(part.name)
    }

    var partNames: [String] { folder.files().map(\.name) }
}

extension FetchResult {
    var failure: Failure? {
        if case .failed(let failure, _) = outcome { failure } else { nil }
    }
    var part: PartFile? {
        if case .item(let part) = outcome { part } else { nil }
    }
    var body: [UInt8]? {
        if case .page(let body) = outcome { body } else { nil }
    }
}

extension Folder {
    func remove(_ name: String) throws { unlink("\(path)/\(name)") }
}
