import HTTP
import Model
import TestSupport
import Testing
import URLs

@testable import Fetching

@Suite struct CredentialTests {
    private let token: [(name: String, value: String)] = [("X-Token", "secret"), ("Authorization", "Bearer b")]

    @Test func headersGoToTheStartsOriginOnly() async throws {
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { other in
            let handler: FaultServer.Handler = { request in
                [.send(request.target == "/go" ? Response.redirect(to: other.origin + "/") : Response.bytes([1]))]
            }
            try await FaultServer.serving(handler) { server in
                try await Bench.with(headers: token, starts: [server.origin]) { bench in
                    #expect(await bench.fetch(server.origin + "/go").part != nil)
                    #expect(server.requests.first?["x-token"] == "secret")
                    #expect(server.requests.first?["authorization"] == "Bearer b")
                    #expect(other.requests.first?["x-token"] == nil)
                    #expect(other.requests.first?["authorization"] == nil)
                    _ = await bench.fetch(other.origin)
                    #expect(other.requests.last?["x-token"] == nil)
                    _ = await bench.fetch(server.origin + "/linked")
                    #expect(server.requests.last?["x-token"] == "secret")
                }
            }
        }
    }

    @Test func userInformationBecomesBasicForItsOriginOnly() async throws {
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { other in
            let handler: FaultServer.Handler = { request in
                switch request.target {
                case "/go": [.send(Response.redirect(to: "/on"))]
                case "/on": [.send(Response.redirect(to: other.origin + "/"))]
                default: [.send(Response.bytes([1]))]
                }
            }
            try await FaultServer.serving(handler) { server in
                try await Bench.with { bench in
                    let result = await bench.fetch("http://us%20er:p%40ss@127.0.0.1:\(server.port)/go")
                    #expect(result.part != nil)
                    #expect(
                        server.requests.map { $0["authorization"] }
                            == .init(repeating: "Basic dXMgZXI6cEBzcw==", count: 2))
                    #expect(other.requests.map { $0["authorization"] } == [nil])
                    #expect(result.redirects.allSatisfy { !$0.hasCredentials })
                    #expect(result.head?.url.hasCredentials == false)
                }
            }
        }
    }

    @Test(arguments: [
        ("http://a.example/", "http://a.example/x", true), ("http://a.example/", "https://a.example/", true),
        ("https://a.example/", "http://a.example/", false), ("http://a.example:8080/", "https://a.example/", false),
        ("http://a.example/", "https://a.example:444/", false), ("http://a.example/", "http://b.example/", false),
        ("http://a.example/", "http://a.example:81/", false), ("http://a.example/", "http://x.a.example/", false),
        ("http://a.example:80/", "http://a.example/", true),
    ])
    func followTheUpgradeAndNothingElse(_ start: String, _ target: String, _ isTold: Bool) throws {
        let credentials = Credentials(headers: token, starts: [try url(start)])
        let target = try url(target)
        #expect(credentials.headers(for: target).isEmpty != isTold)
        let withUser = try url(start.replacing("://", with: "://u:p@"))
        #expect((BasicLogin(withUser)?.authorization(for: target) != nil) == isTold)
    }

    @Test(arguments: [
        ("http://u:p@a.example/x?y#z", "http://a.example/b", "http://a.example/x?y"),
        ("http://a.example/x", "http://b.example/", "http://a.example/"),
        ("http://a.example/x", "https://b.example/", "http://a.example/"),
        ("https://a.example/x", "http://a.example/y", nil), ("file:///etc/x", "http://a.example/", nil),
    ])
    func tellsLittleInReferer(_ page: String, _ target: String, _ expected: String?) throws {
        let (page, target) = (try url(page), try url(target))
        #expect(page.referrer(for: target) == expected)
    }

    @Test func ownFieldsWin() async throws {
        let headers: [(name: String, value: String)] = [
            ("accept-encoding", "gzip"), ("Range", "bytes=0-1"), ("user-agent", "mine"),
        ]
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { server in
            try await Bench.with(headers: headers, starts: [server.origin]) { bench in
                _ = await bench.fetch(server.origin)
                let request = try #require(server.requests.first)
                #expect(request["accept-encoding"] == "identity")
                #expect(request["range"] == nil)
                #expect(request["user-agent"] == "mine")
            }
        }
    }

    @Test func netrcTellsEachHostItsOwnPasswordAlone() async throws {
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { other in
            let handler: FaultServer.Handler = { request in
                request.path == "/go"
                    ? [.send(Response.redirect(to: "http://b.example:\(other.port)/x"))] : [.send(Response.bytes([1]))]
            }
            try await FaultServer.serving(handler) { server in
                var rules = FetchRules.quick
                rules.allowPrivate = true
                rules.resolve = ["a.example:\(server.port):127.0.0.1", "b.example:\(other.port):127.0.0.1"]
                let netrc = Netrc("machine a.example login me password secret\ndefault login all password none\n")
                try await Bench.with(rules, starts: ["http://a.example:\(server.port)/go"], netrc: netrc) { bench in
                    #expect(await bench.fetch("http://a.example:\(server.port)/go").part != nil)
                    #expect(server.requests.first?["authorization"] == "Basic bWU6c2VjcmV0")
                    #expect(other.requests.first?["authorization"] == nil)
                }
            }
        }
    }

    /// netrc knows no ports: whoever listens on another one of the start's host is not told.
    @Test func netrcTellsAStartsHostOnlyWhereTheStartIs() async throws {
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { other in
            let handler: FaultServer.Handler = { request in
                let elsewhere = "http://127.0.0.1:\(other.port)/x"
                return [.send(request.path == "/go" ? Response.redirect(to: elsewhere) : Response.bytes([1]))]
            }
            try await FaultServer.serving(handler) { server in
                let netrc = Netrc("machine 127.0.0.1 login me password secret\n")
                try await Bench.with(starts: [server.origin], netrc: netrc) { bench in
                    #expect(await bench.fetch(server.origin + "/go").part != nil)
                    #expect(await bench.fetch(other.origin + "/linked").part != nil)
                    #expect(server.requests.map { $0["authorization"] } == ["Basic bWU6c2VjcmV0"])
                    #expect(other.requests.map { $0["authorization"] } == [nil, nil])
                }
            }
        }
    }
}
