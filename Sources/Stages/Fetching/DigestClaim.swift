import Digests
import Model

/// What a server says that the digest of a whole body is: the one way to notice that it lies about ranges, or that
/// something on the way changed what it sent.
struct DigestClaim: Sendable, Hashable {
    let algorithm: MessageDigest.Algorithm
    let digest: [UInt8]
    /// The field that says so.
    let source: String
    /// A mismatch warns, but fails nothing: the field is not meant as a digest.
    let isAdvisory: Bool

    /// A whole body that is not what the server said.
    struct Mismatch: Sendable, Hashable {
        let claim: DigestClaim
        let found: [UInt8]

        var message: String {
            let name = claim.algorithm.rawValue
            return "the body's \(name) is \(hex(found)), but \(claim.source) says \(hex(claim.digest))"
        }
    }

    private init?(_ algorithm: MessageDigest.Algorithm?, _ digest: [UInt8]?, _ source: String, isAdvisory: Bool = false)
    {
        guard let algorithm, let digest, digest.count == algorithm.size else { return nil }
        self.algorithm = algorithm
        self.digest = digest
        self.source = source
        self.isAdvisory = isAdvisory
    }

    /// The strongest claim of a complete answer (status 200), if it makes one that can be read.
    init?(_ headers: HeaderFields) {
        var claims = Self.listed(in: headers, "repr-digest") + Self.listed(in: headers, "content-digest")
        claims += Self.listed(in: headers, "digest")
        // What is decoded on the way out is not what was hashed when it was stored.
        if [nil, "identity"].contains(headers["x-goog-stored-content-encoding"]) {
            claims += Self.listed(in: headers, "x-goog-hash")
        }
        if let field = headers.bytes("content-md5") {
            claims += [Self(.md5, decoded(base64: field[...]), "Content-MD5")].compactMap { $0 }
        }
        claims += [Self.s3(headers)].compactMap { $0 }
        let order: [MessageDigest.Algorithm] = [.sha256, .sha512, .md5, .sha1]
        let best = claims.min { left, right in
            let ranks = [left, right].map { ($0.isAdvisory ? 9 : 0) + (order.firstIndex(of: $0.algorithm) ?? 8) }
            return ranks[0] < ranks[1]
        }
        guard let best else { return nil }
        self = best
    }

    /// Nil when the content is what was claimed.
    func mismatch(with content: borrowing BodyDigest) throws -> Mismatch? {
        guard let found = try content.value(of: algorithm), found != digest else { return nil }
        return Mismatch(claim: self, found: found)
    }

    /// `sha-256=:...:, md5=:...:` (RFC 9530), and the same without colons (RFC 3230, Google's own field).
    private static func listed(in headers: HeaderFields, _ name: String) -> [DigestClaim] {
        headers.all(name).flatMap { $0.split(separator: UInt8(ascii: ",")) }.compactMap { entry in
            let key = entry.prefix { $0 != UInt8(ascii: "=") }
            var value = entry.dropFirst(key.count + 1)
            if value.first == UInt8(ascii: ":") { value = value.dropFirst().prefix { $0 != UInt8(ascii: ":") } }
            let word = String(decoding: key.filter { $0 > 0x20 }, as: UTF8.self).lowercased()
            return Self(names[word], decoded(base64: value), name)
        }
    }

    private static let names: [String: MessageDigest.Algorithm] = [
        "sha-256": .sha256, "sha-512": .sha512, "md5": .md5, "sha": .sha1,
    ]

    /// S3's tag of an object that came in one part and is not encrypted with a key of its own is its MD5.
    private static func s3(_ headers: HeaderFields) -> DigestClaim? {
        guard headers["server"] == "AmazonS3", let tag = headers["etag"], tag.utf8.count == 34,
            headers["x-amz-server-side-encryption"].map({ $0 == "AES256" }) ?? true,
            headers.bytes("x-amz-server-side-encryption-customer-algorithm") == nil
        else { return nil }
        return Self(.md5, bytes(hex: String(tag.dropFirst().dropLast())), "S3's ETag", isAdvisory: true)
    }
}

/// RFC 4648, section 4; nil for anything else, missing padding included.
private func decoded(base64 text: ArraySlice<UInt8>) -> [UInt8]? {
    let text = text.filter { $0 > 0x20 }
    guard text.count.isMultiple(of: 4), text.count <= 128 else { return nil }
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    var result: [UInt8] = []
    var bits: UInt32 = 0
    for (index, character) in text.dropLast(padding).enumerated() {
        guard let value = base64Value(character) else { return nil }
        bits = bits << 6 | UInt32(value)
        if index % 4 == 3 { result += [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) } }
    }
    if padding == 1 { result += [10, 2].map { UInt8(truncatingIfNeeded: bits >> $0) } }
    if padding == 2 { result.append(UInt8(truncatingIfNeeded: bits >> 4)) }
    return result
}

private func base64Value(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
}
