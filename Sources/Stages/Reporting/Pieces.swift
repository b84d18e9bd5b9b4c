import Files

/// Reads a file in pieces of bounded size.
func readPieces(of name: String, in folder: Directory, _ use: (ArraySlice<UInt8>) throws -> Void) throws {
    let file = try folder.open(name)
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
        if count == 0 { return }
        try use(chunk[..<count])
    }
}
