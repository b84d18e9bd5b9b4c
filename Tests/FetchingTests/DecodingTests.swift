import Model
import Synchronization
import TestSupport
import Testing

@testable import Fetching

/// Bodies that servers send in a content coding.
@Suite struct DecodingTests {
    private let content = Array((0..<4000).map { "row \($0), \($0 &* 2_654_435_761 % 10007)\n" }.joined().utf8)

    @Test func pagesAreAskedForInCodingsAndDecoded() async throws {
        let coded = try await Coded.deflated(content)
        try await FaultServer.serving { request in
            let isAsked = request["accept-encoding"]?.contains("gzip") == true
            return [.send(isAsked ? Response.bytes(coded, headers: ["Content-Encoding: gzip"]) : Response.notFound)]
        } _: { server in
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin + "/list/", .all(.page)) { $0.purpose = .page }
                #expect(result.body == content)
                #expect(result.received == Int64(coded.count))
                #expect(server.requests.first?["accept-encoding"] == "gzip, deflate, br, zstd")
                // What may be a file is asked for as it is.
                let file = await bench.fetch(server.origin + "/dump.sql", .all(.page)) { $0.purpose = .page }
                #expect(file.failure?.code == .httpStatus)
                #expect(server.requests.last?["accept-encoding"] == "identity")
            }
        }
    }

    @Test(
        arguments: [
            ("gzip", 0, nil), ("x-gzip", 0, nil), ("gzip", 5, .truncated), ("compress", 0, .protocolError),
            ("gzip, gzip, gzip, gzip, gzip, gzip", 0, .protocolError), ("br", 0, .damaged), ("identity", 0, nil),
        ] as [(String, Int, ErrorCode?)])
    func pagesAreGoodOnlyWhole(_ coding: String, _ missing: Int, _ code: ErrorCode?) async throws {
        let coded = try await Coded.deflated(content)
        let answer = Response.bytes(Array(coded.dropLast(missing)), headers: ["Content-Encoding: \(coding)"])
        try await FaultServer.serving { _ in
            [.send(answer)]
        } _: { server in
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin, .all(.page)) { $0.purpose = .page }
                #expect(result.failure?.code == code, "\(String(describing: result.failure))")
                if code == nil { #expect(result.body == (coding == "identity" ? coded : content)) }
            }
        }
    }

    @Test func aBombIsAnErrorAndTakesNoMemory() async throws {
        let bomb = try await Coded.deflated(Coded.deflated([UInt8](repeating: 0, count: 100 << 20)))
        let answer = Response.bytes(bomb, headers: ["Content-Encoding: gzip, gzip"])
        try await FaultServer.serving { _ in
            [.send(answer)]
        } _: { server in
            try await Bench.with { bench in
                let page = await bench.fetch(server.origin, .all(.page)) { $0.purpose = .page }
                #expect(page.failure?.code == .tooLarge)
                let item = await bench.fetch(server.origin)
                #expect(item.failure?.code == .tooLarge)
            }
        }
    }

    @Test func itemsAreDecodedWhenTheyAreWhole() async throws {
        let coded = try await Coded.deflated(content)
        let answer = Response.bytes(coded, headers: ["Content-Encoding: gzip", "ETag: \"c\""])
        try await FaultServer.serving { _ in
            [.send(answer)]
        } _: { server in
            try await Bench.with { bench in
                let result = await bench.fetch(server.origin + "/a.csv")
                let received = try bench.content(of: result)
                #expect(received == content)
                #expect(result.part?.prefix == Array(content.prefix(4096)))
                #expect(bench.partNames.count == 1, "\(bench.partNames)")
                // A name that promises the coding gets what it promises.
                #expect(await bench.fetch(server.origin + "/a.csv.gz").part?.bytes == Int64(coded.count))
            }
        }
    }

    @Test func codedItemsAreGoneOnWithAsTheyCame() async throws {
        let large = SeededBytes.bytes(900_000, seed: 8)
        let coded = try await Coded.deflated(large)
        let half = coded.count / 2
        let head = "HTTP/1.1 200 OK\r\nETag: \"c\"\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
        let handler: FaultServer.Handler = { request in
            guard let range = request["range"], let start = Int(range.dropFirst(6).dropLast()) else {
                return [.send(Array(head.utf8) + coded[..<half]), .close]
            }
            let fields = [
                "ETag: \"c\"", "Content-Encoding: gzip",
                "Content-Range: bytes \(start)-\(coded.count - 1)/\(coded.count)",
            ]
            return [.send(Response.bytes(Array(coded[start...]), status: "206 Partial Content", headers: fields))]
        }
        try await FaultServer.serving(handler) { server in
            var rules = FetchRules.quick
            rules.retries = 1
            try await Bench.with(rules) { bench in
                let result = await bench.fetch(server.origin + "/a.csv")
                let received = try bench.content(of: result)
                #expect(received == large)
                #expect(result.resumedFrom == Int64(half))
            }
        }
    }

    @Test func damagedItemsAreKeptForALook() async throws {
        let coded = try await Coded.deflated(content)
        for (bytes, code) in [
            (coded + Array("junk".utf8), ErrorCode.damaged), (Array(coded.dropLast(4)), .truncated),
            (Array(content), .damaged),
        ] {
            let answer = Response.bytes(bytes, headers: ["Content-Encoding: gzip"])
            try await FaultServer.serving { _ in
                [.send(answer)]
            } _: { server in
                try await Bench.with { bench in
                    let result = await bench.fetch(server.origin + "/a.csv")
                    guard case .failed(let failure, let refused) = result.outcome else {
                        Issue.record("\(result.outcome)")
                        return
                    }
                    #expect(failure.code == code)
                    #expect(refused?.bytes == Int64(bytes.count))
                    #expect(bench.partNames == [refused?.name])
                }
            }
        }
    }

    @Test func decodedBytesAreBounded() async throws {
        let answer = Response.bytes(try await Coded.deflated(content), headers: ["Content-Encoding: gzip"])
        try await FaultServer.serving { _ in
            [.send(answer)]
        } _: { server in
            var rules = FetchRules.quick
            rules.maxDecoded = Int64(content.count - 1)
            try await Bench.with(rules) { bench in
                #expect(await bench.fetch(server.origin + "/a.csv").failure?.code == .tooLarge)
                let page = await bench.fetch(server.origin, .all(.page)) { $0.purpose = .page }
                #expect(page.failure?.code == .tooLarge)
            }
        }
    }
}
