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
    /// Where it came from, without user information.
    package var url: String
    /// The MIME type that the server gave; nil when it gave none.
    package var contentType: String?

    package init(
        name: String, object: String, bytes: Int64, sha256: [UInt8], modified: Int64, url: String = "",
        contentType: String? = nil
    ) {
        self.name = name
        self.object = object
        self.bytes = bytes
        self.sha256 = sha256
        self.modified = modified
        self.url = url
        self.contentType = contentType
    }
}

/// Where the items of a bundle come from.
package protocol PackSource: Sendable {
    /// The items that come next, in the order of their names' bytes; none means that there are no more.
    func next() async throws -> [PackItem]

    /// Begins again with the first.
    func restart() async
}
