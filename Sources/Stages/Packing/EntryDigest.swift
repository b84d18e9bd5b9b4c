import Digests

/// The digests of one entry: SHA-256, and SHA-512 where a bag wants it too.
struct EntryDigest: ~Copyable {
    private var short: SHA256
    private var long: MessageDigest?

    private init(_ short: consuming SHA256, _ long: consuming MessageDigest?) {
        self.short = short
        self.long = long
    }

    init(isLong: Bool) throws(DigestError) {
        self.init(try SHA256(), isLong ? try MessageDigest(.sha512) : nil)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) throws(DigestError) {
        try short.update(bytes)
        try long?.update(bytes)
    }

    var sha256: [UInt8] { get throws(DigestError) { try short.current() } }

    /// Empty where it was not asked for.
    var sha512: [UInt8] { get throws(DigestError) { try long?.current() ?? [] } }
}
