/// Content that the store holds.
package struct StoredContent: Sendable, Hashable {
    /// 32 bytes.
    package var sha256: [UInt8]
    package var bytes: Int64

    package init(sha256: [UInt8], bytes: Int64) {
        self.sha256 = sha256
        self.bytes = bytes
    }
}
