import CCrypto

/// A digest of bytes that come in pieces, by libcrypto.
///
/// `@unchecked Sendable` is safe: there is one owner, since the type cannot be copied; changing it needs that owner, and
/// what merely looks at it only reads libcrypto's context, which belongs to no thread.
package struct MessageDigest: ~Copyable, @unchecked Sendable {
    package enum Algorithm: String, Sendable, CaseIterable {
        /// Broken as a signature; still what many servers give to find damage with.
        case md5
        case sha1
        case sha256
        case sha384
        case sha512

        /// Bytes of the digest.
        package var size: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }

        fileprivate var method: OpaquePointer? {
            switch self {
            case .md5: EVP_md5()
            case .sha1: EVP_sha1()
            case .sha256: EVP_sha256()
            case .sha384: EVP_sha384()
            case .sha512: EVP_sha512()
            }
        }
    }

    package let algorithm: Algorithm
    private let context: OpaquePointer

    /// - Throws: ``DigestError`` when libcrypto has no memory or not this algorithm.
    package init(_ algorithm: Algorithm) throws(DigestError) {
        guard let context = EVP_MD_CTX_new() else { throw DigestError(algorithm) }
        guard EVP_DigestInit_ex(context, algorithm.method, nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw DigestError(algorithm)
        }
        self.algorithm = algorithm
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) throws(DigestError) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { throw DigestError(algorithm) }
    }

    /// The digest of all that came so far; more may come.
    package borrowing func current() throws(DigestError) -> [UInt8] {
        guard let copy = EVP_MD_CTX_new() else { throw DigestError(algorithm) }
        defer { EVP_MD_CTX_free(copy) }
        guard EVP_MD_CTX_copy_ex(copy, context) == 1 else { throw DigestError(algorithm) }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard EVP_DigestFinal_ex(copy, &digest, &length) == 1 else { throw DigestError(algorithm) }
        return Array(digest.prefix(Int(length)))
    }
}

/// libcrypto could not compute a digest: it had no memory, or its configuration forbids the algorithm.
package struct DigestError: Error, CustomStringConvertible {
    private let algorithm: MessageDigest.Algorithm

    init(_ algorithm: MessageDigest.Algorithm) { self.algorithm = algorithm }

    package var description: String {
        "libcrypto could not compute \(algorithm.rawValue); check its configuration and the memory left"
    }
}
