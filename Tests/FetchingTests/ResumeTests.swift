import Digests
import Files
import HTTP
import Model
import Synchronization
import TestSupport
import Testing
import URLs

@testable import Fetching

/// A server with one file that it can give parts of, and a way to spoil its answers.
final class RangeSite: Sendable {
    struct State {
        var content: [UInt8]
        var etag: String? = "\"v1\""
        var lastModified: String?
        /// Bytes of body after which a connection ends, for each answer in turn; nil sends all.
        var cuts: [Int?] = []
        /// Answers a request with a range instead of the right answer.
        var lie: (@Sendable (_ offset: Int, _ content: [UInt8]) -> [UInt8])?
        var further: [String] = []
        var ignoresIfRange = false
        var isChunked = false
    }
    let state: Mutex<State>

    init(_ content: [UInt8], change: (inout State) -> Void = { _ in }) {
        var first = State(content: content)
        change(&first)
        let made = first
        state = Mutex(made)
    }

    func answer(_ request: Request) -> [Action] {
        state.withLock { state in
            let cut = state.cuts.isEmpty ? nil : state.cuts.removeFirst()
            let bytes = state.answer(request)
            guard let cut else { return [.send(bytes)] }
            let head = (bytes.firstRange(of: [13, 10, 13, 10])?.upperBound ?? 0)
            return [.send(Array(bytes.prefix(head + cut))), .pause(.milliseconds(30)), .close]
        }
    }
}

extension RangeSite.State {
    var fields: [String] {
        var fields = further + ["Date: Mon, 30 Nov 2026 12:00:00 GMT"]
        if let etag { fields.append("ETag: \(etag)") }
        if let lastModified { fields.append("Last-Modified: \(lastModified)") }
        return fields
    }

    func answer(_ request: Request) -> [UInt8] {
        guard let range = request["range"], let offset = Int(range.dropFirst(6).dropLast()) else { return whole }
        let condition = request["if-range"]
        guard ignoresIfRange || condition == etag || condition == lastModified else { return whole }
        if let lie { return lie(offset, content) }
        guard offset < content.count else {
            return Response.bytes(
                [], status: "416 No", headers: fields + ["Content-Range: bytes */\(content.count)"])
        }
        return part(content, from: offset)
    }

    private var whole: [UInt8] {
        guard isChunked else { return Response.bytes(content, headers: fields) }
        let lines = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"] + fields
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n\(String(content.count, radix: 16))\r\n").utf8)
            + content + Array("\r\n0\r\n\r\n".utf8)
    }

    func part(_ content: [UInt8], from offset: Int, range: String? = nil) -> [UInt8] {
        let given = range ?? "bytes \(offset)-\(content.count - 1)/\(content.count)"
        return Response.bytes(
            Array(content.dropFirst(offset)), status: "206 Part", headers: fields + ["Content-Range: \(given)"])
    }
}

@Suite struct ResumeTests {
    private let content = SeededBytes.bytes(700_000, seed: 11)
    private let digest: [UInt8]

    init() throws { digest = try SHA256.digest(of: content) }

    private func trial(
        retries: Int = 3, _ site: RangeSite, _ body: (Bench, FaultServer) async throws -> Void
    ) async throws {
        var rules = FetchRules.quick
        rules.retries = retries
        try await FaultServer.serving {
            site.answer($0)
        } _: { server in
            try await Bench.with(rules) { try await body($0, server) }
        }
    }

    @Test func goesOnWhereTheConnectionBroke() async throws {
        let site = RangeSite(content) { $0.cuts = [300_000, 100_000] }
        try await trial(site) { bench, server in
            let result = await bench.fetch(server.origin + "/a")
            let part = try #require(result.part)
            #expect(try bench.folder.read(part.name) == content)
            #expect(part.sha256 == digest)
            #expect(result.attempts == 3)
            #expect(result.resumedFrom == 400_000)
            #expect(result.received == 700_000)
            #expect(part.prefix == Array(content.prefix(4096)))
            #expect(server.requests.map { $0["range"] } == [nil, "bytes=300000-", "bytes=400000-"])
            #expect(server.requests.map { $0["if-range"] } == [nil, "\"v1\"", "\"v1\""])
        }
    }

    @Test func aChangedFileStartsOver() async throws {
        let newer = SeededBytes.bytes(650_000, seed: 12)
        let site = RangeSite(content) { $0.cuts = [300_000] }
        let handler: FaultServer.Handler = { request in
            defer {
                site.state.withLock { state in
                    state.content = newer
                    state.etag = "\"v2\""
                }
            }
            return site.answer(request)
        }
        var rules = FetchRules.quick
        rules.retries = 1
        try await FaultServer.serving(handler) { server in
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin + "/a")
                let received = try bench.content(of: result)
                #expect(received == newer)
                #expect(result.resumedFrom == nil)
                #expect(server.requests.count == 2)
            }
        }
    }

    /// What a server may do to a request for the rest; the file must be right all the same.
    static let lies: [(name: String, lie: @Sendable (Int, [UInt8]) -> [UInt8])] = {
        func answer(
            _ status: String, _ headers: [String], _ body: @escaping @Sendable (Int, [UInt8]) -> ArraySlice<UInt8>,
            tag: String? = "\"v1\""
        ) -> @Sendable (Int, [UInt8]) -> [UInt8] {
            { offset, content in
                let fields = headers.map {
                    $0.replacing("N", with: "\(content.count)").replacing("L", with: "\(content.count - 1)")
                        .replacing("O", with: "\(offset)").replacing("K", with: "\(offset - 8)")
                        .replacing("J", with: "\(offset + 8)")
                }
                let all = fields + (tag.map { ["ETag: \($0)"] } ?? [])
                return Response.bytes(Array(body(offset, content)), status: status, headers: all)
            }
        }
        return [
            ("the whole", answer("200 Fine", [], { $1[...] })),
            ("from before", answer("206 x", ["content-range: bytes K-L/N"], { $1[($0 - 8)...] })),
            ("from behind", answer("206 x", ["content-range: bytes J-L/N"], { $1[($0 + 8)...] })),
            ("from zero", answer("206 x", ["content-range: bytes 0-L/N"], { $1[...] })),
            ("no range", answer("206 x", [], { $1[$0...] })),
            ("end before start", answer("206 x", ["content-range: bytes O-3/N"], { $1[$0...] })),
            ("total before end", answer("206 x", ["content-range: bytes O-L/9"], { $1[$0...] })),
            ("another total", answer("206 x", ["content-range: bytes O-L/9999999"], { $1[$0...] })),
            ("no total", answer("206 x", ["content-range: bytes O-L/*"], { $1[$0...] })),
            ("another unit", answer("206 x", ["content-range: lines O-L/N"], { $1[$0...] })),
            ("giant", answer("206 x", ["content-range: bytes O-9223372036854775807/*"], { $1[$0...] })),
            (
                "two ranges",
                answer("206 x", ["content-range: bytes O-L/N", "content-range: bytes 0-L/N"], { $1[$0...] })
            ),
            ("wrong length", answer("206 x", ["content-range: bytes O-L/N"], { $1[($0 + 5)...] })),
            ("another tag", answer("206 x", ["content-range: bytes O-L/N"], { $1[$0...] }, tag: "\"v2\"")),
            ("no tag", answer("206 x", ["content-range: bytes O-L/N"], { $1[$0...] }, tag: nil)),
            ("weak tag", answer("206 x", ["content-range: bytes O-L/N"], { $1[$0...] }, tag: "W/\"v1\"")),
            ("coded", answer("206 x", ["content-range: bytes O-L/N", "content-encoding: gzip"], { $1[$0...] })),
            ("416 smaller", answer("416 x", ["content-range: bytes */5"], { _, _ in [] })),
            ("416 larger", answer("416 x", ["content-range: bytes */99999999"], { _, _ in [] })),
            ("416 of what is there", answer("416 x", ["content-range: bytes */O"], { _, _ in [] })),
            ("416 bare", answer("416 x", [], { _, _ in [] })),
        ]
    }()

    @Test(arguments: lies.indices)
    func noLieMakesAWrongFile(_ index: Int) async throws {
        let (name, lie) = Self.lies[index]
        let site = RangeSite(content) {
            $0.cuts = [300_000]
            $0.lie = lie
        }
        try await trial(site) { bench, server in
            let result = await bench.fetch(server.origin + "/a")
            let part = try #require(result.part, "\(name): \(String(describing: result.failure))")
            #expect(try bench.folder.read(part.name) == content, "\(name)")
            #expect(part.sha256 == digest, "\(name)")
            #expect(result.resumedFrom == nil, "\(name)")
            #expect(server.requests.count <= 3, "\(name)")
            #expect(bench.partNames.filter { $0.hasSuffix(".part") } == [part.name], "\(name)")
        }
    }

    @Test func aDigestFindsWhatRangesHide() async throws {
        let digest = base64(digest)
        let other = SeededBytes.bytes(700_000, seed: 13)
        for field in ["Repr-Digest: sha-256=:\(digest):", "Digest: SHA-256=\(digest)"] {
            let site = RangeSite(content) {
                $0.cuts = [300_000]
                $0.further = [field]
                $0.lie = { offset, _ in
                    Response.bytes(
                        Array(other.dropFirst(offset)), status: "206 x",
                        headers: ["ETag: \"v1\"", "Content-Range: bytes \(offset)-699999/700000"])
                }
            }
            try await trial(site) { bench, server in
                let result = await bench.fetch(server.origin + "/a")
                let received = try bench.content(of: result)
                #expect(received == content)
                #expect(result.attempts == 3)
            }
        }
    }

    @Test func aWrongBodyIsAChecksumFailure() async throws {
        let digest = base64(try SHA256.digest(of: [1, 2, 3]))
        let site = RangeSite(content) { $0.further = ["Repr-Digest: sha-256=:\(digest):"] }
        try await trial(site) { bench, server in
            let result = await bench.fetch(server.origin + "/a")
            #expect(result.failure?.code == .checksum)
            #expect(result.attempts == 1)
            guard case .failed(_, let refused?) = result.outcome else {
                Issue.record("no body for quarantine")
                return
            }
            #expect(refused.bytes == 700_000)
        }
    }

    @Test(
        arguments: [
            ("W/\"v1\"", "Sun, 29 Nov 2026 12:00:00 GMT"), (nil, "Mon, 30 Nov 2026 12:00:00 GMT"), (nil, nil),
            ("\"\"x", nil), ("v1", nil),
        ] as [(String?, String?)])
    func withoutAStrongValidatorItStartsOver(_ etag: String?, _ modified: String?) async throws {
        let site = RangeSite(content) {
            $0.cuts = [300_000]
            $0.etag = etag
            $0.lastModified = modified
        }
        try await trial(site) { bench, server in
            let result = await bench.fetch(server.origin + "/a")
            let received = try bench.content(of: result)
            #expect(received == content)
            #expect(server.requests.map { $0["range"] } == [nil, nil])
        }
    }

    @Test func anOldDateIsStrongEnough() async throws {
        let site = RangeSite(content) {
            $0.cuts = [300_000]
            $0.etag = nil
            $0.lastModified = "Sun, 29 Nov 2026 12:00:00 GMT"
        }
        try await trial(site) { bench, server in
            let result = await bench.fetch(server.origin + "/a")
            let received = try bench.content(of: result)
            #expect(received == content)
            #expect(result.resumedFrom == 300_000)
            #expect(server.requests.last?["if-range"] == "Sun, 29 Nov 2026 12:00:00 GMT")
        }
    }

    @Test func chunkedBodiesGoOnToo() async throws {
        let site = RangeSite(content) {
            $0.cuts = [300_000]
            $0.isChunked = true
        }
        try await trial(site) { bench, server in
            let result = await bench.fetch(server.origin + "/a")
            let received = try bench.content(of: result)
            #expect(received == content)
            #expect(result.resumedFrom ?? 0 > 290_000)
        }
    }

    @Test func boundOnSizeCountsWhatIsThere() async throws {
        let site = RangeSite(content) {
            $0.cuts = [300_000]
            $0.isChunked = true
        }
        try await trial(site) { bench, server in
            let result = await bench.fetch(server.origin + "/a", .all(.item, maxItemBytes: 699_999))
            #expect(result.failure?.code == .tooLarge)
            #expect(bench.partNames.isEmpty)
        }
    }

    // MARK: The next run

    /// Fetches until a failure, then again with a fetcher that knows only what lies in the folder.
    private func twoRuns(
        _ site: RangeSite, between: (Folder) throws -> Void = { _ in },
        _ check: (FetchResult, Bench, FaultServer) async throws -> Void
    ) async throws {
        try await FaultServer.serving {
            site.answer($0)
        } _: { server in
            try await Bench.with { first in
                let failed = await first.fetch(server.origin + "/a")
                #expect(failed.failure != nil)
                try between(first.folder)
                let directory = try Directory(first.folder.path)
                let parts = try await KeptParts.open(directory, now: Pace().now())
                let fetcher = Fetcher(
                    rules: .quick, engine: try HTTPEngine(connections: 4, writers: 2), partial: directory,
                    partPrefix: "next", parts: parts, pace: Naps().pace())
                let second = Bench(fetcher: fetcher, folder: first.folder)
                try await check(await second.fetch(server.origin + "/a"), second, server)
            }
        }
    }

    @Test func theNextRunGoesOn() async throws {
        let site = RangeSite(content) { $0.cuts = [500_000] }
        try await twoRuns(site) { result, bench, server in
            let part = try #require(result.part)
            #expect(try bench.folder.read(part.name) == content)
            #expect(part.sha256 == digest)
            #expect(part.prefix == Array(content.prefix(4096)))
            #expect(result.resumedFrom == 500_000)
            #expect(result.received == 200_000)
            #expect(result.head?.headers["etag"] == "\"v1\"")
            #expect(result.head?.contentType == "application/octet-stream")
        }
    }

    static let spoilers: [(name: String, spoil: @Sendable (Folder) throws -> Void)] = [
        ("log lost", { try $0.remove("run-1.part.log") }),
        ("log empty", { try $0.write("run-1.part.log", "") }),
        ("log garbage", { try $0.write("run-1.part.log", SeededBytes.bytes(5000, seed: 9)) }),
        (
            "log of another URL",
            {
                let text = try $0.text("run-1.part.log").replacing("/a\n", with: "/b\n")
                try $0.write("run-1.part.log", text)
            }
        ),
        (
            "head cut short",
            { try $0.write("run-1.part.log", String(try $0.text("run-1.part.log").prefix(60))) }
        ),
        ("part changed", { try $0.write("run-1.part", SeededBytes.bytes(500_000, seed: 10)) }),
        ("part short", { try $0.write("run-1.part", SeededBytes.bytes(500, seed: 11)) }),
        ("part gone", { try $0.remove("run-1.part") }),
        ("part of zeros", { try $0.write("run-1.part", [UInt8](repeating: 0, count: 500_000)) }),
    ]

    @Test(arguments: spoilers.indices)
    func whatCannotBeProvenIsFetchedAgain(_ index: Int) async throws {
        let (name, spoil) = Self.spoilers[index]
        let site = RangeSite(content) { $0.cuts = [500_000] }
        try await twoRuns(site, between: spoil) { result, bench, server in
            let part = try #require(result.part, "\(name)")
            #expect(try bench.folder.read(part.name) == content, "\(name)")
            #expect(result.resumedFrom == nil, "\(name)")
            let others = bench.partNames.filter { $0.hasSuffix(".part") && $0 != part.name }
            // What belongs to another URL waits for that one.
            #expect(others == (name == "log of another URL" ? ["run-1.part"] : []), "\(name)")
        }
    }

    @Test func junkBehindThePartIsCutOff() async throws {
        let site = RangeSite(content) { $0.cuts = [500_000] }
        let content = content
        try await twoRuns(site) { folder in
            try folder.write("run-1.part", Array(content.prefix(500_000)) + SeededBytes.bytes(77_777, seed: 10))
            try folder.write("run-1.part.log", try folder.text("run-1.part.log") + "at 5777")
        } _: { result, bench, server in
            let received = try bench.content(of: result)
            #expect(received == content)
            #expect(result.resumedFrom == 500_000)
        }
    }

    @Test func aWholePartIsDoneBy416() async throws {
        let site = RangeSite(content) { $0.cuts = [500_000] }
        let content = content
        try await twoRuns(site) { folder in
            try folder.write("run-1.part", content)
            let line = PartLog.Checkpoint(bytes: 700_000, sha256: try SHA256.digest(of: content)).line()
            try folder.write("run-1.part.log", try folder.text("run-1.part.log") + line)
        } _: { result, bench, server in
            let received = try bench.content(of: result)
            #expect(received == content)
            #expect(result.resumedFrom == 700_000)
            #expect(result.received == 0)
            #expect(server.requests.last?["range"] == "bytes=700000-")
        }
    }

    @Test func anOldPartIsForgotten() async throws {
        let site = RangeSite(content) { $0.cuts = [500_000] }
        try await trial(retries: 0, site) { bench, server in
            _ = await bench.fetch(server.origin + "/a")
            #expect(bench.partNames.sorted() == ["run-1.part", "run-1.part.log"])
            try bench.folder.write("stray", "x")
            let directory = try Directory(bench.folder.path)
            _ = try await KeptParts.open(directory, now: Pace().now() + 13 * 86400)
            #expect(bench.partNames.sorted() == ["run-1.part", "run-1.part.log"])
            _ = try await KeptParts.open(directory, now: Pace().now() + 15 * 86400)
            #expect(bench.partNames.isEmpty)
            for name in ["run-1.part", "run-1.part.aside", "run-2.part.log"] {
                try bench.folder.write("\(name)/x", "mine")
            }
            for _ in 1...2 { _ = try await KeptParts.open(directory, now: Pace().now()) }
            #expect(
                bench.folder.files().map(\.name).sorted()
                    == ["run-1.part-2.aside/x", "run-1.part.aside/x", "run-2.part.log.aside/x"],
                "a folder in the place of a part goes aside, and keeps what it holds")
        }
    }
}
