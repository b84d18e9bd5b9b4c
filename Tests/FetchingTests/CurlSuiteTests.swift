import FoundationEssentials
import Synchronization
import TestSupport
import Testing
import URLs

@testable import Fetching

/// curl's own tests of downloads, replayed byte for byte: what curl brings is brought, what curl fails on fails, and
/// passwords and cookies go out to the same requests.
@Suite struct CurlSuiteTests {
    /// Why a row says nothing of a download that a manifest can ask for; nil when it does.
    private static func whyLeftOut(_ row: CurlRow, _ commands: [CurlCommand]) -> String? {
        func has(_ names: String...) -> Bool {
            commands.contains { command in command.options.contains { names.contains($0.name) } }
        }
        let exit = row.curl_exit ?? 0
        if row.server.contains("https") { return "by TLS, which TLSTests tries with a real server" }
        if row.replies.contains(where: { $0.unexpanded == true || $0.raw_base64 == nil }) {
            return "an answer that only curl's harness can make"
        }
        if row.replies.isEmpty, !has("--hsts") { return "no server is asked" }
        if has("-d", "-F", "-X", "-I", "-G", "--request-target") { return "no GET of a URL" }
        if has("-r") { return "a part of a file alone" }
        if has("--raw", "--ignore-content-length", "--tr-encoding") { return "framing is to be disregarded" }
        if has("--negotiate", "--anyauth", "--proxy-anyauth") { return "a login that begins with a challenge" }
        if has("--connect-to") { return "another port than the URL's" }
        if has("-u"), commands.contains(where: { $0.urls.contains { WebURL($0)?.hasCredentials == true } }) {
            return "two passwords for one URL"
        }
        if has("-p") { return "tunnels for other protocols" }
        if commands.contains(where: { $0.urls.contains { WebURL($0) == nil } }) {
            return "no URL by the WHATWG standard"
        }
        if exit == 28 { return "a server that waits, which TimeAndAddressTests has" }
        if commands.contains(where: { $0.all("-H").contains { $0.lowercased().hasPrefix("host:") } }) {
            return "a host that is not the URL's"
        }
        let leadsOn = row.replies.lazy.compactMap { CurlAnswer($0.raw) }.first.map { (300..<400).contains($0.status) }
        if leadsOn == true, exit != 47, !has("-L", "--location", "--location-trusted", "--follow") {
            return "a redirect that is not to be followed"
        }
        if [2, 23].contains(exit) { return "what is done to files on curl's own disk" }
        if commands.contains(where: { $0.all("-z").contains { $0.hasPrefix("-") } }) { return "only when it is old" }
        if commands.contains(where: { $0.all("--max-redirs").contains("0") }) { return "no redirect at all" }
        if commands.contains(where: { $0.all("-C").contains { Int($0) ?? 0 > 1 << 20 } }) { return "a huge beginning" }
        return nil
    }

    /// Where we do not what curl does.
    private static let exceptions: [String: String] = [
        "test392": "a cookie that is Secure is not sent by plain http, to this machine neither",
        "test479": "what netrc calls default is nobody's password",
        "test1056": "the zone of an IPv6 address is no part of a URL (WHATWG)",
        "test2311": "the prefix of a cookie's name counts in any case (RFC 6265bis)",
        "test3035": "nothing is gone on with that has no validator",
    ]

    @Test(.enabled(if: suiteExists("curl-http/index.json"), "no suite curl-http"))
    func curlAgrees() async throws {
        let rows = try JSONDecoder().decode([CurlRow].self, from: suiteData("curl-http/index.json"))
        var (wrong, untold): ([String], [String]) = ([], [])
        var reasons: [String: Int] = [:]
        var (count, excepted) = (0, 0)
        for row in rows {
            let commands = CurlCommand.all(row.expanded(row.command ?? "", port: 0))
            if let reason = Self.whyLeftOut(row, commands) {
                reasons[reason, default: 0] += 1
                continue
            }
            count += 1
            if Self.exceptions[row.test] != nil {
                excepted += 1
                continue
            }
            switch try await replay(row) {
            case nil: untold.append(row.test)
            case let differences?: wrong += differences.map { "\(row.test) \(row.name): \($0)" }
            }
        }
        let left = reasons.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        print(
            "curl-http: \(count - excepted) of \(rows.count) replayed, \(excepted) excepted; left out: \(left); untold \(untold)"
        )
        #expect(count >= 250)
        #expect((untold.count + excepted) * 50 <= count, "\(excepted) excepted, \(untold)")
        #expect(wrong.isEmpty, "\(wrong.count) of \(count): \(wrong.joined(separator: "\n"))")
    }

    /// The server of one row: its answers, and before these the beginning of a body that the row goes on with.
    private final class Site: Sendable {
        private struct State {
            var server: CurlServer?
            var beginning: [UInt8]?
        }
        private let state = Mutex(State())

        func begin(_ server: CurlServer) { state.withLock { $0.server = server } }
        func prepare(_ beginning: [UInt8]) { state.withLock { $0.beginning = beginning } }

        func answer(_ request: Request) -> [Action] {
            state.withLock { state in
                if let beginning = state.beginning.take() {
                    return [.send(beginning), .pause(.milliseconds(30)), .close]
                }
                return [.send(state.server?.answer(request.target) ?? Response.notFound), .close]
            }
        }
    }

    /// - Returns: what differs; nil when the row's answers alone do not tell what must come of it.
    private func replay(_ row: CurlRow) async throws -> [String]? {
        let site = Site()
        return try await FaultServer.serving({ site.answer($0) }) { server in
            let walk = CurlServer(row, port: server.port)
            site.begin(walk)
            var replay = CurlReplay(row: row, server: server, walk: walk, prepare: site.prepare)
            for command in CurlCommand.all(row.expanded(row.command ?? "", port: server.port)) {
                guard try await replay.run(command) else { return nil }
            }
            return replay.differences + replay.wireDifferences()
        }
    }
}
