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
    let credentials: Credentials
    let proxies: ProxyRules
    let pace: Pace
    let turnstile: Turnstile
    private let partial: Directory
    private let partPrefix: String
    private let parts = Atomic(0)
    private let addresses: AddressRules

    /// - Parameters:
    ///   - headers: those of `rules` with the secrets filled in; sent to the origins of `starts` only.
    ///   - starts: the job's start URLs.
    ///   - partial: where the bodies of items are written.
    ///   - partPrefix: begins every name there; unique to the run.
    package init(
        rules: FetchRules, headers: [(name: String, value: String)] = [], starts: [WebURL] = [], engine: HTTPEngine,
        partial: Directory, partPrefix: String, proxies: ProxyRules = .none, pace: Pace = Pace()
    ) {
        self.rules = rules
        self.engine = engine
        self.partial = partial
        self.partPrefix = partPrefix
        self.proxies = proxies
        self.pace = pace
        credentials = Credentials(headers: headers, starts: starts)
        addresses = AddressRules(starts: starts, allowsPrivate: rules.allowPrivate)
        turnstile = Turnstile(total: rules.concurrency, perHost: rules.perHost)
    }

    /// What the program calls itself, also in front of robots.txt.
    package var userAgent: String { rules.userAgent ?? "nightjar" }

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

    /// Where this hop may lead.
    func permitted(_ attempt: Attempt) -> AddressClasses {
        addresses.permitted(attempt.chain.current, isNamed: attempt.request.isStart, isFirstHop: attempt.isFirstHop)
    }

    /// This hop was answered from there.
    func learn(_ attempt: Attempt, from address: IPAddress?) {
        guard attempt.isFirstHop, let address else { return }
        addresses.learn(attempt.chain.current, isNamed: attempt.request.isStart, at: address.addressClass)
    }
}
