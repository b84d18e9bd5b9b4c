import Digests
import Model
import Testing

@testable import Fetching

@Suite struct DigestClaimTests {
    private static let sha256 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let md5 = "1B2M2Y8AsgTpgAmY7PhCfg=="

    @Test(
        arguments: [
            (["Repr-Digest: sha-256=:\(sha256):"], "sha256"),
            (["Repr-Digest: md5=:\(md5):, sha-256=:\(sha256):;x=1"], "sha256"),
            (["Content-Digest: sha-256=:\(sha256):"], "sha256"), (["Digest: SHA-256=\(sha256)"], "sha256"),
            (["Digest: MD5=\(md5)"], "md5"), (["Content-MD5: \(md5)"], "md5"),
            (["X-Goog-Hash: crc32c=AAAAAA==", "X-Goog-Hash: md5=\(md5)"], "md5"),
            (["X-Goog-Hash: md5=\(md5)", "X-Goog-Stored-Content-Encoding: gzip"], nil),
            (["Server: AmazonS3", "ETag: \"d41d8cd98f00b204e9800998ecf8427e\""], "md5"),
            (["Server: AmazonS3", "ETag: \"d41d8cd98f00b204e9800998ecf8427e-2\""], nil),
            (
                [
                    "Server: AmazonS3", "ETag: \"d41d8cd98f00b204e9800998ecf8427e\"",
                    "X-Amz-Server-Side-Encryption: aws:kms",
                ], nil
            ), (["Server: nginx", "ETag: \"d41d8cd98f00b204e9800998ecf8427e\""], nil),
            (["Digest: SHA-256=xxx"], nil), (["Digest: SHA-256=\(md5)"], nil), (["Content-MD5: "], nil),
            (["Repr-Digest: sha-256=:\(sha256.dropLast()):"], nil), ([], nil),
        ] as [([String], String?)])
    func readsClaims(_ fields: [String], _ expected: String?) throws {
        var headers = HeaderFields()
        for field in fields {
            let parts = field.split(separator: ":", maxSplits: 1)
            headers.append(name: String(parts[0]), value: Array(parts[1].utf8.dropFirst()))
        }
        let claim = DigestClaim(headers)
        #expect(claim?.algorithm.rawValue == expected)
        let empty = try BodyDigest(also: claim?.algorithm)
        #expect(try claim?.mismatch(with: empty) == nil)
        #expect((claim?.isAdvisory ?? false) == (expected != nil && fields[0] == "Server: AmazonS3"))
    }

    @Test(
        arguments: [
            ("bytes 0-9/10", 0, 9, 10), ("bytes 5-9/*", 5, 9, nil), ("BYTES 5-9/10", 5, 9, 10),
            ("bytes */10", nil, nil, 10),
        ] as [(String, Int64?, Int64?, Int64?)])
    func readsContentRange(_ text: String, _ first: Int64?, _ last: Int64?, _ total: Int64?) throws {
        let range = try #require(ContentRange(Array(text.utf8)))
        #expect(range.range?.lowerBound == first && range.range?.upperBound == last && range.total == total)
    }

    @Test(arguments: [
        "", "bytes", "bytes 1-2", "bytes 2-1/3", "bytes 0-3/3", "bytes */*", "bytes -1-2/3", "lines 0-1/2",
        "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775808/*", "bytes 0-1/2/3", "bytes 0-1-2/3",
        "bytes=0-1/2",
        "bytes 0x1-2/3", "bytes 0- 1/2",
    ])
    func refusesContentRange(_ text: String) { #expect(ContentRange(Array(text.utf8)) == nil) }
}
