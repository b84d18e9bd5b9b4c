import Testing

@testable import HTTP

@Suite struct HeadReaderTests {
    /// Feeds a head line by line; each line keeps its end.
    private func read(_ text: String) throws(HTTPError) -> HTTPHead? {
        var reader = HeadReader()
        var head: HTTPHead?
        var line: [UInt8] = []
        for byte in text.utf8 {
            line.append(byte)
            guard byte == 10 else { continue }
            let event = try Self.feed(&reader, line)
            if case .head(let complete) = event { head = complete }
            line = []
        }
        return head
    }

    private static func feed(_ reader: inout HeadReader, _ line: [UInt8]) throws(HTTPError) -> HeadReader.Event {
        let result = line.withUnsafeBufferPointer { bytes in
            Result { () throws(HTTPError) in try reader.line(bytes) }
        }
        return try result.get()
    }

    @Test func readsFieldsInOrder() throws {
        let head = try read("HTTP/1.1 200 OK\r\nB: 1\r\na:\t2 \r\nB: 3\r\nContent-Length: 7\r\n\r\n")
        #expect(head?.status == 200)
        #expect(head?.version == "HTTP/1.1")
        #expect(head?.fields.map(\.name) == ["b", "a", "b", "content-length"])
        #expect(head?.fields.map(\.value).prefix(3) == [[0x31], [0x32], [0x33]])
        #expect(head?.contentLength == 7)
    }

    @Test func dropsInformationalResponses() throws {
        let head = try read(
            "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 100 Go\r\n\r\nHTTP/1.1 404 No\r\nA: b\r\n\r\n")
        #expect(head?.status == 404)
        #expect(head?.fields.map(\.name) == ["a"])
    }

    @Test func takesReasonsOfAnyKind() throws {
        for line in ["HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/2 200 ", "HTTP/1.0 200 All is well"] {
            #expect(try read(line + "\r\n\r\n")?.status == 200)
        }
    }

    @Test func keepsRawBytesOfValues() throws {
        var reader = HeadReader()
        _ = try Self.feed(&reader, Array("HTTP/1.1 200 OK\r\n".utf8))
        _ = try Self.feed(&reader, Array("X: ".utf8) + [0xe9, 0xff] + [13, 10])
        guard case .head(let head) = try Self.feed(&reader, [13, 10]) else {
            Issue.record("no head")
            return
        }
        #expect(head.value("x") == [0xe9, 0xff])
    }

    @Test func joinsFoldedLines() throws {
        #expect(try read("HTTP/1.1 200 OK\r\nX: a\r\n  b\r\n\r\n")?.value("x") == Array("a b".utf8))
    }

    @Test func ignoresLengthBesideChunked() throws {
        let head = try read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(head != nil)
        #expect(head?.contentLength == nil)
    }

    @Test func dropsNamesWithBlanks() throws {
        let head = try read("HTTP/1.1 200 OK\r\nX y: 1\r\nZ : 2\r\nA: 3\r\n\r\n")
        #expect(head?.fields.map(\.name) == ["a"])
    }

    @Test(arguments: [
        "Content-Length: 12abc", "Content-Length: -1", "Content-Length: +5", "Content-Length: 9223372036854775808",
        "Content-Length:", "Content-Length: 5, 6", "Content-Length: 0x10", "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length : 5", "Transfer-Encoding : chunked", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Content-Length: 1\r\n 2",
        "Location: /a\r\nLocation: /b", "NoColon", ": empty", " leading: blank", "A: b\rc", "A: \u{0}",
    ])
    func refuses(_ field: String) {
        let error = #expect(throws: HTTPError.self) {
            try read("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n")
        }
        #expect(error?.kind == .protocolViolation)
    }

    @Test(arguments: ["HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 abc", "HTTP/1.1", "ICY 200 OK", "HTTP/1.1 099 x"])
    func refusesStatusLine(_ line: String) {
        #expect(throws: HTTPError.self) { try read(line + "\r\n\r\n") }
    }

    @Test func boundsLinesFieldsAndSum() throws {
        let name = String(repeating: "a", count: 60_000)
        #expect(try read("HTTP/1.1 200 OK\r\nX: \(name)\r\n\r\n") != nil)
        #expect(throws: HTTPError.self) { try read("HTTP/1.1 200 OK\r\nX: \(name + name)\r\n\r\n") }
        let many = String(repeating: "A: b\r\n", count: 1001)
        #expect(throws: HTTPError.self) { try read("HTTP/1.1 200 OK\r\n\(many)\r\n") }
        let large = String(repeating: "A: \(name)\r\n", count: 5)
        #expect(throws: HTTPError.self) { try read("HTTP/1.1 200 OK\r\n\(large)\r\n") }
        let endless = String(repeating: "HTTP/1.1 100 Go\r\nX: \(name)\r\n\r\n", count: 5)
        #expect(throws: HTTPError.self) { try read(endless) }
    }

    @Test func acceptsEqualRepetitions() throws {
        let text = "HTTP/1.1 301 x\r\nContent-Length: 5\r\nContent-Length: 5\r\nLocation: /a\r\nLocation: /a\r\n\r\n"
        #expect(try read(text)?.contentLength == 5)
    }
}
