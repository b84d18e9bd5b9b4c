import HTTP
import Synchronization
import TestSupport
import Testing

/// What a server does wrong, and what it is called then.
struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let actions: [Action]
    let kind: HTTPError.Kind?

    init(_ name: String, _ kind: HTTPError.Kind?, _ actions: Action...) {
        self.name = name
        self.kind = kind
        self.actions = actions
    }

    /// A response by its head's lines and its body.
    init(_ name: String, _ kind: HTTPError.Kind?, head: [String], body: String = "") {
        let text = (["HTTP/1.1 200 OK"] + head).joined(separator: "\r\n") + "\r\n\r\n" + body
        self.init(name, kind, .send(text), .close)
    }

    var testDescription: String { name }

    static let chunked = ["Transfer-Encoding: chunked"]

    static let all = [
        Fault("short body", .truncated, head: ["Content-Length: 10"], body: "12345"),
        Fault(
            "reset in the body", .reset, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123"),
            .pause(.milliseconds(30)), .reset),
        Fault("chunks without an end", .truncated, head: chunked, body: "3\r\nabc\r\n"),
        Fault("cut within a chunk", .truncated, head: chunked, body: "8\r\nabc"),
        Fault("chunk size of letters", .protocolViolation, head: chunked, body: "xyz\r\nabc\r\n0\r\n\r\n"),
        Fault("chunk size negative", .protocolViolation, head: chunked, body: "-1\r\nabc\r\n0\r\n\r\n"),
        Fault("chunk size of 17 digits", .protocolViolation, head: chunked, body: "11111111111111111\r\nabc\r\n"),
        Fault("chunk without its line end", .protocolViolation, head: chunked, body: "3\r\nabcdef\r\n0\r\n\r\n"),
        Fault("good chunks", nil, head: chunked, body: "3\r\nabc\r\n0\r\n\r\n"),
        Fault("chunks with trailers", nil, head: chunked, body: "3\r\nabc\r\n0\r\nX: y\r\n\r\n"),
        Fault("body until the connection ends", nil, head: [], body: "abc"),
        Fault("length with letters", .protocolViolation, head: ["Content-Length: 3abc"], body: "abc"),
        Fault("length negative", .protocolViolation, head: ["Content-Length: -3"], body: "abc"),
        Fault("length of 2^63", .protocolViolation, head: ["Content-Length: 9223372036854775808"], body: "abc"),
        Fault("two lengths", .protocolViolation, head: ["Content-Length: 3", "Content-Length: 4"], body: "abcd"),
        Fault("length twice the same", nil, head: ["Content-Length: 3", "Content-Length: 3"], body: "abc"),
        Fault("two locations", .protocolViolation, head: ["Location: /a", "Location: /b"]),
        Fault("line of 70 kB", .protocolViolation, head: ["X: " + String(repeating: "x", count: 70_000)]),
        Fault("line of 300 kB", .protocolViolation, head: ["X: " + String(repeating: "x", count: 300_000)]),
        Fault("10,000 fields", .protocolViolation, head: .init(repeating: "X: y", count: 10_000)),
        Fault(
            "endless fields", .protocolViolation, .send("HTTP/1.1 200 OK\r\n"),
            .send(String(repeating: "X: \(String(repeating: "y", count: 500))\r\n", count: 5000)), .stall),
        Fault("NUL in a field", .protocolViolation, head: ["X: a\u{0}b"]),
        Fault("bare return in a field", .protocolViolation, head: ["X: a\rSet-Cookie: b=c"]),
        Fault("field without a colon", .protocolViolation, head: ["nonsense"]),
        Fault("unknown transfer coding", .protocolViolation, head: ["Transfer-Encoding: gzip"], body: "abc"),
        Fault("nothing at all", .reset, .close),
        Fault("reset at once", .reset, .reset),
        Fault("no HTTP", .protocolViolation, .send("garbage\r\n\r\n"), .close),
        Fault("half a status line", .reset, .send("HTTP/1.1 2"), .close),
        Fault(
            "informational responses", nil,
            .send("HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n"),
            .send("Content-Length: 3\r\n\r\nabc")),
        Fault(
            "endless informational responses", .protocolViolation,
            .send(String(repeating: "HTTP/1.1 102 Wait\r\n\r\n", count: 30_000)), .stall),
        Fault("switch of protocols", .protocolViolation, .send("HTTP/1.1 101 Up\r\nUpgrade: x\r\n\r\n"), .close),
        Fault("too large by its head", .tooLarge, head: ["Content-Length: 2000000"]),
        Fault("too large by count", .tooLarge, head: [], body: String(repeating: "x", count: 1 << 20 + 1)),
        Fault(
            "too large in chunks", .tooLarge, head: chunked,
            body: String(repeating: "10000\r\n\(String(repeating: "x", count: 65536))\r\n", count: 40)),
    ]
}

@Suite struct FaultTests {
    @Test(arguments: Fault.all)
    func isCalledByItsName(_ fault: Fault) async throws {
        let engine = try HTTPEngine(connections: 2, writers: 1)
        try await FaultServer.serving { _ in
            fault.actions
        } _: { server in
            let error = await engine.failure(.local(server.origin))
            #expect(error?.kind == fault.kind, "\(error?.message ?? "success")")
            if let error { #expect(error.message.contains("127.0.0.1:\(server.port)"), "\(error.message)") }
            let sink = MemorySink()
            let streamed = await engine.failure(.local(server.origin), .stream(sink, limit: 1 << 20))
            #expect(streamed?.kind == fault.kind)
            sink.state.withLock { #expect($0.isFinished == (fault.kind == nil) && !($0.isFinished && $0.isAbandoned)) }
        }
    }

    @Test func refusedConnection() async throws {
        let engine = try HTTPEngine(connections: 2)
        try await Loopback.refusing { port in
            let error = await engine.failure(.local("http://127.0.0.1:\(port)/"))
            #expect(error?.kind == .connect)
            #expect(error?.message == "127.0.0.1:\(port) refused the connection")
        }
    }

    @Test func unknownHost() async throws {
        let engine = try HTTPEngine(connections: 2)
        let error = await engine.failure(.local("http://nowhere.invalid/"))
        #expect(error?.kind == .dns)
        #expect(error?.message.contains("nowhere.invalid") == true)
    }

    @Test func plainHTTPWhereTLSIsExpected() async throws {
        let engine = try HTTPEngine(connections: 2)
        try await NginxServer.serving { nginx in
            let error = await engine.failure(.local("https://127.0.0.1:\(nginx.port)/"))
            #expect(error?.kind == .tls, "\(error?.message ?? "")")
        }
    }

    @Test(arguments: ["ftps://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "dict://127.0.0.1/"])
    func otherSchemesAreNotSpoken(_ url: String) async throws {
        let engine = try HTTPEngine(connections: 2)
        #expect(await engine.failure(.local(url)) != nil)
    }

    @Test func refusesInjection() async throws {
        let engine = try HTTPEngine(connections: 2)
        try await FaultServer.serving { _ in
            [.send(Response.bytes([1]))]
        } _: { server in
            for path in ["/a\r\nX: y", "/a b", "/a\u{0}b", "/é"] {
                #expect(await engine.failure(.local(server.origin + path))?.kind == .invalidRequest)
            }
            for header in [("X", "a\r\nY: b"), ("X\r\nY", "b"), ("X: y\r\nZ", "b"), ("", "b"), ("X", "a\u{0}")] {
                var request = HTTPRequest.local(server.origin)
                request.headers = [header]
                #expect(await engine.failure(request)?.kind == .invalidRequest)
            }
            #expect(server.requests.isEmpty)
        }
    }
}
