import Digests
import Files

/// SHA-256 of what is left of a file.
func digest(of file: borrowing Descriptor, _ meter: Meter? = nil) throws -> [UInt8] {
    var hash = try SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { buffer.deallocate() }
    while true {
        let count = try file.read(into: buffer)
        if count == 0 { return try hash.finish() }
        try hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        meter?.add(count)
    }
}
