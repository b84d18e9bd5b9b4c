/// One file that is to go into a bundle.
package struct PackItem: Sendable, Hashable {
    /// Below `files/<job>`, components separated by slashes; the entry has the same name.
    package var name: String
    /// Where the content lies, below the directory that the packer reads from.
    package var object: String
    package var bytes: Int64
    /// SHA-256 of the content: 32 bytes.
    package var sha256: [UInt8]
    /// Seconds since 1970, as the catalog has it for this name.
    package var modified: Int64

    package init(name: String, object: String, bytes: Int64, sha256: [UInt8], modified: Int64) {
        self.name = name
        self.object = object
        self.bytes = bytes
        self.sha256 = sha256
        self.modified = modified
    }
}
