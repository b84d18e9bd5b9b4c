package import Cookies
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
    let partial: Directory
    let hsts: HSTSStore
    private let partPrefix: String
    private let lastPart = Atomic(0)
    let parts: KeptParts
    let active = ActiveTransfers()
    let rateLimit: RateLimit?
    let netrc: Netrc?
    let clientCertificate: ClientCertificate?
    let cookies: CookieStore?
    private let addresses: AddressRules

    /// - Parameters:
    ///   - headers: those of `rules` with the secrets filled in; sent to the origins of `starts` only.
    ///   - starts: the job's start URLs.
    ///   - partial: where the bodies of items are written.
    ///   - partPrefix: begins every name there; unique to the run.
    ///   - netrc: passwords by host.
    ///   - cookies: sent and taken at every hop; nil keeps none.
    ///   - parts: what earlier runs have left there.
    ///   - hsts: hosts that are asked by TLS only.
    ///   - login: who asks at servers of FTP and SFTP, for the hosts of `starts` only.
    ///   - turns: shared by the jobs that run at once.
    ///   - sharedRate: the bound on bytes a second that the jobs with a `fetch.rate` keep together.
    package init(
        rules: FetchRules, headers: [(name: String, value: String)] = [], starts: [WebURL] = [], engine: HTTPEngine,
        partial: Directory, partPrefix: String, parts: KeptParts = .none, proxies: ProxyRules = .none,
        netrc: Netrc? = nil, clientCertificate: ClientCertificate? = nil, cookies: CookieStore? = nil,
        login: FileLogin? = nil, hsts: HSTSStore = HSTSStore(), pace: Pace = Pace(), turns: HostTurns = HostTurns(),
        sharedRate: RateLimit? = nil
    ) {
        self.rules = rules
        self.engine = engine
        self.partial = partial
        self.partPrefix = partPrefix
        self.parts = parts
        self.proxies = proxies
        self.pace = pace
        self.hsts = hsts
        credentials = Credentials(headers: headers, starts: starts, login: login)
        addresses = AddressRules(starts: starts, allowsPrivate: rules.allowPrivate)
        turnstile = Turnstile(total: rules.concurrency, perHost: rules.perHost, delay: rules.delay, among: turns)
        rateLimit = rules.rate.map { RateLimit(bytesPerSecond: $0, within: sharedRate) }
        self.netrc = netrc
        self.clientCertificate = clientCertificate
        self.cookies = cookies
    }

    /// What the program calls itself, also in front of robots.txt.
    package var userAgent: String { rules.userAgent ?? "nightjar" }

    /// Fetches one resource to the end: a body, or the reason why there is none. Never throws; a task that is
    /// cancelled gets a failure `cancelled` soon. The part of a body that came before a failure stays below `partial/`
    /// when its rest can be asked for safely, by the next attempt or the next run; every other part is gone.
    package func fetch(_ request: FetchRequest, policy: FetchPolicy) async -> FetchResult {
        var result = FetchResult(request: request, outcome: .unchanged, started: pace.now())
        let begin = SuspendingClock.now
        result.attempts = 0
        var (kept, keptSegments) = await takeKept(request)
        var segments = rules.segments
        var hasStartedOver = false
        while true {
            if let refusal = refusal(of: request.url) {
                result.outcome = .failed(refusal, refused: nil)
                break
            }
            result.attempts += 1
            var attempt = Attempt(request, policy, number: result.attempts, kept: kept)
            attempt.keptSegments = keptSegments
            attempt.segments = segments
            let ending = await run(&attempt)
            result.add(attempt, ending)
            kept = attempt.kept
            keptSegments = attempt.keptSegments
            // Not again and again: a server that always does this has its failure counted.
            if ending.startsOver, !hasStartedOver {
                if let kept { await parts.discard(kept) }
                if let keptSegments { await parts.run { keptSegments.discard() } }
                if case .failed(_, let refused?) = ending.outcome { await remove(refused) }
                kept = nil
                keptSegments = nil
                segments = 1
                hasStartedOver = true
                continue
            }
            if ending.startsOver, let useless = kept, useless.part == nil {
                await parts.discard(useless)
                kept = nil
            }
            guard ending.isWorthRetrying, result.attempts <= rules.retries + (hasStartedOver ? 1 : 0) else { break }
            let delay = Retrying.delay(
                attempt: result.attempts, retryAfter: ending.retryAfter, longest: rules.retryAfterMax,
                chance: pace.chance())
            guard (try? await pace.sleep(delay)) != nil, !Task.isCancelled else {
                result.outcome = .failed(.cancelled, refused: nil)
                break
            }
        }
        if let kept, kept.part == nil, !result.leavesPart { await parts.discard(kept) }
        if let keptSegments, !result.leavesPart { await parts.run { keptSegments.discard() } }
        let (seconds, attoseconds) = (SuspendingClock.now - begin).components
        result.seconds = Double(seconds) + Double(attoseconds) / 1e18
        return result
    }

    /// Asks for a pause between two requests to an origin, as its robots.txt may.
    package func slow(_ origin: String, to pause: Duration) { turnstile.slow(origin, to: pause / .seconds(1)) }

    /// The items whose bodies come in at the moment, and how far they are.
    package var transfers: [TransferProgress] { active.progress }

    // MARK: What hops need

    func nextSink() -> PartSink { PartSink(nextPartName(), in: partial, keepFree: rules.keepFree) }

    func nextPartName() -> String {
        "\(partPrefix)-\(lastPart.wrappingAdd(1, ordering: .relaxed).newValue).part"
    }

    private func takeKept(_ request: FetchRequest) async -> (PartSink?, SegmentedPart?) {
        switch await parts.take(request.url, keepFree: rules.keepFree) {
        case .beginning(let sink): (sink, nil)
        case .segments(let part): (nil, part)
        case nil: (nil, nil)
        }
    }

    /// Removes a refused body that is fetched again at once.
    private func remove(_ part: PartFile) async {
        let partial = partial
        await parts.run {
            try? partial.remove(part.logName)
            try? partial.remove(part.name)
        }
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

extension FetchResult {
    fileprivate mutating func add(_ attempt: Attempt, _ ending: Ending) {
        outcome = ending.outcome
        head = attempt.head
        redirects = attempt.chain.passed
        redirectStatus = attempt.chain.firstStatus
        warnings = attempt.chain.warnings + attempt.warnings
        received += attempt.received
        resumedFrom = attempt.resumedFrom
    }

    /// Whether the beginning of a body is worth keeping for the next run.
    fileprivate var leavesPart: Bool {
        guard case .failed(let failure, _) = outcome, failure.code != .tooLarge else { return false }
        return ![404, 410].contains(head?.status)
    }
}
