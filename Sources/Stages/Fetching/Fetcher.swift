package import Files
package import HTTP
package import Model
import Synchronization
package import URLs

/// Fetches the resources of one job: bounded, fair between hosts, with redirects, retries, and bodies on disk or in
/// memory as the policy says. Any number of tasks may call ``fetch(_:policy:)`` at once.
package final class Fetcher: Sendable {
    let rules: FetchRules
    let engine: HTTPEngine
    let partial: Directory
    let partPrefix: String
    let credentials: Credentials
    let proxies: ProxyRules
    let pace: Pace
    let turnstile: Turnstile
    private let parts = Atomic(0)
    /// Where the start URLs turned out to be: links may lead there too.
    private let startClasses = Mutex<AddressClasses>([])

    /// - Parameters:
    ///   - headers: those of `rules`, with the secrets filled in; sent to the origins of `starts` only.
    ///   - starts: the job's start URLs.
    ///   - partial: where the bodies of items are written.
    ///   - partPrefix: begins every name there; unique to the run.
    package init(
        _ rules: FetchRules, headers: [(name: String, value: String)] = [], starts: [WebURL], engine: HTTPEngine,
        partial: Directory, partPrefix: String, proxies: ProxyRules = .none, pace: Pace = Pace()
    ) {
        self.rules = rules
        self.engine = engine
        self.partial = partial
        self.partPrefix = partPrefix
        self.proxies = proxies
        self.pace = pace
        credentials = Credentials(headers: headers, starts: starts)
        turnstile = Turnstile(total: rules.concurrency, perHost: rules.perHost)
    }

    /// Fetches one resource to the end: a body, or the reason why there is none. Never throws; a task that is
    /// cancelled gets a failure `cancelled` soon. Part files of failed attempts are gone when this returns.
    package func fetch(_ request: FetchRequest, policy: FetchPolicy) async -> FetchResult {
        var result = FetchResult(request: request, outcome: .unchanged, started: pace.now())
        let begin = SuspendingClock.now
        result.attempts = 0
        while true {
            result.attempts += 1
            var attempt = Attempt(request, policy)
            let ending = await run(&attempt)
            result.outcome = ending.outcome
            result.head = attempt.head
            result.redirects = attempt.chain.passed
            result.warnings = attempt.chain.warnings
            result.received += attempt.received
            guard ending.isWorthRetrying, result.attempts <= rules.retries else { break }
            let delay = Retrying.delay(
                attempt: result.attempts, retryAfter: ending.retryAfter, chance: pace.chance())
            guard (try? await pace.sleep(delay)) != nil, !Task.isCancelled else {
                result.outcome = .failed(.cancelled, refused: nil)
                break
            }
        }
        let (seconds, attoseconds) = (SuspendingClock.now - begin).components
        result.seconds = Double(seconds) + Double(attoseconds) / 1e18
        return result
    }

    // MARK: What hops need

    func nextSink() -> PartSink {
        let number = parts.wrappingAdd(1, ordering: .relaxed).newValue
        return PartSink("\(partPrefix)-\(number).part", in: partial)
    }

    /// Where a hop may lead. The manifest's author may name any address but a cloud's metadata; what pages and servers
    /// name must be public, or where a start is.
    func permitted(_ request: FetchRequest, isFirstHop: Bool) -> AddressClasses {
        if rules.allowPrivate { return .all }
        if request.isStart && isFirstHop { return .allButMetadata }
        return startClasses.withLock { $0 }.union(.public)
    }

    /// A start URL of the manifest was answered from this address.
    func learnStart(_ address: IPAddress?) {
        guard let address else { return }
        startClasses.withLock { _ = $0.insert(AddressClasses(address.addressClass)) }
    }
}
