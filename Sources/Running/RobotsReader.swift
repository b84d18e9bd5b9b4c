import Crawling
import Fetching
import Model
import Storing
import Times
import URLs

/// What an origin's robots.txt comes to.
enum RobotsAnswer: Sendable {
    case rules(RobotsPolicy, sitemaps: [WebURL])
    /// Nothing may be fetched: the host cannot be reached, or is in trouble.
    case closed(Failure)
}

/// Reads the robots.txt of an origin: from the catalog for a day, else from the server.
struct RobotsReader: Sendable {
    let agent: String
    let fetcher: Fetcher
    let catalog: Catalog
    let events: RunEvents

    /// Who asks for more than that between two requests asks not to be crawled; that has a line of its own.
    private static let longestPause = Duration.seconds(60)
    /// Nobody needs more; each is a page that a crawl reads.
    private static let mostSitemaps = 100

    /// - Parameter isStart: the manifest's author named the host, so its robots.txt may lie in a private network.
    func read(_ url: WebURL, isStart: Bool) async -> RobotsAnswer {
        guard let robots = WebURL("/robots.txt", base: url) else {
            return .closed(Failure(.robots, "there is no robots.txt to ask for"))
        }
        // A copy is a convenience: without it the server is asked.
        let copy = (try? await catalog.robots(of: url.origin)) ?? nil
        if let copy, copy.isFresh(at: currentTime()) { return await answer(copy, robots) }
        var request = FetchRequest(id: 0, url: robots, purpose: .page)
        request.isStart = isStart
        if let copy, copy.status == 200 { request.validators = copy.validators }
        let result = await fetcher.fetch(request, policy: policy)
        switch (result.outcome, copy) {
        case (.page(let body), _):
            // One byte more than is read, so that the copy tells as well that there was more.
            let body = Array(body.prefix(RobotsRules.byteLimit + 1))
            return await keep(RobotsCopy(result, status: 200, body: body), robots)
        case (.unchanged, let copy?):
            return await keep(RobotsCopy(result, status: 200, body: copy.body), robots)
        case (.failed(let failure, _), _):
            guard let status = absence(failure, result.head?.status) else { return closed(failure, result.head) }
            return await keep(RobotsCopy(result, status: status, body: []), robots)
        case (.item, _), (.unchanged, _), (.unwanted, _):
            return await keep(RobotsCopy(result, status: 404, body: []), robots)
        }
    }

    private var policy: FetchPolicy {
        FetchPolicy(
            hop: { target, _ in
                target.isHTTP ? nil : Failure(.redirectRefused, "robots.txt redirects to \(target.displayed)")
            },
            head: { _, _ in .page }, maxItemBytes: nil)
    }

    /// The status that says that there is no robots.txt, which forbids nothing (RFC 9309, 2.3.1.3): 4xx, and redirects
    /// that never end. Nil for servers in trouble, 429 among them.
    private func absence(_ failure: Failure, _ status: Int?) -> Int? {
        if failure.code == .redirectLoop { return 404 }
        return status.flatMap { (400..<500).contains($0) && $0 != 429 ? $0 : nil }
    }

    /// RFC 9309, 2.3.1.4: what cannot be read forbids everything. A host that does not answer is its own reason. Nothing
    /// of it is kept: the next run asks again.
    private func closed(_ failure: Failure, _ head: ResponseHead?) -> RobotsAnswer {
        guard head != nil else { return .closed(failure) }
        return .closed(
            Failure(.robots, "robots.txt forbids everything while it cannot be read: \(failure.message)"))
    }

    private func keep(_ copy: RobotsCopy, _ robots: WebURL) async -> RobotsAnswer {
        do { try await catalog.keep(copy, asRobotsOf: robots.origin) } catch {
            await events.warn(
                "robots-not-kept", "robots.txt could not be kept in the catalog: \(error)", url: robots.displayed)
        }
        return await answer(copy, robots)
    }

    private func answer(_ copy: RobotsCopy, _ robots: WebURL) async -> RobotsAnswer {
        let rules = RobotsRules(status: copy.status, body: copy.body)
        if rules.isTruncated {
            await events.warn(
                "robots-cut", "only the first \(RobotsRules.byteLimit) bytes of robots.txt are read, its rules go on",
                url: robots.displayed)
        }
        let policy = rules.policy(for: agent)
        if let pause = policy.crawlDelay { fetcher.slow(robots.origin, to: min(pause, Self.longestPause)) }
        let sitemaps = rules.sitemaps.prefix(Self.mostSitemaps).compactMap { WebURL($0, base: robots) }
        return .rules(policy, sitemaps: sitemaps)
    }
}

extension RobotsCopy {
    fileprivate init(_ result: FetchResult, status: Int, body: [UInt8]) {
        let headers = result.head?.headers
        self.init(
            fetched: currentTime(), status: status,
            validators: Validators(etag: headers?["etag"], lastModified: headers?["last-modified"]), body: body)
    }
}
