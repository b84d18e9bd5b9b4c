import HTTP
import Model
import TestSupport
import Testing

@testable import Fetching

/// What a server does in turn, its last answer for ever, and how the fetch must end.
struct FaultRow: Sendable, CustomTestStringConvertible {
    let name: String
    let answers: [[Action]]
    let code: ErrorCode?
    let status: Int?
    let attempts: Int
    var path = "/"
    var idle = Duration.seconds(30)

    var testDescription: String { name }

    init(_ name: String, _ code: ErrorCode?, status: Int?, attempts: Int, _ answers: [Action]...) {
        self.name = name
        self.code = code
        self.status = status
        self.attempts = attempts
        self.answers = answers
    }

    func with(idle: Duration) -> FaultRow {
        var row = self
        row.idle = idle
        return row
    }

    /// Three attempts at most are made.
    static let most = 3

    private static func status(_ line: String, _ fields: String..., body: String = "x") -> [Action] {
        [.send(Response.bytes(Array(body.utf8), status: line, headers: fields))]
    }

    private static func raw(_ text: String) -> [Action] { [.send(text), .close] }

    private static let good = status("200 OK")
    private static let short = raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")

    static let statuses: [FaultRow] =
        [
            400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423,
            424,
            426, 428, 431, 451, 501, 505, 300, 304, 204, 205, 600, 999,
        ].map { (number: Int) in
            FaultRow("status \(number)", .httpStatus, status: number, attempts: 1, status("\(number) x", body: ""))
        }
        + [408, 425, 429, 500, 502, 503, 504, 506, 507, 508, 511, 520, 599].map { (number: Int) in
            FaultRow("status \(number)", .httpStatus, status: number, attempts: most, status("\(number) x"))
        }
        + [408, 425, 429, 500, 502, 503, 504].map { (number: Int) in
            FaultRow("status \(number), then well", nil, status: 200, attempts: 2, status("\(number) x"), good)
        }

    static let framing: [FaultRow] = [
        FaultRow("short body", .truncated, status: 200, attempts: most, short),
        FaultRow("short body once", nil, status: 200, attempts: 2, short, good),
        FaultRow("short body twice", nil, status: 200, attempts: 3, short, short, good),
        FaultRow("nothing", .reset, status: nil, attempts: most, [.close]),
        FaultRow("nothing once", nil, status: 200, attempts: 2, [.close], good),
        FaultRow("reset", .reset, status: nil, attempts: most, [.reset]),
        FaultRow(
            "reset in the body", .reset, status: 200, attempts: most,
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .pause(.milliseconds(30)), .reset]),
        FaultRow(
            "chunks cut", .truncated, status: 200, attempts: most,
            raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")),
        FaultRow(
            "chunks cut, then well", nil, status: 200, attempts: 2,
            raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), good),
        FaultRow(
            "chunk size of letters", .protocolError, status: 200, attempts: 1,
            raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n")),
        FaultRow(
            "length of letters", .protocolError, status: nil, attempts: 1,
            raw("HTTP/1.1 200 OK\r\nContent-Length: 3x\r\n\r\nabc")),
        FaultRow(
            "two lengths", .protocolError, status: nil, attempts: 1,
            raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd")),
        FaultRow("garbage", .protocolError, status: nil, attempts: 1, raw("what?\r\n\r\n")),
        FaultRow("no status", .protocolError, status: nil, attempts: 1, raw("HTTP/1.1 OK\r\n\r\n")),
        FaultRow(
            "a part that nobody asked for", .protocolError, status: 206, attempts: 1,
            status("206 Part", "Content-Range: bytes 0-0/1")),
        FaultRow("silence", .timeout, status: nil, attempts: most, [.stall]).with(idle: .milliseconds(120)),
        FaultRow("silence once", nil, status: 200, attempts: 2, [.stall], good).with(idle: .milliseconds(300)),
        FaultRow(
            "silence in the head", .timeout, status: nil, attempts: most,
            [.send("HTTP/1.1 200 OK\r\nX: y\r\n"), .stall]
        ).with(idle: .milliseconds(120)),
        FaultRow(
            "silence in the body", .timeout, status: 200, attempts: most,
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .stall]
        ).with(idle: .milliseconds(120)),
    ]

    static let redirects: [FaultRow] = [
        FaultRow("redirect to file", .redirectRefused, status: 302, attempts: 1, redirect("file:///etc/passwd")),
        FaultRow("redirect to ftp", .redirectRefused, status: 302, attempts: 1, redirect("ftp://a.example/")),
        FaultRow("redirect to data", .redirectRefused, status: 302, attempts: 1, redirect("data:,x")),
        FaultRow("redirect to javascript", .redirectRefused, status: 302, attempts: 1, redirect("javascript:x")),
        FaultRow("redirect to gopher", .redirectRefused, status: 302, attempts: 1, redirect("gopher://a.example/")),
        FaultRow("redirect to nowhere", .redirectRefused, status: 302, attempts: 1, redirect("http://[")),
        FaultRow("redirect without Location", .httpStatus, status: 302, attempts: 1, status("302 x")),
        FaultRow("redirect to itself", .redirectLoop, status: 302, attempts: 1, redirect("/")),
        FaultRow(
            "two Locations", .protocolError, status: nil, attempts: 1,
            raw("HTTP/1.1 302 x\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")),
        FaultRow(
            "redirect to metadata", .addressRefused, status: nil, attempts: 1, redirect("http://169.254.169.254/")),
        FaultRow("redirect to a private host", .addressRefused, status: nil, attempts: 1, redirect("http://10.0.0.1/")),
        FaultRow("redirect to a good place", nil, status: 200, attempts: 1, redirect("/b"), good),
    ]

    private static func redirect(_ location: String) -> [Action] { [.send(Response.redirect(to: location))] }

    static let all = statuses + framing + redirects
}

@Suite struct FaultTableTests {
    @Test func hasAtLeastSixtyRows() { #expect(FaultRow.all.count >= 60) }

    @Test(arguments: FaultRow.all)
    func endsAsTheTableSays(_ row: FaultRow) async throws {
        let next = Counter()
        try await FaultServer.serving { _ in
            row.answers[min(next.take(), row.answers.count - 1)]
        } _: { server in
            var rules = FetchRules.quick
            rules.retries = FaultRow.most - 1
            rules.idleTimeout = row.idle
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin + row.path)
                #expect(result.failure?.code == row.code, "\(String(describing: result.failure))")
                #expect(result.head?.status == row.status)
                #expect(result.attempts == row.attempts)
                #expect(bench.partNames.count == (row.code == nil ? 1 : 0))
                if let failure = result.failure { #expect(!failure.message.isEmpty) }
            }
        }
    }
}
