import Magic
import TestSupport
import Testing

@Suite struct TrustTests {
    @Test func randomBytesAreOfNoKind() throws {
        let sniffer = ContentSniffer()
        for seed in 0..<1500 {
            #expect(try sniffer.type(of: SeededBytes.bytes(1024, seed: seed)) == nil, "seed \(seed)")
        }
    }

    @Test(arguments: [
        ("%PDF-1.7\n", "application/pdf"), ("GIF89a\u{1}\u{0}\u{1}\u{0}", "image/gif"),
        ("plain words", "text/plain"),
        ("<!doctype html><p>", "text/html"),
    ])
    func marksThatAreLongEnoughAreBelieved(content: String, type: String) throws {
        #expect(try ContentSniffer().type(of: Array(content.utf8)) == type)
    }
}
