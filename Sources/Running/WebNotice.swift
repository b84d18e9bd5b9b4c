import HTTP
import Manifests
import Model
import URLs

/// Tells over HTTP, with the job's proxies and authorities. Addresses come from the manifest, so they may lie in private
/// networks; redirects are not followed.
struct WebNotice: Sendable {
    let job: Job
    let network: Network
    let environment: [String: String]
    let interruption: Interruption

    /// Tries after the first one, for what may pass.
    private static let retries = 2

    /// Asks for an address, or for one below it.
    func ask(_ address: HeaderValue, below: String, _ timeout: Duration) async throws {
        let url = try url(of: address)
        let parts = url.href.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let base = below.isEmpty || !parts[0].hasSuffix("/") ? parts[0] : String(parts[0].dropLast())
        let target = ([base + below] + parts.dropFirst()).joined(separator: "?")
        try await send(try request(target, url, timeout), to: url)
    }

    func post(_ json: String, to address: HeaderValue, _ timeout: Duration) async throws {
        let url = try url(of: address)
        var request = try request(url.withoutFragment.href, url, timeout)
        request.body = Array(json.utf8)
        request.headers.append(("Content-Type", "application/json"))
        // libcurl would ask for leave first, which many servers do not answer.
        request.headers.append(("Expect", ""))
        try await send(request, to: url)
    }

    private func url(of address: HeaderValue) throws -> WebURL {
        let text =
            switch address {
            case .plain(let text): text
            case .secret(let secret): try Secrets.value(of: secret, environment: environment)
            }
        guard let url = WebURL(text), url.isHTTP else { throw NoticeError("the secret holds no http or https URL") }
        return url
    }

    private func request(_ target: String, _ url: WebURL, _ timeout: Duration) throws -> HTTPRequest {
        let access = Access(rules: job.fetch, environment: environment)
        var request = HTTPRequest(url: target)
        request.headers = [("User-Agent", job.fetch.userAgent ?? "nightjar")]
        request.connectTimeout = min(timeout, .seconds(15))
        request.idleTimeout = timeout
        request.totalTimeout = timeout
        request.permitted = .all
        request.resolve = job.fetch.resolve
        request.proxy = try access.proxies().proxy(scheme: url.scheme, host: url.host ?? "")
        request.authorities = job.fetch.authorities
        return request
    }

    private func send(_ request: HTTPRequest, to url: WebURL) async throws {
        for attempt in 0...Self.retries {
            let isLast = attempt == Self.retries || interruption.reason != nil
            do {
                let status = try await network.engine.perform(request, receiver: StatusOnly()).head.status
                if (200..<300).contains(status) { return }
                guard !isLast, status == 429 || status >= 500 else {
                    throw NoticeError("\(url.host ?? "") answered with status \(status)")
                }
            } catch let error as HTTPError {
                if isLast { throw error }
            }
            try? await Task.sleep(for: .seconds(attempt + 1))
        }
    }
}

private struct StatusOnly: HTTPReceiver {
    func head(_ head: HTTPHead) -> BodyPlan { .discard(reading: 65536) }
}
