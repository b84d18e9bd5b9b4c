/// A zip by its central directory (APPNOTE 6.3.10): each entry lies where the directory says, within the file, and its
/// content has the CRC that the directory names. Memory stays bounded: entries are read one after the other.
struct ZipTest {
    private let file: FileBytes
    private let parts: OfficeParts?
    /// Where the central directory begins and ends.
    private let start: Int64
    private let end: Int64
    private let count: Int64
    /// What stands before the zip's own first byte, such as a program that unpacks it.
    private let shift: Int64

    init(_ file: FileBytes, parts: OfficeParts?) throws {
        self.file = file
        self.parts = parts
        let directory = try ZipEnd(file)
        (start, end, count, shift) = (directory.start, directory.end, directory.count, directory.shift)
    }

    func run(_ budget: inout Budget) throws {
        var window = Window(file, at: start)
        var missing = parts?.names ?? []
        var total: Int64 = 0
        var seen: Int64 = 0
        let inflater = try Inflater(.raw)
        while window.place < end {
            let entry = try ZipEntry(&window, end: end)
            seen += 1
            missing.removeAll { $0.hasSuffix("/") ? entry.name.hasPrefix($0) : entry.name == $0 }
            total += min(entry.packed, file.size) + 30
            // Entries that share bytes are made to decode to more than anybody can store.
            if total > start { throw Stop.damaged("its entries lie over each other") }
            try test(entry, inflater, &budget)
        }
        // Writers without zip64 let the count wrap.
        guard seen == count || seen & 0xFFFF == count else {
            throw Stop.damaged("its central directory has \(seen) of \(count) entries")
        }
        if let part = missing.first { throw Stop.damaged("it lacks \(part), which an office file of its kind has") }
    }

    private func test(_ entry: ZipEntry, _ inflater: Inflater, _ budget: inout Budget) throws {
        let place = entry.place.addingReportingOverflow(shift)
        let header = try file.read(at: place.overflow ? -1 : place.partialValue, count: 30)[...]
        guard header.count == 30, header.starts(with: [0x50, 0x4B, 0x03, 0x04]) else {
            throw Stop.damaged("its entry \(entry.shown) is not where the central directory says")
        }
        let data = place.partialValue + 30 + header.little(26, 2) + header.little(28, 2)
        guard entry.packed >= 0, entry.packed <= start - data else {
            throw Stop.damaged("its entry \(entry.shown) runs into the central directory")
        }
        try budget.spend(30)
        guard !entry.isEncrypted, [0, 8].contains(entry.method) else { return }
        let found = try content(entry, at: data, inflater, &budget)
        guard found.bytes == entry.bytes, found.crc == entry.crc else {
            throw Stop.damaged("the content of its entry \(entry.shown) does not have the checksum it should")
        }
    }

    private func content(
        _ entry: ZipEntry, at place: Int64, _ inflater: Inflater, _ budget: inout Budget
    ) throws -> (bytes: Int64, crc: UInt) {
        var crc = CRC32()
        var bytes: Int64 = 0
        var left = entry.packed
        var window = Window(file, at: place)
        var isEnd = entry.method == 0
        inflater.reset()
        while left > 0 {
            guard try window.fill() else { throw Stop.damaged("it ends within its entry \(entry.shown)") }
            let piece = window.rest.prefix(Int(min(left, Int64(window.rest.count))))
            if entry.method == 0 {
                crc.add(piece)
                bytes += Int64(piece.count)
                try budget.spend(piece.count)
            } else {
                isEnd = try inflater.decode(piece) { decoded in
                    crc.add(decoded)
                    bytes += Int64(decoded.count)
                    try budget.spend(decoded.count)
                }.isEnd
                if isEnd { break }
            }
            window.skip(Int64(piece.count))
            left -= Int64(piece.count)
        }
        // An empty entry may be called deflated and have no byte.
        guard isEnd || (entry.packed == 0 && entry.bytes == 0) else {
            throw Stop.damaged("the content of its entry \(entry.shown) is cut")
        }
        return (bytes, crc.value)
    }
}

/// One line of the central directory.
private struct ZipEntry {
    let name: String
    let isEncrypted: Bool
    let method: Int64
    let crc: UInt
    private(set) var packed: Int64
    private(set) var bytes: Int64
    private(set) var place: Int64

    /// For people: at most 80 characters, without what a terminal obeys.
    var shown: String {
        let scalars = name.unicodeScalars.prefix(80).map {
            $0.properties.isPatternSyntax || $0.value > 0x9F || ($0.value > 0x1F && $0.value < 0x7F) ? $0 : "?"
        }
        return "\"\(String(String.UnicodeScalarView(scalars)))\""
    }

    init(_ window: inout Window, end: Int64) throws {
        let broken = Stop.damaged("its central directory is broken")
        guard let head = try window.take(46), head.starts(with: [0x50, 0x4B, 0x01, 0x02]) else { throw broken }
        isEncrypted = head.little(8, 2) & 1 != 0
        method = head.little(10, 2)
        crc = UInt(head.little(16, 4))
        (packed, bytes, place) = (head.little(20, 4), head.little(24, 4), head.little(42, 4))
        guard let nameBytes = try window.take(Int(head.little(28, 2))),
            let extra = try window.take(Int(head.little(30, 2)))
        else { throw broken }
        name = String(decoding: nameBytes, as: UTF8.self)
        window.skip(head.little(32, 2))
        guard window.place <= end else { throw broken }
        widen(by: extra)
    }

    /// Takes the 64-bit numbers of the extra field 1 for those that did not fit (APPNOTE 4.5.3).
    private mutating func widen(by extra: ArraySlice<UInt8>) {
        var rest = extra
        while rest.count >= 4 {
            let length = min(Int(rest.little(2, 2)), rest.count - 4)
            var field = rest.dropFirst(4).prefix(length)
            if rest.little(0, 2) == 1 {
                func next(_ value: inout Int64) {
                    guard value == 0xFFFF_FFFF, field.count >= 8 else { return }
                    value = field.little(0, 8)
                    field = field.dropFirst(8)
                }
                next(&bytes)
                next(&packed)
                next(&place)
                return
            }
            rest = rest.dropFirst(4 + length)
        }
    }
}
