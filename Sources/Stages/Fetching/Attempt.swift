import Codings
import HTTP
import Model
import URLs

/// One attempt at a resource: its way through redirects and what it has brought so far.
struct Attempt {
    let request: FetchRequest
    let policy: FetchPolicy
    /// From 1.
    let number: Int
    var chain: RedirectChain
    /// What the next hop sends with POST.
    var upload: RequestBody?
    /// The head of the last answer.
    var head: ResponseHead?
    var received: Int64 = 0
    /// The beginning of the body that earlier attempts have brought.
    var kept: PartSink?
    /// What earlier attempts have brought of a body in ranges.
    var keptSegments: SegmentedPart?
    /// Ranges that a large body may be fetched in.
    var segments = 1
    /// Bytes that did not have to be fetched.
    var resumedFrom: Int64?
    /// What the body contradicts, although that fails nothing.
    var warnings: [RunWarning] = []
    let started = SuspendingClock.now

    init(_ request: FetchRequest, _ policy: FetchPolicy, number: Int, kept: PartSink?) {
        self.number = number
        self.request = request
        self.policy = policy
        self.kept = kept
        chain = RedirectChain(request.url)
        upload = request.upload
    }

    var isFirstHop: Bool { chain.passed.isEmpty }

    /// Pages shrink to a fifth. What may be a file is asked for as it is, so that its rest can be asked for.
    var asksForCodings: Bool {
        guard request.purpose == .page, kept == nil else { return false }
        let name = chain.current.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last
        guard let name, let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return true }
        let suffix = String(name[dot...].dropFirst()).map { $0.lowercased() } ?? ""
        return ["html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "cgi"].contains(suffix)
    }

    /// What to ask `url` with: only who gave a validator can say what it is worth. Whoever a redirect leads to instead
    /// may well have something older, which is news all the same. A query may differ where a tag identifies the content:
    /// what signs an address for a while stands there.
    func validators(for url: WebURL) -> Validators {
        guard let giver = request.validated else { return isFirstHop ? request.validators : Validators() }
        if url.key.utf8.elementsEqual(giver.key.utf8) { return request.validators }
        guard url.withoutQuery.utf8.elementsEqual(giver.withoutQuery.utf8) else { return Validators() }
        return Validators(etag: request.validators.etag)
    }

    /// The way to go on with what there is, where it came from.
    func resumption(at url: WebURL) -> (sink: PartSink, resumption: Resumption)? {
        guard let kept, let (origin, bytes) = kept.kept, origin.cameFrom(url.withoutUserinfo.withoutFragment) else {
            return nil
        }
        return (kept, Resumption(origin: origin, offset: bytes))
    }
}

/// How an attempt ended.
struct Ending {
    var outcome: FetchOutcome
    var isWorthRetrying = false
    /// Seconds that the server asks to wait.
    var retryAfter: Double?
    /// What earlier attempts have brought is of no use: the whole is to be asked for at once.
    var startsOver = false
    /// No end yet: the body is to be fetched in ranges.
    var segments: PartOrigin?

    init(_ outcome: FetchOutcome) { self.outcome = outcome }

    init(_ failure: Failure, isWorthRetrying: Bool = false) {
        outcome = .failed(failure, refused: nil)
        self.isWorthRetrying = isWorthRetrying
    }
}

extension Fetcher {
    /// Follows the redirects of one attempt to its end.
    func run(_ attempt: inout Attempt) async -> Ending {
        guard attempt.request.url.isFetchable else {
            let scheme = attempt.request.url.scheme
            return Ending(Failure(.protocolError, "\(scheme): is not supported, only http, https, ftp and sftp are"))
        }
        if let host = attempt.request.url.host, hsts.isKnown(host, now: pace.now()) { attempt.chain.upgrade() }
        guard rules.allowHTTP || attempt.chain.current.scheme != "http" else {
            return Ending(Failure(.protocolError, "plain http is forbidden by allow-http: false"))
        }
        while true {
            if let ending = await hop(&attempt) {
                guard let origin = ending.segments else { return ending }
                guard let part = await segmentedPart(origin, &attempt) else { return await withoutSegments(&attempt) }
                return await fetch(part, &attempt)
            }
            do {
                let request = attempt.request
                let last = attempt.chain.current
                try attempt.chain.follow(
                    attempt.head?.headers.bytes("location"), status: attempt.head?.status ?? 0,
                    allowsHTTP: rules.allowHTTP,
                    permit: { [policy = attempt.policy] in policy.hop($0, request.purpose) })
                try attempt.keepUpload(from: last)
            } catch { return Ending(error) }
        }
    }

    /// The whole at once, where there is no room to fetch it in ranges or no file could be made for it.
    private func withoutSegments(_ attempt: inout Attempt) async -> Ending {
        attempt.segments = 1
        return await hop(&attempt) ?? Ending(Failure(.protocolError, "the server redirects what it has just given"))
    }

    /// One request and its answer.
    /// - Returns: nil when it was a redirect.
    private func hop(_ attempt: inout Attempt) async -> Ending? {
        if let host = attempt.chain.current.host, hsts.isKnown(host, now: pace.now()) { attempt.chain.upgrade() }
        let url = attempt.chain.current
        let host = url.site
        guard await turnstile.enter(host, isReturning: attempt.number > 1) else { return Ending(.cancelled) }
        let place = HeldPlace(turnstile, host)
        var sign = HostGate.Sign.none
        defer { place.leave(sign) }
        if let refusal = refusal(of: url) { return Ending(refusal) }
        let resumption = attempt.resumption(at: url)
        var request = wire(attempt, resumption?.resumption)
        let turn = await addCookies(to: &request, for: url)
        while true {
            let reception = Reception(
                attempt.request, url: url, policy: attempt.policy, kept: resumption, segments: attempt.segments,
                cookies: cookies, turn: turn, whenEnded: { place.leave(self.sign(of: $0)) }
            ) {
                let sink = self.nextSink()
                self.active.begin(url, sink)
                return sink
            }
            if let resumption { active.begin(url, resumption.sink) }
            defer {
                if let sink = reception.result?.decision.sink ?? resumption?.sink { active.end(sink) }
            }
            do {
                let response = try await engine.perform(request, receiver: reception)
                await settleCookies(turn)
                attempt.received += response.received
                attempt.head = reception.result?.head
                turnstile.connected(host)
                sign = self.sign(of: attempt.head)
                // Behind a proxy only an address that the URL itself names is known.
                learn(attempt, from: request.proxy == nil ? response.peer : url.host.flatMap { IPAddress($0) })
                if url.scheme == "https", let headers = attempt.head?.headers {
                    hsts.learn(headers, from: url.host ?? "", now: pace.now())
                }
                return await conclude(response, reception, resumption?.resumption, &attempt)
            } catch {
                await settleCookies(turn)
                attempt.received += error.received
                attempt.head = reception.result?.head
                if case .item(let sink)? = reception.result?.decision { attempt.kept = sink }
                note(error.kind, at: host, isLast: attempt.number > rules.retries)
                // What an earlier answer has left on the connection is no fault of this one.
                if error.kind == .protocolViolation, error.wasReused, !request.isFresh {
                    request.isFresh = true
                    continue
                }
                return Ending(Failure(error), isWorthRetrying: Retrying.isWorth(error.kind))
            }
        }
    }

    private func conclude(
        _ response: HTTPResponse, _ reception: Reception, _ resumption: Resumption?, _ attempt: inout Attempt
    ) async -> Ending? {
        guard let (decision, head) = reception.result else {
            return Ending(Failure(.protocolError, "no answer came"))
        }
        switch decision {
        case .redirect: return nil
        case .page(let codings): return await page(response.body, codings, attempt)
        case .item(let sink):
            if head.status == 206 { attempt.resumedFrom = resumption?.offset }
            return await ending(sink, &attempt)
        case .segments(let origin):
            var ending = Ending(.unchanged)
            ending.segments = origin
            return ending
        case .complete(let sink):
            attempt.resumedFrom = resumption?.offset
            let failure = await parts.run { () -> HTTPError? in
                do throws(HTTPError) { try sink.finish() } catch { return error }
                return nil
            }
            if let failure { return Ending(Failure(failure)) }
            return await ending(sink, &attempt)
        case .startOver(let reason):
            var ending = Ending(Failure(.rangeInvalid, reason), isWorthRetrying: true)
            ending.startsOver = true
            return ending
        case .unchanged: return Ending(.unchanged)
        case .unwanted(let reason): return Ending(.unwanted(reason: reason))
        case .rejected(let failure, let sink): return Ending(.failed(failure, refused: sink.part))
        case .failed(let failure): return Ending(failure)
        case .status:
            var ending = Ending(
                Failure(status: head.status, host: head.url.host ?? "", scheme: head.url.scheme),
                isWorthRetrying: Retrying.isWorth(status: head.status))
            ending.retryAfter = retryAfter(head)
            return ending
        }
    }

    func retryAfter(_ head: ResponseHead) -> Double? {
        head.headers.bytes("retry-after").flatMap { Retrying.seconds(retryAfter: $0, now: pace.now()) }
    }

    /// Why a host is not asked now.
    func refusal(of url: WebURL) -> Failure? {
        guard let (seconds, failures) = turnstile.refusal(of: url.site) else { return nil }
        let host = url.host ?? ""
        return Failure(
            .connect,
            "\(host) is left alone for \(Int(seconds.rounded(.up))) s, since \(failures) connections in a row have failed"
        )
    }

    func sign(of head: ResponseHead?) -> HostGate.Sign {
        guard let head else { return .none }
        switch head.status {
        case 429, 503:
            let longest = rules.retryAfterMax / .seconds(1)
            return .overloaded(wait: retryAfter(head).map { min($0, longest) })
        case 500...: return .none
        default: return .good
        }
    }

    func note(_ kind: HTTPError.Kind, at host: String, isLast: Bool) {
        switch kind {
        case .connect, .connectTimeout, .dns: turnstile.failed(host, isLast: isLast)
        case .cancelled, .unavailable, .invalidRequest, .addressRefused, .io, .diskFull: break
        default: turnstile.connected(host)
        }
    }

    /// What a body has become that is whole by its length.
    func ending(_ sink: PartSink, _ attempt: inout Attempt) async -> Ending {
        guard let part = sink.part else { return Ending(Failure(.io, "the body was not kept")) }
        guard let mismatch = sink.mismatch else { return await published(sink, part, attempt) }
        if mismatch.claim.isAdvisory {
            let url = attempt.request.url.displayed
            attempt.warnings.append(RunWarning(code: "checksum", message: mismatch.message, url: url))
            return await published(sink, part, attempt)
        }
        var ending = Ending(.failed(Failure(.checksum, mismatch.message), refused: part))
        // A beginning and a rest that do not fit may each be right.
        ending.startsOver = attempt.resumedFrom != nil
        return ending
    }

    /// The request as it goes out, with what may be told to this hop's origin and no more.
    func wire(_ attempt: Attempt, _ resumption: Resumption?) -> HTTPRequest {
        let url = attempt.chain.current
        var request = HTTPRequest(url: url.withoutUserinfo.href)
        request.connectTimeout = rules.connectTimeout
        request.idleTimeout = rules.idleTimeout
        request.idleFloor = rules.idleFloor
        request.rateLimit = rateLimit
        request.authorities = rules.authorities
        request.clientCertificate = clientCertificate
        request.totalTimeout = max(rules.totalTimeout - (SuspendingClock.now - attempt.started), .milliseconds(1))
        request.permitted = permitted(attempt)
        request.resolve = rules.resolve
        request.proxy = proxies.proxy(scheme: url.scheme, host: url.host ?? "")
        guard url.isHTTP else {
            request.login = credentials.login(for: url, asked: attempt.request.url, netrc: netrc)
            request.knownHosts = rules.knownHosts
            request.firstByte = resumption?.offset ?? 0
            return request
        }
        request.headers = headers(attempt, for: url) + (resumption?.fields ?? [])
        request.body = attempt.upload?.bytes
        if let upload = attempt.upload { request.headers.append(("Content-Type", upload.type)) }
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
        if rules.sendsReferer { offer("Referer", attempt.request.referrer?.referrer(for: url)) }
        // Items are kept as they are on the server; a coding would make length and digest another file's.
        set("Accept-Encoding", attempt.asksForCodings ? ContentCoding.accepted : "identity")
        let known = credentials.allowsNetrc(for: url) ? netrc?.authorization(for: url) : nil
        // A URL may name the user and leave the password to netrc.
        let isByNetrc = known != nil && !url.username.isEmpty && url.password.isEmpty
        set("Authorization", isByNetrc ? known : attempt.chain.authorization)
        offer("Authorization", known)
        let validators = attempt.validators(for: url)
        set("If-None-Match", validators.etag)
        set("If-Modified-Since", validators.lastModified)
        return headers
    }
}
