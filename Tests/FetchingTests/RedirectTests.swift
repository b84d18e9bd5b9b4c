@testable import Fetching
import Cookies
import HTTP
import Model
import TestSupport
import Testing
import URLs

@Suite struct RedirectTests {
    @Test func followsAChain() async throws {
        let handler: FaultServer.Handler = { request in
            switch request.target {
            case "/a/b": [.send(Response.redirect(to: "../c?d#e"))]
            case "/c?d":
                [.send(Response.bytes([], status: "308 x", headers: ["Location: //\(request["host"] ?? "")/f"]))]
            default: [.send(Response.bytes([1]))]
            }
        }
        try await FaultServer.serving(handler) { server in
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin + "/a/b")
                #expect(result.part != nil)
                #expect(result.redirects.map(\.href) == [server.origin + "/a/b", server.origin + "/c?d"])
                #expect(result.head?.url.href == server.origin + "/f")
                #expect(server.requests.map(\.target) == ["/a/b", "/c?d", "/f"])
                // Short bodies of redirects are read: one connection is enough.
                #expect(server.greatestConnections == 1)
            }
        }
    }

    @Test func stopsInACircleAndAtTheLimit() async throws {
        let handler: FaultServer.Handler = { request in
            let number = Int(request.target.dropFirst()) ?? 0
            return [.send(Response.redirect(to: request.target == "/loop" ? "/loop" : "/\(number + 1)"))]
        }
        try await FaultServer.serving(handler) { server in
            try await Bench.with { bench in
                let loop = await bench.fetch(server.origin + "/loop")
                #expect(loop.failure?.code == .redirectLoop)
                #expect(loop.failure?.message.contains("circle") == true)
                #expect(server.requests.count == 11)
                let endless = await bench.fetch(server.origin + "/1")
                #expect(endless.failure?.code == .redirectLoop)
                #expect(server.requests.count == 22)
                #expect(endless.attempts == 1)
            }
        }
    }

    /// Where a Location leads from `/a/b`, by the bytes on the wire; PORT stands for the server's own.
    @Test(arguments: [
        ("/ü?ü#ü", "/%C3%BC?%C3%BC"), ("c#d", "/a/c"), ("?q", "/a/b?q"), ("/a b", "/a%20b"), ("\\c\\d", "/c/d"),
        ("//127.0.0.1:PORT/x", "/x"), ("/%0d%0aX:%20y", "/%0d%0aX:%20y"), ("/c\td", "/cd"), ("/../../c", "/c"),
        ("http://127.0.0.1:PORT#@127.0.0.2/x", "/"), ("http://127.0.0.1:PORT\\@127.0.0.2/x", "/@127.0.0.2/x"),
        ("http:///127.0.0.1:PORT/x", "/x"), ("http://2130706433:PORT/x", "/x"), ("http:c", "/a/c"),
        ("/c?a=%zz", "/c?a=%zz"),
        ("/" + String(repeating: "c", count: 10_000), "/" + String(repeating: "c", count: 10_000)),
    ])
    func asksForOneThingAlone(_ location: String, _ target: String) async throws {
        let handler: FaultServer.Handler = { request in
            guard request.target == "/a/b" else { return [.send(Response.bytes([1]))] }
            let port = request["host"]?.split(separator: ":").last ?? ""
            return [.send(Response.redirect(to: location.replacing("PORT", with: port)))]
        }
        try await FaultServer.serving(handler) { server in
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin + "/a/b")
                #expect(result.part != nil, "\(String(describing: result.failure))")
                #expect(server.requests.map(\.target) == ["/a/b", target])
                #expect(server.requests.allSatisfy { $0["x"] == nil && $0["host"] == "127.0.0.1:\(server.port)" })
            }
        }
    }

    @Test func aCircleWithOtherCookiesEachTimeEndsAtTheLimit() async throws {
        let count = Counter()
        let handler: FaultServer.Handler = { request in
            let other = request.target == "/a" ? "/b" : "/a"
            let fields = ["Location: \(other)", "Set-Cookie: turn=\(count.take())", "Set-Cookie: c\(count.take())=x"]
            return [.send(Response.bytes([], status: "302 Found", headers: fields))]
        }
        try await FaultServer.serving(handler) { server in
            try await Bench.with(cookies: CookieStore()) { bench in
                let result = await bench.fetch(server.origin + "/a")
                #expect(result.failure?.code == .redirectLoop)
                #expect(result.failure?.message.contains("circle") == true)
                #expect(server.requests.count == 11)
                #expect(server.requests.last?["cookie"]?.contains("turn=18") == true)
            }
        }
    }

    @Test(arguments: [
        ("", ErrorCode.httpStatus), ("file:///etc/passwd", .redirectRefused), ("ftp://127.0.0.1/x", .redirectRefused),
        ("data:text/plain,x", .redirectRefused), ("javascript:alert(1)", .redirectRefused),
        ("gopher://127.0.0.1/", .redirectRefused), ("http://[", .redirectRefused), ("http://a b/", .redirectRefused),
        ("http://127.0.0.1:99999/", .redirectRefused), ("http:////127.0.0.1/", .redirectRefused),
    ])
    func refuses(_ location: String, _ code: ErrorCode) async throws {
        try await FaultServer.serving { _ in
            [.send(Response.redirect(to: location))]
        } _: { server in
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin)
                #expect(result.failure?.code == code, "\(result.outcome)")
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func missingLocation() async throws {
        try await FaultServer.serving { _ in
            [.send(Response.bytes([], status: "302 Found"))]
        } _: { server in
            try await Bench.with { bench in
                let failure = await bench.fetch(server.origin).failure
                #expect(failure?.code == .httpStatus)
                #expect(failure?.message.contains("no Location") == true)
            }
        }
    }

    @Test func asksThePolicyForEachHop() async throws {
        try await FaultServer.serving { _ in
            [.send(Response.redirect(to: "/elsewhere"))]
        } _: { server in
            try await Bench.with { bench in
                var policy = FetchPolicy.all(.item)
                policy.hop = { url, _ in
                    url.path == "/elsewhere" ? Failure(.redirectRefused, "out of scope") : nil
                }
                let result = await bench.fetch(server.origin, policy)
                #expect(result.failure == Failure(.redirectRefused, "out of scope"))
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func serverNamesNoAddressThatTheManifestDidNot() async throws {
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { server in
            try await FaultServer.serving { _ in
                [.send(Response.redirect(to: server.origin))]
            } _: { other in
                try await Bench.with { bench in
                    // A link, before any start was seen on loopback.
                    let early = await bench.fetch(server.origin) { $0.isStart = false }
                    #expect(early.failure?.code == .addressRefused)
                    // The first hop is where the manifest says; its redirect may stay in the same class.
                    #expect(await bench.fetch(other.origin).part != nil)
                    #expect(await bench.fetch(server.origin) { $0.isStart = false }.part != nil)
                    #expect(await bench.fetch("http://169.254.169.254/").failure?.code == .addressRefused)
                    let near = await bench.fetch("http://10.0.0.1/") { $0.isStart = false }
                    #expect(near.failure?.code == .addressRefused)
                }
            }
        }
    }

    @Test func plainHTTPCanBeForbidden() async throws {
        var rules = FetchRules.quick
        rules.allowHTTP = false
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { server in
            try await Bench.with(rules) { bench in
                #expect(await bench.fetch(server.origin).failure?.code == .protocolError)
                #expect(server.requests.isEmpty)
            }
        }
    }
}

@Suite struct AddressRulesTests {
    @Test func theFirstAnswerOfAStartSaysWhereItIs() throws {
        let start = try url("http://intranet.example/reports")
        let rules = AddressRules(starts: [start], allowsPrivate: false)
        let robots = try url("http://intranet.example/robots.txt")
        let other = try url("http://files.example/")
        #expect(rules.permitted(robots, isNamed: false, isFirstHop: true) == .allButMetadata)
        #expect(rules.permitted(other, isNamed: false, isFirstHop: true) == .public)
        #expect(rules.permitted(robots, isNamed: false, isFirstHop: false) == .public)
        rules.learn(other, isNamed: false, at: .loopback)
        rules.learn(robots, isNamed: false, at: .privateNet)
        #expect(rules.permitted(other, isNamed: false, isFirstHop: true).contains(.privateNet))
        #expect(!rules.permitted(other, isNamed: false, isFirstHop: true).contains(.loopback))
        // The name's address has become another: not followed to there.
        #expect(!rules.permitted(robots, isNamed: false, isFirstHop: true).contains(.loopback))
        rules.learn(robots, isNamed: false, at: .loopback)
        #expect(!rules.permitted(other, isNamed: false, isFirstHop: true).contains(.loopback))
        #expect(
            AddressRules(starts: [], allowsPrivate: true).permitted(other, isNamed: false, isFirstHop: false) == .all)
    }
}
