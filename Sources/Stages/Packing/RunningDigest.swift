import Digests
import Model

/// SHA-256 of bytes that a callback sees; what goes wrong on the way is told at the end.
final class RunningDigest {
    private var hash: SHA256?
    private var failure: DigestError?

    init() throws(DigestError) { hash = try SHA256() }

    func update(_ bytes: UnsafeRawBufferPointer) {
        do { try hash?.update(bytes) } catch { failure = error }
    }

    /// 32 bytes; once.
    func finish() throws -> [UInt8] {
        if let failure { throw failure }
        guard let hash = hash.take() else { throw Failure(.io, "a digest was asked for twice") }
        return try hash.finish()
    }
}
