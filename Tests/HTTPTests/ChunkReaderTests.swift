import Testing

@testable import HTTP

@Suite struct ChunkReaderTests {
    /// What is content, when the bytes come so many at a time.
    private func content(_ text: String, by size: Int) throws -> String {
        var reader = ChunkReader()
        var content: [UInt8] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            try bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { piece in
                _ = try reader.read(piece) { part in
                    content += Array(part)
                    return true
                }
            }
        }
        return String(decoding: content, as: UTF8.self)
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func takesChunksApart(size: Int) throws {
        #expect(try content("3\r\nabc\r\n0\r\n\r\n", by: size) == "abc")
        #expect(
            try content("3;a=\"b\"\r\nabc\r\n0A \r\n0123456789\r\n000\r\nX: y\r\n\r\nmore", by: size) == "abc0123456789"
        )
        #expect(try content("3\nabc\n0\n\n", by: size) == "abc")
        #expect(try content("0\r\n\r\n", by: size) == "")
    }

    @Test(arguments: [
        "\r\nabc", "-1\r\n", "x\r\n", "3x\r\nabc", "0x3\r\n", "8000000000000000\r\n", "11111111111111111\r\n",
        "2\r\nabc\r\n", "3\rabc", "3;a\u{0}b\r\n", "3 4\r\n", "3\r\nabc\r\r\n", " 3\r\nabc",
        "3;" + String(repeating: "x", count: 5000) + "\r\n", String(repeating: "0", count: 5000) + "3\r\n",
        "0\r\n" + String(repeating: "X: y\r\n", count: 20_000),
    ])
    func refuses(text: String) {
        for size in [1, 1000] { #expect(throws: HTTPError.self, "\(text.prefix(20))") { try content(text, by: size) } }
    }

    @Test func stopsWhenToldTo() throws {
        var reader = ChunkReader()
        let isTaken = try Array("3\r\nabc\r\n".utf8).withUnsafeBytes { try reader.read($0) { _ in false } }
        #expect(!isTaken)
    }
}
