import Digests
import Testing
import URLs

@testable import Fetching

@Suite struct ChecksumListTests {
    private let one = String(repeating: "1a", count: 32)
    private let two = String(repeating: "2B", count: 32)
    private let md5 = String(repeating: "5c", count: 16)

    private func found(_ text: String, _ file: String, at list: String = "https://h.example/d/SHA256SUMS") throws
        -> String?
    {
        ChecksumList(Array(text.utf8)).checksum(of: try url(file), listedAt: try url(list))
            .map { "\($0.algorithm.rawValue) \(hex($0.digest.prefix(2)))" }
    }

    @Test func readsTheUsualForms() throws {
        let text = """
            -----BEGIN PGP SIGNED MESSAGE-----
            Hash: SHA512

            # comment
            \(one)  a.iso
            \(two) *./sub/b c.iso\r
            MD5 (d.iso) = \(md5)
            \\\(one)  back\\\\slash\\nline
            \(String(repeating: "3d", count: 64))  e.iso
            """
        #expect(try found(text, "https://h.example/d/a.iso") == "sha256 1a1a")
        #expect(try found(text, "https://h.example/d/sub/b%20c.iso") == "sha256 2b2b")
        #expect(try found(text, "https://h.example/d/d.iso") == "md5 5c5c")
        #expect(try found(text, "https://h.example/d/back%5Cslash%0Aline") == "sha256 1a1a")
        #expect(try found(text, "https://h.example/d/e.iso") == "sha512 3d3d")
        #expect(try found(text, "https://h.example/d/none.iso") == nil)
    }

    @Test func theFullNameCountsBeforeTheLastPart() throws {
        let text = "\(one)  x/a.iso\n\(two)  y/a.iso\n\(md5)  only/z.iso\n"
        #expect(try found(text, "https://h.example/d/x/a.iso") == "sha256 1a1a")
        #expect(try found(text, "https://h.example/d/y/a.iso") == "sha256 2b2b")
        // Two of that name elsewhere: nobody knows which.
        #expect(try found(text, "https://cdn.example/a.iso") == nil)
        #expect(try found(text, "https://cdn.example/z.iso") == "md5 5c5c")
    }

    @Test func aSidecarMayHoldADigestAlone() throws {
        let side = "https://h.example/d/a.iso.sha256"
        #expect(try found("\(one)\n", "https://h.example/d/a.iso", at: side) == "sha256 1a1a")
        #expect(try found("\(one)  build/other-name.iso\n", "https://h.example/d/a.iso", at: side) == "sha256 1a1a")
        #expect(try found("\(one)\n", "https://h.example/d/b.iso", at: side) == nil)
    }

    @Test func theStrongestOfSeveralCounts() throws {
        #expect(try found("\(md5)  a\n\(one)  a\n", "https://h.example/d/a") == "sha256 1a1a")
        #expect(try found("\(one)  a\n\(md5)  a\n", "https://h.example/d/a") == "sha256 1a1a")
    }

    @Test func hostileListsCostNoMoreThanTheirLength() throws {
        let lines = (0..<250_000).map { "\(md5)  f\($0)" }.joined(separator: "\n")
        #expect(ChecksumList(Array(lines.utf8)).count == 200_000)
        #expect(ChecksumList([UInt8](repeating: 0x28, count: 3_000_000)).count == 0)
        #expect(ChecksumList([]).count == 0)
    }
}
