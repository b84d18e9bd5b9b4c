import Crawling
import Cookies
import Fetching
import Files
import HTML
import Lanes
import Manifests
import Model
import Naming
import Storing
import Times
import URLs

/// Crawl and fetch of one run: from the start URLs to content that is durable and recorded.
struct CrawlPass: Sendable {
    let job: Job
    let identity: RunIdentity
    let run: RunNumber
    let zone: Zone
    let namer: Namer
    let store: Store
    let network: Network
    let events: RunEvents
    /// Where secrets and proxies come from.
    let environment: [String: String]
    let interruption: Interruption
    /// Items are listed, not fetched.
    var isPlan = false
    /// Where jars are kept.
    let jars: Directory

    func run() async throws -> CrawlLoop.Result {
        let partial = try await store.partial(of: job.name)
        let parts = try await KeptParts.open(partial, now: identity.started)
        let hsts = HSTSStore(in: try await store.folder(""))
        let starts = try startURLs(of: job, at: identity.started, in: zone)
        let access = Access(rules: job.fetch, environment: environment)
        let cookies = try await JarOpening(job: job, events: events).open(in: jars)
        let fetcher = Fetcher(
            rules: job.fetch, headers: try access.headers(), starts: starts, engine: network.engine, partial: partial,
            partPrefix: identity.id, parts: parts, proxies: try access.proxies(),
            netrc: try access.netrc(), clientCertificate: try access.clientCertificate(), cookies: cookies,
            login: try access.fileLogin(), hsts: hsts, turns: network.turns, sharedRate: network.rate)
        let session = try Session(
            job.cookies, login: login(fetcher, cookies, starts), fetcher: fetcher, store: store, partial: partial,
            events: events)
        let settler = Settler(
            job: job, run: run, store: store, partial: partial, events: events, interruption: interruption)
        let plan = CrawlPlan(
            crawl: job.crawl, download: job.download, starts: starts,
            filename: { ContentDisposition.filename($0, charset: $1) })
        let inspector = try Inspector(
            plan: plan, test: job.download.test, namer: namer, partial: partial, events: events,
            interruption: interruption)
        let robots = RobotsGate(
            job.crawl,
            reader: RobotsReader(agent: fetcher.userAgent, fetcher: fetcher, catalog: store.catalog, events: events))
        let checksums = try ChecksumGate(
            job.fetch.checksums, fetcher: fetcher, robots: robots, partial: partial, events: events,
            interruption: interruption, hop: { plan.refusal(ofRedirectTo: $0, for: .item) })
        let loop = CrawlLoop(
            job: job, run: run, store: store, session: session, inspector: inspector, checksums: checksums,
            partial: partial, robots: robots,
            plan: plan,
            pages: try PageReader(extractor(agent: fetcher.userAgent)), settler: settler, events: events,
            interruption: interruption, isPlan: isPlan)
        try await store.catalog.addStarts(starts, to: run)
        let result = try await keeping(cookies) {
            try await withSettling(settler) {
                try await withTicks(of: fetcher) {
                    try await interruption.cancelling {
                        await session.begin()
                        return try await loop.run()
                    }
                }
            }
        }
        await keep(hsts)
        let rest = isPlan ? CrawlLoop.planned : "the run ended before its turn came"
        try await store.catalog.skipRest(of: run, reason: interruption.reason?.message ?? rest)
        return result
    }

    /// How often whoever looks on is told how far the downloads are.
    private static let tick = Duration.milliseconds(250)

    /// Tells beside `body` how far the downloads are.
    private func withTicks<Result: Sendable>(of fetcher: Fetcher, _ body: () async throws -> Result) async throws
        -> Result
    {
        let ticks = Task { [events] in
            while (try? await Task.sleep(for: Self.tick)) != nil {
                await events.send(.transfers(fetcher.transfers))
            }
            await events.send(.transfers([]))
        }
        do {
            let result = try await body()
            ticks.cancel()
            await ticks.value
            return result
        } catch {
            ticks.cancel()
            await ticks.value
            throw error
        }
    }

    /// Closes the jar when `body` has ended, however it ended.
    private func keeping(
        _ cookies: CookieStore, _ body: () async throws -> CrawlLoop.Result
    ) async throws -> CrawlLoop.Result {
        let result: Result<CrawlLoop.Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        do { try await cookies.close() } catch {
            await events.warn("cookies-lost", "the cookies of this run could not be kept: \(error)")
            if isDiskFull(error) { interruption.stop(.diskFull("\(error)")) }
            var crawl = try result.get()
            crawl.hasLostCookies = true
            return crawl
        }
        return try result.get()
    }

    private func login(_ fetcher: Fetcher, _ cookies: CookieStore, _ starts: [WebURL]) -> Login? {
        job.cookies.login.map {
            Login(
                rules: $0, expired: job.cookies.expired, starts: starts, fetcher: fetcher, cookies: cookies,
                environment: environment)
        }
    }

    private func extractor(agent: String) throws -> LinkExtractor {
        var extractor = LinkExtractor(
            schemes: job.download.schemes, attributes: job.crawl.attributes,
            select: try job.crawl.select.map { try Selector($0) })
        extractor.agent = agent.prefix { $0 != "/" && $0 != " " }.lowercased()
        extractor.keepsOmitted = isPlan
        return extractor
    }

    /// What cannot be kept is learned again.
    private func keep(_ hsts: HSTSStore) async {
        do { try await Lane("hsts").run { try hsts.save(now: currentTime()) } } catch {
            await events.warn("hsts", "what hosts said of TLS could not be kept: \(error)")
        }
    }

    /// Settles beside `body`, and after it until everything is settled.
    private func withSettling<Result: Sendable>(
        _ settler: Settler, _ body: () async throws -> Result
    ) async throws -> Result {
        async let settled: Void = settler.run()
        do {
            let result = try await body()
            settler.finish()
            try await settled
            return result
        } catch {
            settler.finish()
            try await settled
            throw error
        }
    }
}
