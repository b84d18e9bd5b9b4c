import Cookies
import Fetching
import Files
import HTML
import Magic
import Model
import Storing
import Synchronization
import URLs

/// A job's session with its site: logged in before the crawl, and once more when it is seen to have ended.
struct Session: Sendable {
    private let expired: ExpiredRules
    private let selector: Selector?
    /// Pages on which the login's own form is no sign of anything.
    private let loginPages: Set<String>
    private let fetcher: Fetcher
    private let store: Store
    private let partial: Directory
    private let renewal: Renewal

    init(
        _ rules: CookieRules, login: Login?, fetcher: Fetcher, store: Store, partial: Directory, events: RunEvents
    ) throws {
        expired = rules.expired
        selector = try rules.expired.selector.map { try Selector($0) }
        loginPages = Set([rules.login?.url, rules.login?.page].compactMap { $0.map { $0.origin + $0.path } })
        self.fetcher = fetcher
        self.store = store
        self.partial = partial
        renewal = Renewal(login, events)
    }

    /// Logs in before the crawl, where the job asks for it.
    func begin() async { await renewal.begin() }

    /// Why nothing can be fetched any more.
    var failure: Failure? { renewal.failure }

    /// Fetches as the fetcher does, and once more after a new login when the session had ended.
    func fetch(_ request: FetchRequest, policy: FetchPolicy) async -> FetchResult {
        guard expired.redirectsTo != nil || selector != nil else {
            return await fetcher.fetch(request, policy: policy)
        }
        var renewals = 0
        while true {
            let generation = renewal.generation
            let sighting = Sighting()
            var result = await fetcher.fetch(request, policy: watching(policy, sighting))
            guard await hasEnded(result, sighting) else { return result }
            let failure: Failure?
            if renewals == 0 {
                failure = await renewal.renew(after: generation, at: request.url)
            } else {
                renewal.wasInVain()
                failure = Failure(.login, "the session has ended again right after a new login")
            }
            renewals += 1
            guard let failure else { continue }
            result.outcome = .failed(failure, refused: nil)
            return result
        }
    }

    // MARK: Noticing

    private final class Sighting: Sendable {
        let isSeen = Atomic(false)
    }

    private func watching(_ policy: FetchPolicy, _ sighting: Sighting) -> FetchPolicy {
        guard let pattern = expired.redirectsTo else { return policy }
        var watching = policy
        watching.hop = { url, purpose in
            guard pattern.matches(url) else { return policy.hop(url, purpose) }
            sighting.isSeen.store(true, ordering: .releasing)
            return Failure(.login, "the session has ended: the answer was a redirect to \(url)")
        }
        return watching
    }

    private func hasEnded(_ result: FetchResult, _ sighting: Sighting) async -> Bool {
        if sighting.isSeen.load(ordering: .acquiring) { return true }
        let asked = result.request.url.origin + result.request.url.path
        guard let selector, result.head != nil, !loginPages.contains(asked) else {
            return false
        }
        switch result.outcome {
        case .page(let body): return PageSearch.contains(selector, in: body)
        case .item(let part), .failed(_, let part?):
            guard looksLikeHTML(part.prefix),
                let body = await store.content(of: part, in: partial, limit: 1 << 20),
                PageSearch.contains(selector, in: body)
            else { return false }
            _ = await store.take(part, from: partial, limit: 1 << 20)
            return true
        case .unchanged, .unwanted, .failed(_, nil): return false
        }
    }
}

/// The login, made by one fetch for all that wait for it.
private final class Renewal: Sendable {
    private struct State {
        /// How often the job has logged in.
        var generation = 0
        var failure: Failure?
        /// Logins after which what had asked for them was refused all the same.
        var vain = 0
        var underWay: Task<Failure?, Never>?
    }
    private let state = Mutex(State())
    private let login: Login?
    private let events: RunEvents
    /// A page that is forbidden looks like a session that has ended; it must not have the job log in for ever.
    private static let mostInVain = 3

    init(_ login: Login?, _ events: RunEvents) {
        self.login = login
        self.events = events
    }

    var generation: Int { state.withLock { $0.generation } }
    var failure: Failure? { state.withLock { $0.failure } }

    func begin() async {
        guard login != nil else { return }
        if let failure = await logIn(after: 0) { await events.warn("login", failure.message) }
    }

    func wasInVain() { state.withLock { $0.vain += 1 } }

    /// - Returns: why there is no new session.
    func renew(after seen: Int, at url: WebURL) async -> Failure? {
        guard login != nil else {
            return Failure(
                .login, "the session has ended; import new cookies, or describe the login with cookies.login")
        }
        let (isGivenUp, isFirst) = state.withLock {
            ($0.vain >= Self.mostInVain, $0.generation == seen && $0.underWay == nil)
        }
        if isGivenUp {
            return Failure(.login, "the site asks for a login again and again: \(Self.mostInVain) were in vain")
        }
        let failure = await logIn(after: seen)
        if isFirst {
            await events.warn(
                "session-expired",
                failure.map { "the session has ended, and logging in again failed: \($0.message)" }
                    ?? "the session had ended; logged in once more", url: url.displayed)
        }
        return failure
    }

    private func logIn(after seen: Int) async -> Failure? {
        let task = state.withLock { state -> Task<Failure?, Never>? in
            if state.generation > seen || state.failure != nil { return nil }
            if let task = state.underWay { return task }
            let task = Task { [login, self] in
                let failure = await login?.perform()
                self.state.withLock { state in
                    state.generation += 1
                    state.underWay = nil
                    if failure?.code != .cancelled { state.failure = failure }
                }
                return failure
            }
            state.underWay = task
            return task
        }
        guard let task else { return failure }
        // Whoever waits is cancelled with the whole run, so the login may end for all.
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
