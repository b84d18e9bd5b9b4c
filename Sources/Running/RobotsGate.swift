import Crawling
import Model
import Synchronization
import URLs

/// What hosts ask of robots (RFC 9309), read before the first request to each, at most once a run and, as the catalog
/// keeps what was read, once a day.
final class RobotsGate: Sendable {
    private let isObeyed: Bool
    private let reader: RobotsReader
    private let known = Mutex<[String: Known]>([:])

    private enum Known {
        case asked(Task<RobotsAnswer, Never>)
        case answered(RobotsAnswer)
    }

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
        let reader = reader
        let known = self.known.withLock { known in
            if let known = known[origin] { return known }
            let asked = Known.asked(Task { await reader.read(url, isStart: isStart) })
            known[origin] = asked
            return asked
        }
        switch known {
        case .answered(let answer): return answer
        case .asked(let task):
            let answer = await value(of: task)
            self.known.withLock { $0[origin] = .answered(answer) }
            return answer
        }
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
