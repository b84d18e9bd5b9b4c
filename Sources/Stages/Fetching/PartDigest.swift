package import Digests
package import Files
package import Model

/// The digest of a whole body below `partial/`. Reads all of it: for threads that may block.
/// - Parameter isCancelled: asked now and then.
/// - Returns: nil when it was broken off.
/// - Throws: `SystemError`, `DigestError`.
package func partDigest(
    of part: PartFile, in partial: Directory, by algorithm: MessageDigest.Algorithm, isCancelled: () -> Bool
) throws -> [UInt8]? {
    if algorithm == .sha256 { return part.sha256 }
    let file = try partial.open(part.name)
    var digest = try MessageDigest(algorithm)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { buffer.deallocate() }
    while true {
        let count = try file.read(into: buffer)
        if count == 0 { return try digest.current() }
        if isCancelled() { return nil }
        try digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
}
