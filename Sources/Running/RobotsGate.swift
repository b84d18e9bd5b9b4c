import Crawling
import Model
import URLs

/// What hosts ask of robots (RFC 9309), read before the first request to each, at most once a run and, as the catalog
/// keeps what was read, once a day.
actor RobotsGate {
    private let isObeyed: Bool
    private let reader: RobotsReader
    private var known: [String: Task<RobotsAnswer, Never>] = [:]

    init(_ rules: CrawlRules, reader: RobotsReader) {
        isObeyed = rules.obeysRobots
        self.reader = reader
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
        case .rules(let rules, _):
            let verdict = rules.verdict(for: url)
            guard !verdict.allowed else { return nil }
            let rule = verdict.rule.map { " by \"\($0)\"" } ?? ""
            return .disallowed("robots.txt of \(url.host ?? "") disallows it\(rule); crawl.robots: ignore overrides it")
        }
    }

    /// The sitemaps that the robots.txt of a URL's origin names.
    func sitemaps(of url: WebURL) async -> [WebURL] {
        guard isObeyed, url.isHTTP, case .rules(_, let sitemaps) = await answer(for: url, isStart: true) else {
            return []
        }
        return sitemaps
    }

    private func answer(for url: WebURL, isStart: Bool) async -> RobotsAnswer {
        let origin = url.origin
        if let task = known[origin] { return await value(of: task) }
        let reader = reader
        let task = Task { await reader.read(url, isStart: isStart) }
        known[origin] = task
        return await value(of: task)
    }

    /// Whoever asks is cancelled with the whole run, so the question may end for all.
    private func value(of task: Task<RobotsAnswer, Never>) async -> RobotsAnswer {
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
