import Files

import Model
import TestSupport
import Testing

@testable import Fetching
@testable import HTTP

/// Offsets beyond 32 bits. `scripts/soak/large-file` fetches such a file; its content alone takes longer to hash than a
/// test may.
@Suite struct LargeFileTests {
    private let total: Int64 = 5 << 30

    private func head(_ fields: [(String, String)], length: Int64?) -> (HTTPHead, HeaderFields) {
        var headers = HeaderFields()
        for (name, value) in fields { headers.append(name: name, value: Array(value.utf8)) }
        return (HTTPHead(status: 206, version: "HTTP/1.1", fields: [], contentLength: length), headers)
    }

    @Test func theRestOfALargeFileIsAskedForAndJudged() throws {
        var headers = HeaderFields()
        headers.append(name: "etag", value: Array("\"a\"".utf8))
        let place = try url("https://h.example/a")
        let origin = PartOrigin(url: place, answered: place, headers: headers, total: total)
        let offset = total - 10
        let resumption = Resumption(origin: origin, offset: offset)
        #expect(resumption.fields.first?.value == "bytes=\(offset)-")
        let range = "bytes \(offset)-\(total - 1)/\(total)"
        let (raw, fields) = head([("Content-Range", range), ("ETag", "\"a\"")], length: 10)
        guard case .rest(total: 5_368_709_120) = resumption.partial(raw, fields) else {
            Issue.record("\(resumption.partial(raw, fields))")
            return
        }
        var log = PartLog.head(origin)
        log += Array(PartLog.Checkpoint(bytes: offset, sha256: [UInt8](repeating: 7, count: 32)).line().utf8)
        #expect(PartLog(log)?.checkpoints.last?.bytes == offset)
        #expect(PartLog(log)?.origin.total == total)
    }

    @Test func largeSegmentsLieWhereTheyBelong() async throws {
        try await Folder.temporary { folder in
            var headers = HeaderFields()
            headers.append(name: "etag", value: Array("\"a\"".utf8))
            let place = try url("https://h.example/a")
            var origin = PartOrigin(url: place, answered: place, headers: headers, total: total)
            origin.segments = 3
            let part = try SegmentedPart.make(
                "a.part", in: try Directory(folder.path), origin, total: total, keepFree: nil)
            #expect(part.segments.map(\.range.lowerBound) == [0, 1_789_569_706, 3_579_139_412])
            #expect(part.segments.last?.range.upperBound == total)
            try part.segments[2].write([1, 2, 3])
            #expect(folder.size("a.part") == Int(total))
            let log = try #require(PartLog(try folder.read("a.part.log")))
            #expect(
                log.checkpoints == [.init(segment: 2, bytes: 3, sha256: try #require(log.checkpoints.first).sha256)])
        }
    }

    @Test func aLengthBeyondTheBoundIsToldRight() async throws {
        try await FaultServer.serving { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 5368709120\r\n\r\nx"), .stall]
        } _: { server in
            try await Bench.with { bench in
                let failure = await bench.fetch(server.origin, .all(.item, maxItemBytes: 1 << 32)).failure
                #expect(failure?.code == .tooLarge)
                #expect(failure?.message.contains("5368709120") == true)
            }
        }
    }
}
