import Digests

/// What is known of a body's content so far: its digests, its length and its first bytes.
struct BodyDigest: ~Copyable {
    private(set) var bytes: Int64 = 0
    /// As much of the content as the inference of its type looks at.
    private(set) var prefix: [UInt8] = []
    private var sha256: SHA256
    /// The digest that the server's claim is compared with, if that is another one.
    private var other: MessageDigest?
    static let prefixSize = 4096

    init(also algorithm: MessageDigest.Algorithm?) throws {
        var other: MessageDigest?
        if let algorithm, algorithm != .sha256 { other = try MessageDigest(algorithm) }
        self.sha256 = try SHA256()
        self.other = other
    }

    mutating func update(_ piece: UnsafeRawBufferPointer) throws {
        try sha256.update(piece)
        try other?.update(piece)
        bytes += Int64(piece.count)
        let missing = Self.prefixSize - prefix.count
        if missing > 0 { prefix += piece.prefix(missing) }
    }

    borrowing func current() throws -> [UInt8] { try sha256.current() }

    /// The digest by that algorithm, if it was kept.
    borrowing func value(of algorithm: MessageDigest.Algorithm) throws -> [UInt8]? {
        if algorithm == .sha256 { return try sha256.current() }
        switch other {
        case .some(let digest): return digest.algorithm == algorithm ? try digest.current() : nil
        case nil: return nil
        }
    }
}
