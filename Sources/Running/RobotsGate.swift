import Crawling
import Fetching
import Model
import URLs

/// What hosts ask of robots (RFC 9309), read once a run before the first request to each.
actor RobotsGate {
    private let isObeyed: Bool
    private let agent: String
    private let fetcher: Fetcher
    private var known: [String: Task<Answer, Never>] = [:]

    private enum Answer: Sendable {
        case rules(RobotsPolicy)
        /// Nothing may be fetched: the host cannot be reached, or is in trouble.
        case closed(Failure)
    }

    init(_ rules: CrawlRules, agent: String, fetcher: Fetcher) {
        isObeyed = rules.obeysRobots
        self.agent = agent
        self.fetcher = fetcher
    }

    /// Why a URL is not to be fetched.
    enum Refusal: Sendable {
        /// The site's owner does not want it.
        case disallowed(String)
        /// What would be asked there fails the same way.
        case unreachable(Failure)
    }

    /// Why a URL may not be fetched; nil when it may.
    /// - Parameter isStart: the manifest's author named the host, so its robots.txt may lie in a private network.
    func refusal(of url: WebURL, isStart: Bool) async -> Refusal? {
        guard isObeyed, url.isHTTP else { return nil }
        switch await answer(for: url, isStart: isStart) {
        case .closed(let failure): return .unreachable(failure)
        case .rules(let rules):
            let verdict = rules.verdict(for: url)
            guard !verdict.allowed else { return nil }
            let rule = verdict.rule.map { " by \"\($0)\"" } ?? ""
            return .disallowed("robots.txt of \(url.host ?? "") disallows it\(rule); crawl.robots: ignore overrides it")
        }
    }

    private func answer(for url: WebURL, isStart: Bool) async -> Answer {
        let origin = url.origin
        if let task = known[origin] { return await value(of: task) }
        let (fetcher, agent) = (fetcher, agent)
        let task = Task { await Self.read(url, isStart: isStart, agent, fetcher) }
        known[origin] = task
        return await value(of: task)
    }

    /// Whoever asks is cancelled with the whole run, so the question may end for all.
    private func value(of task: Task<Answer, Never>) async -> Answer {
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private static func read(_ url: WebURL, isStart: Bool, _ agent: String, _ fetcher: Fetcher) async -> Answer {
        guard let robots = WebURL("/robots.txt", base: url) else {
            return .closed(Failure(.robots, "there is no robots.txt to ask for"))
        }
        let policy = FetchPolicy(
            hop: { target, _ in
                target.isHTTP ? nil : Failure(.redirectRefused, "robots.txt redirects to \(target.displayed)")
            },
            head: { _, _ in .page }, maxItemBytes: nil)
        var request = FetchRequest(id: 0, url: robots, purpose: .page)
        request.isStart = isStart
        let result = await fetcher.fetch(request, policy: policy)
        switch result.outcome {
        case .page(let body):
            let policy = RobotsRules(status: 200, body: body).policy(for: agent)
            // Who asks for more than a minute between two requests asks not to be crawled; that has a line of its own.
            if let pause = policy.crawlDelay { fetcher.slow(url.origin, to: min(pause, .seconds(60))) }
            return .rules(policy)
        case .failed(let failure, _) where !isAbsent(result.head?.status):
            // RFC 9309, 2.3.1.4: what cannot be read forbids everything. A host that does not answer is its own reason.
            return .closed(
                result.head == nil
                    ? failure
                    : Failure(.robots, "robots.txt forbids everything while it cannot be read: \(failure.message)"))
        case .failed, .item, .unchanged, .unwanted:
            return .rules(RobotsRules(status: 404, body: []).policy(for: agent))
        }
    }

    /// RFC 9309, 2.3.1.3: what is answered with 4xx is not there and forbids nothing; 429 is a server in trouble.
    private static func isAbsent(_ status: Int?) -> Bool {
        status.map { (400..<500).contains($0) && $0 != 429 } ?? false
    }
}
