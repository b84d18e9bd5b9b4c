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

    /// What is believed must also be asked for: a file of each kind that the machine's tools write.
    @Test(arguments: [
        ("printf x | gzip", "application/gzip"), ("printf x | bzip2", "application/x-bzip2"),
        ("printf x | xz", "application/x-xz"), ("printf x | zstd", "application/zstd"),
        ("tar -c /etc/hostname 2>/dev/null", "application/x-tar"), ("cat /bin/true", nil),
        ("f=$(mktemp -u) && sqlite3 $f 'CREATE TABLE t(a)' && cat $f && rm $f", "application/vnd.sqlite3"),
        ("head -c 4096 /usr/share/zoneinfo/Europe/Berlin", nil),
    ])
    func filesThatToolsWrite(command: String, type: String?) async throws {
        let outcome = try await Program.tool("bash", ["-c", command]).run()
        let found = try ContentSniffer().type(of: outcome.output)
        #expect(found == type, "\(command)")
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
