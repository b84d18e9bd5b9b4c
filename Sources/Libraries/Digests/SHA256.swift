/// SHA-256 (FIPS 180-4) of bytes that come in pieces, by the processor's own instructions where libcrypto has them.
package struct SHA256: ~Copyable {
    private var digest: MessageDigest

    /// - Throws: ``DigestError`` when libcrypto has no memory or no SHA-256.
    package init() throws(DigestError) { digest = try MessageDigest(.sha256) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) throws(DigestError) { try digest.update(bytes) }

    /// The digest, 32 bytes, of all that came so far; more may come.
    package borrowing func current() throws(DigestError) -> [UInt8] { try digest.current() }

    /// The digest, 32 bytes, of all that came.
    package consuming func finish() throws(DigestError) -> [UInt8] { try digest.current() }

    /// The digest, 32 bytes, of bytes at hand.
    package static func digest(of bytes: some Sequence<UInt8>) throws(DigestError) -> [UInt8] {
        var hash = try SHA256()
        let whole = Array(bytes)
        do { try whole.withUnsafeBytes { try hash.update($0) } } catch { throw DigestError(.sha256) }
        return try hash.finish()
    }
}
