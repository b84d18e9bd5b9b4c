import CCrypto

/// SHA-256 (FIPS 180-4) of bytes that come in pieces, by the processor's own instructions where libcrypto has them.
package struct SHA256: ~Copyable {
    private let context: OpaquePointer

    /// - Throws: ``DigestError`` when libcrypto has no memory or no SHA-256.
    package init() throws(DigestError) {
        guard let context = EVP_MD_CTX_new() else { throw DigestError() }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw DigestError()
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) throws(DigestError) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { throw DigestError() }
    }

    /// The digest, 32 bytes, of all that came.
    package consuming func finish() throws(DigestError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard EVP_DigestFinal_ex(context, &digest, &length) == 1 else { throw DigestError() }
        return Array(digest.prefix(Int(length)))
    }

    /// The digest, 32 bytes, of bytes at hand.
    package static func digest(of bytes: some Sequence<UInt8>) throws(DigestError) -> [UInt8] {
        var hash = try SHA256()
        let whole = Array(bytes)
        do { try whole.withUnsafeBytes { try hash.update($0) } } catch { throw DigestError() }
        return try hash.finish()
    }
}

/// libcrypto could not compute a digest: it had no memory, or its configuration forbids SHA-256.
package struct DigestError: Error, CustomStringConvertible {
    package var description: String {
        "libcrypto could not compute SHA-256; check its configuration and the memory left"
    }
}
