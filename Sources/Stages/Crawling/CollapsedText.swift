/// Text as a page shows it: runs of whitespace become one space, none at the ends, at most 200 characters.
struct CollapsedText {
    /// Longer than any 200 characters that a person reads.
    private static let mostBytes = 2000
    private static let mostCharacters = 200

    private var bytes: [UInt8] = []
    private var owesSpace = false

    var isEmpty: Bool { bytes.isEmpty }
    var isFull: Bool { bytes.count >= Self.mostBytes }

    mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        owesSpace = false
    }

    mutating func append(_ text: [UInt8]) {
        for byte in text {
            if isHTMLSpace(byte) {
                owesSpace = !bytes.isEmpty
                continue
            }
            if isFull { return }
            if owesSpace { bytes.append(0x20) }
            owesSpace = false
            bytes.append(byte)
        }
    }

    var text: String {
        let whole = String(decoding: bytes, as: UTF8.self)
        return bytes.count <= Self.mostCharacters ? whole : String(whole.prefix(Self.mostCharacters))
    }
}
