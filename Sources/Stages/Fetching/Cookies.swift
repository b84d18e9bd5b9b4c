import Cookies
import HTTP
import Model
import URLs

extension Fetcher {
    /// Sends the jar's cookies beside those of the manifest's own `Cookie` header, which win by name.
    /// - Returns: the request's turn in a shared jar.
    func addCookies(to request: inout HTTPRequest, for url: WebURL) async -> CookieStore.Turn? {
        guard let cookies else { return nil }
        let index = request.headers.firstIndex { $0.name.lowercased() == "cookie" }
        let own = index.map { Array(request.headers[$0].value.utf8) } ?? []
        let names = own.split(separator: UInt8(ascii: ";")).map { pair in
            Array(pair.prefix { $0 != UInt8(ascii: "=") }.drop { $0 == UInt8(ascii: " ") })
        }
        let (field, turn) = await cookies.header(for: url, without: Set(names))
        guard let field else { return turn }
        if let index { request.headers.remove(at: index) }
        request.cookies = own.isEmpty ? field : own + Array("; ".utf8) + field
        return turn
    }

    /// Waits until the other runs of a shared jar can see what the answer has set.
    func settleCookies(_ turn: CookieStore.Turn?) async {
        if let turn { await cookies?.end(turn) }
    }
}

extension Attempt {
    /// What is posted goes on only where the server says so and stays itself; everywhere else the redirect is asked
    /// with GET, as browsers do (WHATWG Fetch, HTTP-redirect fetch).
    mutating func keepUpload(from last: WebURL) throws(Failure) {
        guard upload != nil else { return }
        guard let status = head?.status, [307, 308].contains(status) else {
            upload = nil
            return
        }
        guard last.origin == chain.current.origin else {
            throw Failure(
                .redirectRefused, "\(last.host ?? "") redirects what was posted to \(chain.current), another site")
        }
    }
}
