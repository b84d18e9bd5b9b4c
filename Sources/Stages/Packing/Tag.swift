/// An entry behind the content that tells of it; its content is made when its turn comes, from what stands before.
struct Tag {
    typealias Writer = ((UnsafeRawBufferPointer) throws -> Void) throws -> Void

    let name: String
    /// Gives the whole in pieces, the same each time.
    let write: Writer

    init(_ name: String, _ write: @escaping Writer) {
        self.name = name
        self.write = write
    }

    init(_ name: String, content: [UInt8]) {
        self.init(name) { write in try content.withUnsafeBytes { try write($0) } }
    }
}

extension ChecksumLine {
    var sha256: ArraySlice<UInt8> { digest.prefix(32) }
    var sha512: ArraySlice<UInt8> { digest.dropFirst(32) }

    /// The line as `SHA256SUMS` has it.
    var sha256Line: [UInt8] { ChecksumLine(digest: Array(sha256), name: name).bytes }
}

extension EntryLog {
    /// `SHA256SUMS` of what was written when it is made. Only in a bag do the log's own lines hold more.
    func sums(isBag: Bool) -> Tag.Writer {
        let tags = lines(content: isBag) { $0.sha256Line }
        return { [self] write in
            if !isBag { try copy(to: write) }
            try tags(write)
        }
    }

    /// The list of what was written when it is made, as lines.
    /// - Parameters:
    ///   - content: whether the content is listed.
    ///   - tags: how many of the tags are, from the first; nil for none, absent for all that there are.
    func lines(content: Bool = true, tags: Int? = .max, _ line: @escaping (ChecksumLine) -> [UInt8]) -> Tag.Writer {
        { write in
            var pending: [UInt8] = []
            func flush(at bound: Int) throws {
                guard pending.count >= bound, !pending.isEmpty else { return }
                try pending.withUnsafeBytes { try write($0) }
                pending.removeAll(keepingCapacity: true)
            }
            var lines = EntryLines(self)
            while content, let next = try lines.next() {
                pending += line(next)
                try flush(at: 1 << 16)
            }
            var number = 0
            while number < tags ?? 0, let tag = self.tag(number) {
                pending += line(tag)
                number += 1
            }
            try flush(at: 1)
        }
    }
}
