import Digests
import Files
import HTTP
import Model
import Synchronization
import TestSupport
import Testing

@testable import Fetching

/// One large file in several ranges at once.
@Suite struct SegmentTests {
    private let content = SeededBytes.bytes(5_000_000, seed: 21)

    private var rules: FetchRules {
        var rules = FetchRules.quick
        rules.segments = 4
        rules.perHost = 8
        return rules
    }

    /// The answer of a server that does all right.
    private func answer(
        _ request: Request, _ content: [UInt8], tag: String = "\"v1\"", fields: [String] = []
    ) -> [UInt8] {
        let common = ["ETag: \(tag)", "Accept-Ranges: bytes"] + fields
        guard let (first, last) = range(request), request["if-range"] == tag else {
            return Response.bytes(content, headers: common)
        }
        let end = min(last, content.count - 1)
        return Response.bytes(
            Array(content[first...end]), status: "206 Partial Content",
            headers: common + ["Content-Range: bytes \(first)-\(end)/\(content.count)"])
    }

    private func range(_ request: Request) -> (Int, Int)? {
        guard let text = request["range"], text.hasPrefix("bytes=") else { return nil }
        let ends = text.dropFirst(6).split(separator: "-")
        guard let first = ends.first.flatMap({ Int($0) }) else { return nil }
        return (first, ends.count > 1 ? Int(ends[1]) ?? first : .max)
    }

    @Test func fetchesInRangesAtOnce() async throws {
        try await FaultServer.serving { request in
            [.pause(.milliseconds(100)), .send(answer(request, content))]
        } _: { server in
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin + "/a.bin")
                let received = try bench.content(of: result)
                #expect(received == content)
                #expect(server.greatestInFlight >= 3)
                #expect(server.requests.filter { $0["range"] != nil }.count == 4)
                #expect(result.attempts == 1)
                #expect(result.head?.status == 200)
            }
        }
    }

    @Test func oneRequestAtATimeIsEnough() async throws {
        var rules = rules
        rules.perHost = 1
        try await FaultServer.serving { request in
            [.send(answer(request, content))]
        } _: { server in
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin + "/a.bin")
                let received = try bench.content(of: result)
                #expect(received == content)
                #expect(server.greatestInFlight == 1)
            }
        }
    }

    /// What servers answer to a question for a part; whatever it is, the file is right in the end.
    private static let lies: [(String, @Sendable (Request, (Int, Int), [UInt8]) -> [UInt8])] = [
        ("the whole", { _, _, content in Response.bytes(content, headers: ["ETag: \"v1\"", "Accept-Ranges: bytes"]) }),
        ("shifted", { _, range, content in part(content, range.0 - 8, range.1 - 8) }),
        ("shorter", { _, range, content in part(content, range.0, range.1 - 8) }),
        ("longer", { _, range, content in part(content, range.0, min(range.1 + 8, content.count - 1)) }),
        ("another total", { _, range, content in part(content, range.0, range.1, total: content.count + 1) }),
        ("another tag", { _, range, content in part(content, range.0, range.1, tag: "\"v2\"") }),
        ("no tag", { _, range, content in part(content, range.0, range.1, tag: nil) }),
        ("416", { _, _, _ in Response.bytes([], status: "416 No", headers: ["Content-Range: bytes */5"]) }),
        ("403", { _, _, _ in Response.bytes([], status: "403 No") }),
        ("a redirect", { _, _, _ in Response.redirect(to: "/elsewhere") }),
        (
            "no range",
            { _, range, content in
                Response.bytes(
                    Array(content[range.0...range.1]), status: "206 Partial Content", headers: ["ETag: \"v1\""])
            }
        ),
    ]

    private static func part(
        _ content: [UInt8], _ first: Int, _ last: Int, total: Int? = nil, tag: String? = "\"v1\""
    ) -> [UInt8] {
        let first = max(first, 0)
        return Response.bytes(
            Array(content[first...max(last, first)]), status: "206 Partial Content",
            headers: ["Content-Range: bytes \(first)-\(max(last, first))/\(total ?? content.count)"]
                + (tag.map { ["ETag: \($0)"] } ?? []))
    }

    @Test(arguments: lies.map(\.0))
    func aLyingServerIsAskedForTheWhole(_ name: String) async throws {
        let lie = try #require(Self.lies.first { $0.0 == name }).1
        // Only some of the ranges are lied about.
        try await FaultServer.serving { request in
            guard let range = range(request), range.0 > 1_300_000 else { return [.send(answer(request, content))] }
            return [.send(lie(request, (range.0, min(range.1, content.count - 1)), content))]
        } _: { server in
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin + "/a.bin")
                let received = try bench.content(of: result)
                #expect(received == content)
                #expect(bench.partNames.filter { $0.hasSuffix(".part") }.count == 1)
            }
        }
    }

    @Test(arguments: ["Repr-Digest: sha-256=:{}:", "none"])
    func wrongBytesInARightRangeAreFoundByTheServersDigest(_ field: String) async throws {
        var digest = try sha256(content)
        if field == "none" { digest = [] }
        let fields = digest.isEmpty ? [] : [field.replacing("{}", with: base64(digest))]
        try await FaultServer.serving { request in
            guard let range = range(request), range.0 > 3_000_000 else {
                return [.send(answer(request, content, fields: fields))]
            }
            var spoilt = content
            spoilt[4_000_000] ^= 1
            return [.send(answer(request, spoilt, fields: fields))]
        } _: { server in
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin + "/a.bin")
                let received = try bench.content(of: result)
                #expect((received == content) == !digest.isEmpty)
            }
        }
    }

    @Test func smallFilesAndWeakValidatorsComeWhole() async throws {
        for (bytes, fields) in [
            (2_000_000, ["ETag: \"v1\"", "Accept-Ranges: bytes"]),
            (5_000_000, ["ETag: W/\"v1\"", "Accept-Ranges: bytes"]),
            (5_000_000, ["ETag: \"v1\""]), (5_000_000, ["ETag: \"v1\"", "Accept-Ranges: none"]),
        ] {
            var rules = rules
            rules.segments = bytes < 3_000_000 ? 1 : 4
            let whole = Response.bytes(Array(content.prefix(bytes)), headers: fields)
            try await FaultServer.serving { _ in
                [.send(whole)]
            } _: { server in
                try await Bench.with(rules) { bench in
                    #expect(await bench.fetch(server.origin + "/a.bin").part?.bytes == Int64(bytes))
                    #expect(server.requests.allSatisfy { $0["range"] == nil })
                    #expect(server.requests.count == 1)
                }
            }
        }
    }

    @Test func whatIsMissingOfEachRangeIsAskedForAgain() async throws {
        let failures = Counter()
        try await FaultServer.serving { request in
            let bytes = answer(request, content)
            guard request["range"] != nil, failures.take() < 3 else { return [.send(bytes)] }
            return [.send(Array(bytes.prefix(600_000))), .close]
        } _: { server in
            var rules = rules
            rules.retries = 2
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin + "/a.bin")
                let received = try bench.content(of: result)
                #expect(received == content)
                #expect(result.attempts == 2)
                #expect(result.resumedFrom ?? 0 > 1_000_000)
                #expect(result.received < 6_000_000)
            }
        }
    }

    @Test func theNextRunGoesOnWithEachRange() async throws {
        let isBroken = Mutex(true)
        try await FaultServer.serving { request in
            let bytes = answer(request, content)
            guard request["range"] != nil, isBroken.withLock({ $0 }) else { return [.send(bytes)] }
            return [.send(Array(bytes.prefix(900_000))), .close]
        } _: { server in
            try await Folder.temporary { folder in
                func fetch(spoils: Bool = false) async throws -> FetchResult {
                    let partial = try Directory(folder.path)
                    let fetcher = Fetcher(
                        rules: rules, engine: try HTTPEngine(connections: 16, writers: 2), partial: partial,
                        partPrefix: "run\(isBroken.withLock { $0 })\(spoils)",
                        parts: try await KeptParts.open(partial, now: 1e9), pace: Naps().pace())
                    var request = FetchRequest(id: 1, url: try url(server.origin + "/a.bin"), purpose: .item)
                    request.isStart = true
                    return await fetcher.fetch(request, policy: .all(.item))
                }
                #expect(try await fetch().failure?.code == .truncated)
                let names = folder.names.sorted()
                #expect(names.count == 2, "\(names)")
                // One range is damaged on the disk, and a kill has cut the log's last line.
                let part = try #require(names.first { $0.hasSuffix(".part") })
                var bytes = try folder.read(part)
                bytes[2_600_000] ^= 1
                try folder.write(part, bytes)
                try folder.write(part + ".log", try folder.text(part + ".log") + "at 3 12")
                isBroken.withLock { $0 = false }
                let result = try await fetch()
                let item = try #require(result.part, "\(String(describing: result.failure))")
                let received = try folder.read(item.name)
                #expect(received == content)
                #expect(result.resumedFrom ?? 0 > 1_000_000)
                #expect(result.received < 4_500_000)
            }
        }
    }

    @Test func aChangedFileStartsOver() async throws {
        let isBroken = Mutex(true)
        let newer = SeededBytes.bytes(5_000_000, seed: 22)
        try await FaultServer.serving { request in
            if isBroken.withLock({ $0 }) {
                let bytes = answer(request, content)
                guard request["range"] != nil else { return [.send(bytes)] }
                return [.send(Array(bytes.prefix(900_000))), .close]
            }
            return [.send(answer(request, newer, tag: "\"v2\""))]
        } _: { server in
            var rules = rules
            rules.retries = 3
            let pace = Pace(now: { 1e9 }, sleep: { _ in isBroken.withLock { $0 = false } })
            try await Bench.with(rules, pace: pace) { bench in
                let result = await bench.fetch(server.origin + "/a.bin")
                let received = try bench.content(of: result)
                #expect(received == newer)
            }
        }
    }

    @Test func nginxGivesRanges() async throws {
        try await NginxServer.serving { server in
            try server.site.write("a.bin", content)
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin + "/a.bin")
                let received = try bench.content(of: result)
                #expect(received == content)
                #expect(try server.log().filter { $0.status == 206 }.count == 4)
            }
        }
    }
}

private func sha256(_ bytes: [UInt8]) throws -> [UInt8] {
    var digest = try MessageDigest(.sha256)
    try bytes.withUnsafeBytes { try digest.update($0) }
    return try digest.current()
}
