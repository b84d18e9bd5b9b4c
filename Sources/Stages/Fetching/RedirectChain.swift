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

    init(_ start: WebURL) {
        current = start.withoutFragment
        login = BasicLogin(start)
    }

    var authorization: String? { login?.authorization(for: current) }

    /// Asks by TLS where plain http was meant (RFC 6797, 8.3).
    mutating func upgrade() {
        guard current.scheme == "http", let secure = WebURL("https" + current.href.dropFirst(4)) else { return }
        current = secure
    }

    /// Goes on to where a redirect leads. The same URL may come again, since its next answer may be another: because of a
    /// cookie, or since something is ready now. Only the bound ends a circle.
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
        guard !hasTooManySlashes(location), let target = WebURL(utf8: location, base: current)?.withoutFragment else {
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
            let isCircle = passed.contains(target.withoutUserinfo)
            let what = isCircle ? "which lead in a circle, back to" : "the last to"
            throw Failure(.redirectLoop, "more than \(Self.most) redirects, \(what) \(target)")
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

/// Browsers take `http:////host` for `http://host`; curl does not, and rather than guess whether a host or a path was
/// meant nothing is asked.
private func hasTooManySlashes(_ location: [UInt8]) -> Bool {
    guard let colon = location.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = String(decoding: location[..<colon], as: UTF8.self).lowercased()
    let slashes = location[(colon + 1)...].prefix { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    return ["http", "https"].contains(scheme) && slashes.count > 3
}
