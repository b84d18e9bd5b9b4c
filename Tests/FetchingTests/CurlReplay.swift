import Cookies
import Files
import HTTP
import Model
import TestSupport

@testable import Fetching

/// One row under way.
struct CurlReplay {
    let row: CurlRow
    let server: FaultServer
    /// What the server will do, told without asking it.
    var walk: CurlServer
    let prepare: (_ beginning: [UInt8]) -> Void
    var differences: [String] = []
    /// Requests that were only made to have the beginning of a body.
    var prepared: Set<Int> = []

    init(row: CurlRow, server: FaultServer, walk: CurlServer, prepare: @escaping ([UInt8]) -> Void) {
        self.row = row
        self.server = server
        self.walk = walk
        self.prepare = prepare
    }

    /// What curl's exit says of an answer that cannot be trusted, or did not come.
    private static let failing: Set<Int> = [1, 3, 7, 8, 18, 22, 28, 47, 52, 56, 61, 63, 100]

    /// - Returns: false when nothing can be told.
    mutating func run(_ command: CurlCommand) async throws -> Bool {
        let files = try row.files(port: server.port)
        let file = { (path: String) in files[String(path.split(separator: "/").last ?? "")] }
        var rules = FetchRules.quick
        rules.idleTimeout = .seconds(2)
        rules.retries = command.all("--retry").first.flatMap { Int($0) }.map { min($0, 4) } ?? 0
        if let seconds = command.all("-m").first.flatMap({ Int($0) }) {
            rules.totalTimeout = .milliseconds(seconds * 100)
        }
        rules.resolve = ["*:\(server.port):127.0.0.1"]
        let cookies = CookieStore()
        for value in command.all("-b") {
            guard !value.contains("="), let text = file(value) else { continue }
            cookies.take(cookies.read(Array(text.utf8)), path: value, modified: 1)
        }
        let netrc = try self.netrc(command, file)
        let offset = self.offset(command)
        if offset != nil { rules.retries += 1 }
        let hsts = command.all("--hsts").first.flatMap { file($0) }
        try await Folder.temporary { folder in
            if let hsts { try folder.write("hsts.txt", hsts) }
            let root = try Directory(folder.path)
            try await Bench.with(
                rules, headers: headers(command), starts: command.urls, netrc: netrc, proxies: try proxies(command),
                cookies: cookies, hsts: HSTSStore(in: root)
            ) { bench in
                for url in command.urls where !url.hasPrefix("file:") {
                    try await fetch(url, command, offset, file, bench)
                }
            }
        }
        return true
    }

    private mutating func fetch(
        _ url: String, _ command: CurlCommand, _ offset: Int?, _ file: (String) -> String?, _ bench: Bench
    ) async throws {
        let kept = offset.map { [UInt8](repeating: UInt8(ascii: "k"), count: $0) }
        let tag = command.all("--etag-compare").first.flatMap { file($0) }?.split { $0.isNewline }.first.map(
            String.init)
        let date = command.all("-z").isEmpty ? nil : "Sun, 12 Dec 1999 12:00:00 GMT"
        var requests: [String] = []
        var expected = CurlExpectation(
            url, &walk, kept: kept, isConditional: tag != nil || date != nil, retries: bench.fetcher.rules.retries,
            requests: &requests)
        // What curl ends with is what came of the last URL.
        let isLast = url == command.urls.last
        if isLast && CurlReplay.failing.contains(row.curl_exit ?? 0) || command.has("--http0.9") { expected = .failure }
        guard let expected else { return differences.append("nothing can be told of \(url)") }
        if let kept {
            prepared.insert(server.requests.count)
            prepare(beginning(kept))
        }
        let most = command.all("--max-filesize").first.flatMap { Int64($0) }
        let result = await bench.fetch(url, .all(.item, maxItemBytes: most)) { request in
            request.validators.etag = tag
            request.validators.lastModified = date
        }
        let body = try result.part.map { try bench.folder.read($0.name) }
        let isRight =
            switch expected {
            case .failure: result.failure != nil
            case .unchanged: if case .unchanged = result.outcome { true } else { false }
            case .body(let content): body == content
            }
        if !isRight {
            let found = result.failure.map { "\($0.code) \($0.message)" } ?? body.map { "\($0.count) bytes" } ?? "none"
            differences.append("\(url): \(found), \(expected)")
        }
    }

    /// An answer that ends after `kept`, as the server of the row would have sent it.
    private func beginning(_ kept: [UInt8]) -> [UInt8] {
        let later = row.replies.lazy.compactMap { CurlAnswer($0.raw) }.first { $0["content-range"] != nil }
        var fields = ["Date: Mon, 30 Nov 2026 12:00:00 GMT", "Accept-Ranges: bytes"]
        if let tag = later?["etag"] { fields.append("ETag: \(tag)") }
        fields.append("Last-Modified: \(later?["last-modified"] ?? "Tue, 13 Jun 2000 12:10:00 GMT")")
        let total = later?.total ?? kept.count + 100
        if total > kept.count { return Response.bytes(kept, headers: fields, length: total) }
        // All of it is there, but the last chunk, which says so, is not.
        let head = (["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"] + fields).joined(separator: "\r\n")
        return Array("\(head)\r\n\r\n\(String(kept.count, radix: 16))\r\n".utf8) + kept + [13, 10]
    }

    /// Where a download goes on, by the request that curl makes.
    private func offset(_ command: CurlCommand) -> Int? {
        guard command.has("-C", "--continue-at"), let range = row.protocol?.firstRange(of: "Range: bytes=") else {
            return nil
        }
        return row.protocol.flatMap { Int($0[range.upperBound...].prefix { $0.isNumber }) }
    }

    private func headers(_ command: CurlCommand) -> [(name: String, value: String)] {
        var headers = command.all("-H").compactMap { line -> (name: String, value: String)? in
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2, let value = parts.last?.drop(while: { $0 == " " }), !value.isEmpty else {
                return nil
            }
            return (parts[0], String(value))
        }
        let sent = command.all("-b").filter { $0.contains("=") }
        if !sent.isEmpty { headers.append(("Cookie", sent.joined(separator: "; "))) }
        if let login = command.all("-u", "--user").first {
            headers.append(("Authorization", basicAuthorization(login)))
        }
        if let token = command.all("--oauth2-bearer").first { headers.append(("Authorization", "Bearer \(token)")) }
        return headers
    }

    private func netrc(_ command: CurlCommand, _ file: (String) -> String?) throws -> Netrc? {
        guard command.has("--netrc", "--netrc-optional", "--netrc-file") else { return nil }
        let variables = try row.variables(port: server.port)
        return (command.all("--netrc-file").first ?? variables["NETRC"]).flatMap(file).map { Netrc($0) }
    }

    private func proxies(_ command: CurlCommand) throws -> ProxyRules {
        let variables = try row.variables(port: server.port)
        let rules = ProxyRules { variables[$0] }
        var proxy = command.all("-x", "--proxy", "--proxy1.0").first
        if let given = proxy, !given.isEmpty {
            let plain = given.replacing("http://", with: "")
            let login = command.all("-U", "--proxy-user").first.map { $0 + "@" } ?? ""
            proxy = "http://" + login + plain
        }
        let exceptions = command.all("--noproxy").first.map { $0.split(separator: ",").map(String.init) }
        return rules.replacing(proxy: proxy, exceptions: exceptions)
    }

    /// Fields that curl is to send and we are to send the same.
    private static let compared = ["authorization", "proxy-authorization", "cookie", "if-none-match"]

    /// What goes out of secrets, against what curl sends, request by request.
    func wireDifferences() -> [String] {
        let text = row.expanded(row.protocol ?? "", port: server.port).replacing("\n", with: "\r\n")
        let heads = text.replacing("\r\n\r\n", with: "\u{0}").split(separator: "\u{0}")
        let wanted = heads.map { Request(method: "GET", target: "/", head: String($0)) }
        let sent = server.requests.enumerated().filter { !prepared.contains($0.offset) }.map(\.element)
        return zip(wanted, sent).enumerated().flatMap { index, pair in
            CurlReplay.compared.compactMap { name in
                let (theirs, ours) = (pair.0[name], pair.1[name])
                // Where curl trusts everybody we do not, and what it makes of an empty tag is no tag.
                let isOther = theirs == "\"\"" || theirs?.contains("%repeat") == true
                if isOther || name == "authorization" && row.command?.contains("--location-trusted") == true {
                    return nil
                }
                return fields(theirs) == fields(ours)
                    ? nil : "request \(index) \(name): \(ours ?? "-"), \(theirs ?? "-")"
            }
        }
    }

    /// A jar may send its cookies in another order.
    private func fields(_ value: String?) -> Set<String> {
        Set((value ?? "").split(separator: ";").map { String($0.drop { $0 == " " }) })
    }
}
