/// Content that the store holds.
package struct StoredContent: Sendable, Hashable {
    /// 32 bytes.
    package var sha256: [UInt8]
    package var bytes: Int64

    package init(sha256: [UInt8], bytes: Int64) {
        self.sha256 = sha256
        self.bytes = bytes
    }

    /// The first bytes of a digest are as good as all of them.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(sha256.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }
}
