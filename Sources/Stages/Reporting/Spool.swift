import Files

/// JSON values set aside in a file until their place in a document comes.
final class Spool {
    private let folder: Directory
    private let name: String
    private let file: Descriptor
    private var pending: [UInt8] = []
    private var isEmpty = true

    init(_ name: String, in folder: Directory) throws {
        self.folder = folder
        self.name = name
        try folder.remove(name)
        file = try folder.create(name)
    }

    deinit { try? folder.remove(name) }

    func append(_ json: some Sequence<UInt8>) throws {
        if !isEmpty { pending.append(UInt8(ascii: ",")) }
        isEmpty = false
        pending.append(contentsOf: json)
        if pending.count >= 1 << 16 { try flush() }
    }

    private func flush() throws {
        try file.write(pending)
        pending.removeAll(keepingCapacity: true)
    }

    /// Gives all that was appended, comma between values, in pieces.
    func copy(to write: ([UInt8]) throws -> Void) throws {
        try flush()
        let source = try folder.open(name)
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try chunk.withUnsafeMutableBytes { try source.read(into: $0) }
            if count == 0 { return }
            try write(Array(chunk[..<count]))
        }
    }

    func remove() throws { try folder.remove(name) }
}
