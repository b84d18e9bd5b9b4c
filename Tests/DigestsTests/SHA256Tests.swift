import Testing

@testable import Digests

@Suite struct SHA256Tests {
    // FIPS 180-4 examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func knownDigests(text: String, expected: String) throws {
        #expect(hex(try SHA256.digest(of: text.utf8)) == expected)
    }

    @Test func piecesGiveTheDigestOfTheWhole() throws {
        let whole = [UInt8](repeating: 7, count: 100_000)
        var hash = try SHA256()
        for start in stride(from: 0, to: whole.count, by: 777) {
            try whole[start..<min(start + 777, whole.count)].withUnsafeBytes { try hash.update($0) }
        }
        #expect(try hash.finish() == SHA256.digest(of: whole))
    }

    @Test func hexadecimalGoesBothWays() {
        #expect(hex([0, 15, 255]) == "000fff")
        #expect(bytes(hex: "000FfF") == [0, 15, 255])
        #expect(bytes(hex: "0") == nil)
        #expect(bytes(hex: "zz") == nil)
    }
}
