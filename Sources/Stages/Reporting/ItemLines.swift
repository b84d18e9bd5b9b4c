package import Files
import JSON
package import Model

/// The items of a run as its items file tells them, a batch at a time.
package struct ItemLines: ~Copyable {
    private static let longestLine = 1 << 22

    private let file: Descriptor
    private var rest: [UInt8] = []
    private var isOver = false
    /// Lines that are no item of this program.
    package private(set) var badLines = 0

    /// - Parameter folder: `reports/<job>`.
    package init(of run: String, in folder: Directory) throws(SystemError) {
        file = try folder.open("\(run).items.jsonl")
    }

    /// The next items; none after the last.
    package mutating func next() throws(SystemError) -> [ItemRecord] {
        while !isOver {
            var records: [ItemRecord] = []
            try fill()
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                if let record = (try? JSONValue(parsing: rest[start..<end])).flatMap(ItemRecord.init) {
                    records.append(record)
                } else {
                    badLines += 1
                }
                start = end + 1
            }
            rest.removeFirst(start)
            if rest.count > Self.longestLine { isOver = true }
            if !records.isEmpty { return records }
        }
        if !rest.isEmpty {
            badLines += 1
            rest = []
        }
        return []
    }

    private mutating func fill() throws(SystemError) {
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        let count: Int
        do { count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) } } catch {
            throw error as? SystemError ?? SystemError("read", file.path, code: 5)
        }
        if count == 0 { isOver = true }
        rest += chunk[..<count]
    }
}
