import HTTP
import Model
import TestSupport
import Testing

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

    /// A head of these lines, and a body.
    private static func head(_ lines: String..., body: String = "abc") -> [Action] {
        raw((["HTTP/1.1 200 OK"] + lines).joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    private static func chunks(_ body: String) -> [Action] { head("Transfer-Encoding: chunked", body: body) }

    static let lengths: [FaultRow] =
        ["-3", "", "3x", "0x3", "+3", "3, 4", "3 3", "3.0", "9223372036854775808", "99999999999999999999", "３"].map {
            FaultRow("length \"\($0)\"", .protocolError, status: nil, attempts: 1, head("Content-Length: \($0)"))
        } + [
            FaultRow(
                "the same length twice", nil, status: 200, attempts: 1, head("Content-Length: 3", "Content-Length: 3")),
            FaultRow(
                "a length of 2^63-1", .truncated, status: 200, attempts: most,
                head("Content-Length: 9223372036854775807")),
            FaultRow(
                "chunks and a length", nil, status: 200, attempts: 1,
                head("Content-Length: 1", "Transfer-Encoding: chunked", body: "3\r\nabc\r\n0\r\n\r\n")),
        ]

    static let chunking: [FaultRow] =
        [
            ("negative", "-1\r\nabc\r\n0\r\n\r\n"), ("of 17 digits", "11111111111111111\r\nabc\r\n0\r\n\r\n"),
            ("of 2^64", "10000000000000000\r\nabc\r\n"), ("missing", "\r\nabc\r\n0\r\n\r\n"),
            ("with a prefix", "0x3\r\nabc\r\n0\r\n\r\n"), ("too small", "2\r\nabc\r\n0\r\n\r\n"),
            ("with an extension of 1 MB", "3;" + String(repeating: "x", count: 1 << 20) + "\r\nabc\r\n0\r\n\r\n"),
            ("with letters behind it", "3x\r\nabc\r\n0\r\n\r\n"), ("with a bare return", "3\r;\nabc\r\n0\r\n\r\n"),
            ("with a NUL in its extension", "3;a\u{0}\r\nabc\r\n0\r\n\r\n"), ("with a sign", "+3\r\nabc\r\n0\r\n\r\n"),
            ("of 2^63", "8000000000000000\r\nabc\r\n"),
        ].map { FaultRow("chunk size \($0.0)", .protocolError, status: 200, attempts: 1, chunks($0.1)) }
        + [
            FaultRow(
                "chunk size with an extension", nil, status: 200, attempts: 1, chunks("3;a=b\r\nabc\r\n0\r\n\r\n")),
            FaultRow("a chunk cut in two", .truncated, status: 200, attempts: most, chunks("8\r\nabc")),
            FaultRow(
                "a last chunk without its end", .truncated, status: 200, attempts: most, chunks("3\r\nabc\r\n0\r\n")),
            FaultRow(
                "endless trailers", .protocolError, status: 200, attempts: 1,
                chunks(
                    "3\r\nabc\r\n0\r\n"
                        + String(repeating: "X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n", count: 9000))),
        ]
        + ["gzip", "gzip, chunked", "chunked, chunked", "chunked, identity", "cow", "deflate", "chunked;q=1"].map {
            FaultRow(
                "transfer coding \($0)", .protocolError, status: nil, attempts: 1,
                head("Transfer-Encoding: \($0)", body: "3\r\nabc\r\n0\r\n\r\n"))
        }

    static let heads: [FaultRow] =
        [
            ("a NUL", "X: a\u{0}b"), ("a bare return", "X: a\rY: b"), ("no colon", "nonsense"), ("no name", ": x"),
            ("a folded length", "Content-Length: 3\r\n 0"), ("a blank before the length's colon", "Content-Length : 3"),
            ("a line of 100 kB", "X: " + String(repeating: "x", count: 100_000)),
            ("10,000 fields", .init(repeating: "X: y\r\n", count: 10_000) + "Y: z"),
        ].map { FaultRow("a head with \($0.0)", .protocolError, status: nil, attempts: 1, head($0.1)) }
        + [
            ("of HTTP/0.9", "<html>hello</html>\n"), ("of SSH", "SSH-2.0-OpenSSH_9.2\r\n"), ("of FTP", "220 ready\r\n"),
            ("of SMTP", "220 mail ESMTP\r\n"), ("of TLS", "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{16}"),
            ("with a first field that is folded", "HTTP/1.1 200 OK\r\n X: y\r\n\r\n"),
            ("with a status of two digits", "HTTP/1.1 20 OK\r\n\r\nabc"),
            ("with a status of four digits", "HTTP/1.1 2000 OK\r\n\r\nabc"),
            ("with a negative status", "HTTP/1.1 -200 OK\r\n\r\nabc"),
            ("with a status of letters", "HTTP/1.1 abc OK\r\n\r\nabc"),
            ("that switches protocols", "HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n"),
            ("endless before it begins", .init(repeating: "HTTP/1.1 103 Early\r\nLink: x\r\n\r\n", count: 10_000)),
        ].map { FaultRow("an answer \($0.0)", .protocolError, status: nil, attempts: 1, raw($0.1)) }
        + [
            FaultRow("a folded field", nil, status: 200, attempts: 1, head("X: a", " b", "Content-Length: 3")),
            FaultRow("a field twice", nil, status: 200, attempts: 1, head("X: a", "X: b")),
            FaultRow(
                "hints before the answer", nil, status: 200, attempts: 1,
                raw("HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")),
            FaultRow("only hints", .reset, status: nil, attempts: most, raw("HTTP/1.1 103 Early\r\nLink: x\r\n\r\n")),
            FaultRow("half a head", .reset, status: nil, attempts: most, raw("HTTP/1.1 200 OK\r\nContent-Le")),
        ]

    static let codings: [FaultRow] = [
        FaultRow("an unknown coding", .protocolError, status: 200, attempts: 1, head("Content-Encoding: rot13")),
        FaultRow(
            "six codings", .protocolError, status: 200, attempts: 1,
            head("Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip")),
        FaultRow(
            "six codings in six lines", .protocolError, status: 200, attempts: 1,
            raw("HTTP/1.1 200 OK\r\n" + .init(repeating: "Content-Encoding: gzip\r\n", count: 6) + "\r\nabc")),
        FaultRow(
            "no gzip where gzip is said", .damaged, status: 200, attempts: 1,
            head("Content-Encoding: gzip", "Content-Length: 3")),
        FaultRow(
            "no zstd where zstd is said", .damaged, status: 200, attempts: 1,
            head("Content-Encoding: zstd", "Content-Length: 3")),
        FaultRow(
            "no br where br is said", .damaged, status: 200, attempts: 1,
            head("Content-Encoding: br", "Content-Length: 3", body: "\u{7f}\u{7f}\u{7f}")),
        FaultRow("identity said aloud", nil, status: 200, attempts: 1, head("Content-Encoding: identity")),
    ]

    static let claims: [FaultRow] = [
        FaultRow(
            "another digest", .checksum, status: 200, attempts: 1,
            head("Repr-Digest: sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:")),
        FaultRow("another MD5", .checksum, status: 200, attempts: 1, head("Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==")),
        FaultRow("a digest that is none", nil, status: 200, attempts: 1, head("Repr-Digest: sha-256=:nonsense:")),
        FaultRow("a digest of a kind nobody knows", nil, status: 200, attempts: 1, head("Digest: cow=AAAA")),
        FaultRow("not modified, unasked", .httpStatus, status: 304, attempts: 1, status("304 x", body: "")),
        FaultRow(
            "several ranges, unasked", .protocolError, status: 206, attempts: 1,
            raw("HTTP/1.1 206 x\r\nContent-Type: multipart/byteranges; boundary=b\r\nContent-Length: 3\r\n\r\nabc")),
        FaultRow(
            "429 with a date", .httpStatus, status: 429, attempts: most,
            status("429 x", "Retry-After: Thu, 01 Jan 1970 00:00:00 GMT")),
        FaultRow(
            "503 with a wait that is none", .httpStatus, status: 503, attempts: most, status("503 x", "Retry-After: -1")
        ),
        FaultRow(
            "503 with a wait of letters", nil, status: 200, attempts: 2, status("503 x", "Retry-After: soon"), good),
    ]

    static let detours: [FaultRow] =
        [
            ("s3", "s3://bucket/key"), ("blob", "blob:http://a.example/x"), ("an unknown scheme", "nope://a.example/"),
            ("ftps", "ftps://a.example/"), ("sftp", "sftp://a.example/x"),
            ("view-source", "view-source:http://a.example/"),
            ("file on a host", "file://a.example/etc/passwd"), ("FILE in capitals", "FILE:///etc/passwd"),
            ("four slashes", "http:////a.example/x"), ("a port that is none", "http://a.example:x/"),
            ("a port too high", "http://a.example:65536/"), ("a host with a blank", "http://a b/"),
            ("a host of punycode that is none", "http://xn--a/"), ("an address that is none", "http://1.2.3.4.5/"),
            ("a broken IPv6", "http://[::1/"), ("a host with a NUL", "http://a%00b/"),
        ].map {
            FaultRow("redirect to \($0.0)", .redirectRefused, status: 302, attempts: 1, redirect($0.1))
        }
        + [
            ("172.16.0.1", "http://172.16.0.1/"), ("192.168.0.1", "http://192.168.0.1/"),
            ("fe80::1", "http://[fe80::1]/"),
            ("fd00::1", "http://[fd00::1]/"), ("10.0.0.1 as IPv6", "http://[::ffff:10.0.0.1]/"),
            ("metadata as a number", "http://2852039166/"), ("metadata in hexadecimal", "http://0xa9.0xfe.0xa9.0xfe/"),
            ("metadata in octal", "http://0251.0376.0251.0376/"), ("metadata by IPv6", "http://[fd00:ec2::254]/"),
            ("100.64.0.1", "http://100.64.0.1/"), ("0.0.0.0", "http://0.0.0.0/"), ("multicast", "http://224.0.0.1/"),
        ].map {
            FaultRow("redirect to \($0.0)", .addressRefused, status: nil, attempts: 1, redirect($0.1))
        }
        + [
            FaultRow(
                "redirect with a blank Location", .httpStatus, status: 301, attempts: 1, status("301 x", "Location:   ")
            ),
            FaultRow(
                "300 with a Location", .httpStatus, status: 300, attempts: 1, status("300 x", "Location: /b"), good),
            FaultRow(
                "305 with a Location", .httpStatus, status: 305, attempts: 1, status("305 x", "Location: /b"), good),
            FaultRow(
                "one Location twice", nil, status: 200, attempts: 1,
                raw("HTTP/1.1 302 x\r\nLocation: /b\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"), good),
            FaultRow("to itself twice, then well", nil, status: 200, attempts: 1, redirect("/"), redirect("/"), good),
            FaultRow(
                "redirect that is cut", .truncated, status: 302, attempts: most,
                raw("HTTP/1.1 302 x\r\nLocation: /b\r\nContent-Length: 9\r\n\r\nabc")),
        ]
        + [301, 302, 303, 307, 308].map {
            FaultRow("\($0), then well", nil, status: 200, attempts: 1, status("\($0) x", "Location: /b"), good)
        }
        + [301, 302, 303, 307, 308].map {
            FaultRow(
                "\($0), then 404", .httpStatus, status: 404, attempts: 1, status("\($0) x", "Location: /b"),
                status("404 x"))
        }

    private static func redirect(_ location: String) -> [Action] { [.send(Response.redirect(to: location))] }

    static let all =
        statuses + framing + redirects + lengths + chunking + heads + codings + claims + detours
}
