import HTTP
import Model
import URLs

/// One attempt at a resource: its way through redirects and what it has brought so far.
struct Attempt {
    let request: FetchRequest
    let policy: FetchPolicy
    var chain: RedirectChain
    /// The head of the last answer.
    var head: ResponseHead?
    var received: Int64 = 0
    let started = SuspendingClock.now

    init(_ request: FetchRequest, _ policy: FetchPolicy) {
        self.request = request
        self.policy = policy
        chain = RedirectChain(request.url)
    }

    var isFirstHop: Bool { chain.passed.isEmpty }
}

/// How an attempt ended.
struct Ending {
    var outcome: FetchOutcome
    var isWorthRetrying = false
    /// Seconds that the server asks to wait.
    var retryAfter: Double?

    init(_ outcome: FetchOutcome) { self.outcome = outcome }

    init(_ failure: Failure, isWorthRetrying: Bool = false) {
        outcome = .failed(failure, refused: nil)
        self.isWorthRetrying = isWorthRetrying
    }
}

extension Fetcher {
    /// Follows the redirects of one attempt to its end.
    func run(_ attempt: inout Attempt) async -> Ending {
        guard attempt.request.url.isHTTP else {
            let scheme = attempt.request.url.scheme
            return Ending(Failure(.protocolError, "\(scheme): is not supported, only http and https are"))
        }
        guard rules.allowHTTP || attempt.request.url.scheme == "https" else {
            return Ending(Failure(.protocolError, "plain http is forbidden by allow-http: false"))
        }
        while true {
            if let ending = await hop(&attempt) { return ending }
            do {
                let request = attempt.request
                try attempt.chain.follow(
                    attempt.head?.headers.bytes("location"), status: attempt.head?.status ?? 0,
                    allowsHTTP: rules.allowHTTP,
                    permit: { [policy = attempt.policy] in policy.hop($0, request.purpose) })
            } catch { return Ending(error) }
        }
    }

    /// One request and its answer.
    /// - Returns: nil when it was a redirect.
    private func hop(_ attempt: inout Attempt) async -> Ending? {
        let url = attempt.chain.current
        let reception = Reception(attempt.request, url: url, policy: attempt.policy) { self.nextSink() }
        guard await turnstile.enter(url.origin) else { return Ending(.cancelled) }
        defer { turnstile.leave(url.origin) }
        let request = wire(attempt)
        do {
            let response = try await engine.perform(request, receiver: reception)
            attempt.received += response.received
            attempt.head = reception.result?.head
            if request.proxy == nil { learn(attempt, from: response.peer) }
            return conclude(response, reception)
        } catch {
            attempt.received += error.received
            attempt.head = reception.result?.head
            return Ending(Failure(error), isWorthRetrying: Retrying.isWorth(error.kind))
        }
    }

    private func conclude(_ response: HTTPResponse, _ reception: Reception) -> Ending? {
        guard let (decision, head) = reception.result else {
            return Ending(Failure(.protocolError, "no answer came"))
        }
        switch decision {
        case .redirect: return nil
        case .page: return Ending(.page(body: response.body))
        case .item(let sink):
            guard let part = sink.part else { return Ending(Failure(.io, "the body was not kept")) }
            return Ending(.item(part))
        case .unchanged: return Ending(.unchanged)
        case .unwanted(let reason): return Ending(.unwanted(reason: reason))
        case .rejected(let failure, let sink): return Ending(.failed(failure, refused: sink.part))
        case .failed(let failure): return Ending(failure)
        case .status:
            var ending = Ending(
                Failure(status: head.status, host: head.url.host ?? ""),
                isWorthRetrying: Retrying.isWorth(status: head.status))
            ending.retryAfter = head.headers.bytes("retry-after")
                .flatMap { Retrying.seconds(retryAfter: $0, now: pace.now()) }
            return ending
        }
    }

    /// The request as it goes out, with what may be told to this hop's origin and no more.
    private func wire(_ attempt: Attempt) -> HTTPRequest {
        let url = attempt.chain.current
        var request = HTTPRequest(url: url.withoutUserinfo.href)
        request.connectTimeout = rules.connectTimeout
        request.idleTimeout = rules.idleTimeout
        request.totalTimeout = max(rules.totalTimeout - (SuspendingClock.now - attempt.started), .milliseconds(1))
        request.permitted = permitted(attempt)
        request.resolve = rules.resolve
        request.proxy = proxies.proxy(scheme: url.scheme, host: url.host ?? "")
        request.headers = headers(attempt, for: url)
        return request
    }

    private func headers(_ attempt: Attempt, for url: WebURL) -> [(name: String, value: String)] {
        var headers = credentials.headers(for: url)
        func set(_ name: String, _ value: String?) {
            // A validator that a server made of control characters is not given back to it.
            guard let value, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return }
            headers.removeAll { $0.name.lowercased() == name.lowercased() }
            headers.append((name, value))
        }
        func offer(_ name: String, _ value: String?) {
            if !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) { set(name, value) }
        }
        offer("User-Agent", userAgent)
        offer("Referer", attempt.request.referrer?.referrer(for: url))
        // Bodies are kept as they are on the server; a coding would make its length and digest another file's.
        set("Accept-Encoding", "identity")
        set("Authorization", attempt.chain.authorization)
        set("If-None-Match", attempt.request.validators.etag)
        set("If-Modified-Since", attempt.request.validators.lastModified)
        return headers
    }
}
