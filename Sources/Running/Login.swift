import Cookies
import Fetching
import HTML
import Manifests
import Model
import URLs

/// The request that logs a job in. What it sends is told to nobody but the site.
struct Login: Sendable {
    let rules: LoginRules
    let expired: ExpiredRules
    let starts: [WebURL]
    let fetcher: Fetcher
    let cookies: CookieStore
    /// Where secrets come from.
    let environment: [String: String]

    /// - Returns: why it failed; nil when the job is logged in.
    func perform() async -> Failure? {
        do {
            // One that an earlier run has left says nothing of this login.
            if let name = rules.success.cookie { forget(name) }
            let page = try await readPage()
            if let page, try isLoggedIn(by: page) { return nil }
            let before = cookies.change { jar, _ in Set(jar.cookies) }
            let result = try await post(try fields(page))
            try check(result, hasNewCookie: cookies.change { jar, _ in jar.cookies.contains { !before.contains($0) } })
            return nil
        } catch let failure as Failure {
            return failure.code == .cancelled ? failure : Failure(.login, failure.message)
        } catch { return Failure(.login, "the login at \(rules.url) cannot be made: \(error)") }
    }

    private func forget(_ name: String) {
        let (name, places) = (Array(name.utf8), [rules.url] + starts)
        cookies.change { jar, now in
            for url in places { jar.remove(name, for: url, now: now) }
        }
    }

    // MARK: Asking

    private func readPage() async throws -> [UInt8]? {
        guard !rules.hidden.isEmpty else { return nil }
        let url = rules.page ?? rules.url
        let result = await ask(url, nil)
        switch result.outcome {
        case .page(let body): return body
        case .failed(let failure, _): throw Failure(failure.code, "the login page \(url): \(failure.message)")
        default: throw Failure(.login, "the login page \(url) could not be read")
        }
    }

    private func post(_ fields: [(name: String, value: LoginValue)]) async throws -> FetchResult {
        let body =
            switch rules.form {
            case .form: RequestBody(type: "application/x-www-form-urlencoded", bytes: LoginBody.form(fields))
            case .json: RequestBody(type: "application/json", bytes: LoginBody.json(fields))
            }
        let result = await ask(rules.url, body)
        // Whatever was answered is judged; only where nothing was there is nothing to judge.
        if result.head == nil || result.redirectStatus == nil, case .failed(let failure, _) = result.outcome,
            failure.code != .httpStatus
        {
            throw Failure(failure.code, "the login at \(rules.url): \(failure.message)")
        }
        return result
    }

    private func ask(_ url: WebURL, _ body: RequestBody?) async -> FetchResult {
        var request = FetchRequest(id: 0, url: url, purpose: .page)
        // The manifest's author named it, as a start.
        request.isStart = true
        request.upload = body
        return await fetcher.fetch(
            request, policy: FetchPolicy(hop: { _, _ in nil }, head: { _, _ in .page }, maxItemBytes: nil))
    }

    // MARK: What is sent

    private func fields(_ page: [UInt8]?) throws -> [(name: String, value: LoginValue)] {
        var fields: [(name: String, value: LoginValue)] = try rules.fields.map { field in
            switch field.value {
            case .text(let text): (field.name, .text(text))
            case .literal(let text): (field.name, .literal(text))
            case .secret(let secret):
                (field.name, .text(try Secrets.value(of: secret, environment: environment)))
            }
        }
        for hidden in rules.hidden {
            let found = PageSearch.fields(try Selector(hidden.selector), in: page ?? [])
            let url = rules.page ?? rules.url
            guard let first = found.first else {
                throw Failure(.login, "the login page \(url) holds nothing that \(hidden.selector) matches")
            }
            if let name = hidden.name {
                fields.append((name, .text(first.value)))
            } else {
                for field in found {
                    guard let name = field.name, !fields.contains(where: { $0.name == name }) else { continue }
                    fields.append((name, .text(field.value)))
                }
            }
        }
        return fields
    }

    // MARK: What came of it

    /// A site may show to whom it knows another page than the login's.
    private func isLoggedIn(by page: [UInt8]) throws -> Bool {
        guard let text = rules.success.selector else { return false }
        return PageSearch.contains(try Selector(text), in: page)
    }

    private func check(_ result: FetchResult, hasNewCookie: Bool) throws {
        let success = rules.success
        let statuses = [result.redirectStatus, result.head?.status].compactMap { $0 }
        let answer = statuses.map(String.init).joined(separator: ", then ")
        func fail(_ reason: String) -> Failure {
            Failure(.login, "the login at \(rules.url) failed: \(reason) (the answer was \(answer))")
        }
        if let status = success.status, !statuses.contains(status) { throw fail("\(status) was expected") }
        if let name = success.cookie {
            let (bytes, places) = (Array(name.utf8), [rules.url] + starts)
            let isThere = cookies.change { jar, now in places.contains { jar.has(bytes, for: $0, now: now) } }
            if !isThere { throw fail("the cookie \(name) was not set") }
        }
        if let text = success.selector {
            guard case .page(let body) = result.outcome, PageSearch.contains(try Selector(text), in: body) else {
                throw fail("\(text) matches nothing in the page that came")
            }
        }
        guard success == LoginSuccess() else { return }
        guard let last = statuses.last, (200...299).contains(last) else { throw fail("that is no success") }
        if try asksAgain(result) { throw fail("the page that came asks for the login again") }
        if !hasNewCookie {
            throw fail("no cookie was set; if that is right, say in cookies.login.success how a success looks")
        }
    }

    private func asksAgain(_ result: FetchResult) throws -> Bool {
        if let pattern = expired.redirectsTo, !result.redirects.isEmpty, let url = result.head?.url,
            pattern.matches(url)
        {
            return true
        }
        guard case .page(let body) = result.outcome else { return false }
        let signs = ["input[type=password]"] + (expired.selector.map { [$0] } ?? [])
        return try signs.contains { PageSearch.contains(try Selector($0), in: body) }
    }
}
