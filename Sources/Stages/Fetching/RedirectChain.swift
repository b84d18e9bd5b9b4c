import Model
import URLs

/// The way of one attempt through redirects; nothing is followed that has not passed here.
struct RedirectChain {
    /// curl's own default is 50, browsers stop at 20; nobody needs ten.
    static let most = 10

    private(set) var current: WebURL
    /// Who answered with a redirect, in order, without user information.
    private(set) var passed: [WebURL] = []
    /// The status of the first of them.
    private(set) var firstStatus: Int?
    private(set) var warnings: [RunWarning] = []
    private var login: BasicLogin?
    private var seen: Set<WebURL>

    init(_ start: WebURL) {
        current = start.withoutFragment
        login = BasicLogin(start)
        seen = [current.withoutUserinfo]
    }

    var authorization: String? { login?.authorization(for: current) }

    /// Asks by TLS where plain http was meant (RFC 6797, 8.3).
    mutating func upgrade() {
        guard current.scheme == "http", let secure = WebURL("https" + current.href.dropFirst(4)) else { return }
        seen.insert(secure.withoutUserinfo)
        current = secure
    }

    /// New cookies may make another answer of the same URL.
    mutating func forgetAnswers() { seen = [] }

    /// Goes on to where a redirect leads.
    /// - Parameters:
    ///   - location: the field's raw bytes; nil when there is none.
    ///   - status: the redirect's own.
    ///   - permit: whether a target is in scope.
    mutating func follow(
        _ location: [UInt8]?, status: Int, allowsHTTP: Bool, permit: (WebURL) -> Failure?
    ) throws(Failure) {
        let host = current.host ?? ""
        guard let location, !location.isEmpty else {
            throw Failure(status: status, host: host, note: " without saying where to (no Location)")
        }
        guard let target = WebURL(utf8: location, base: current)?.withoutFragment else {
            throw Failure(.redirectRefused, "\(host) redirects to what is no URL")
        }
        guard target.isHTTP else {
            throw Failure(.redirectRefused, "\(host) redirects to \(target), and \(target.scheme): is not followed")
        }
        guard allowsHTTP || target.scheme == "https" else {
            throw Failure(.redirectRefused, "\(host) redirects to plain http, which allow-http: false forbids")
        }
        if let failure = permit(target) { throw failure }
        passed.append(current.withoutUserinfo)
        firstStatus = firstStatus ?? status
        guard passed.count <= Self.most else {
            throw Failure(.redirectLoop, "more than \(Self.most) redirects, the last to \(target)")
        }
        guard seen.insert(target.withoutUserinfo).inserted else {
            throw Failure(.redirectLoop, "the redirects lead in a circle, back to \(target)")
        }
        if current.scheme == "https" && target.scheme == "http" {
            warnings.append(
                RunWarning(
                    code: "redirect-downgrade",
                    message: "\(host) redirects from https to plain http; no credentials were sent there",
                    url: target.withoutUserinfo.href))
        }
        login = BasicLogin(target) ?? login
        current = target
    }
}
