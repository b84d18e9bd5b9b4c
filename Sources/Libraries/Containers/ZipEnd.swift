/// The end of a zip, which says where its central directory lies (APPNOTE 4.3.14 to 4.3.16).
struct ZipEnd {
    let start: Int64
    let end: Int64
    let count: Int64
    /// What stands before the zip's own first byte.
    let shift: Int64

    init(_ file: FileBytes) throws {
        let tail = try file.read(at: max(0, file.size - 65557), count: 65557)[...]
        guard let found = ZipEnd.record(in: tail) else {
            throw Stop.damaged("its central directory is missing: it was cut")
        }
        let place = file.size - Int64(tail.endIndex - found)
        let record = tail[found...]
        var (count, size, offset) = (record.little(10, 2), record.little(12, 4), record.little(16, 4))
        var end = place
        let disks = (record.little(4, 2), record.little(6, 2))
        if let wide = try ZipEnd.wide(file, before: place) {
            (count, size, offset, end) = (wide.count, wide.size, wide.offset, wide.place)
        } else if disks != (0, 0) {
            // One of several files of a split zip.
            throw Stop.unknowable
        }
        guard size >= 0, size <= end, offset >= 0, offset <= end - size else {
            throw Stop.damaged("its central directory is not where its end says: bytes are missing")
        }
        (self.start, self.end, self.count, self.shift) = (end - size, end, count, end - size - offset)
    }

    /// The last end record whose comment fills the rest, else the last that fits.
    private static func record(in tail: ArraySlice<UInt8>) -> Int? {
        guard tail.count >= 22 else { return nil }
        var second: Int?
        for place in (tail.startIndex...(tail.endIndex - 22)).reversed()
        where tail[place] == 0x50 && tail[place...].starts(with: [0x50, 0x4B, 0x05, 0x06]) {
            let rest = tail.endIndex - place - 22 - Int(tail[place...].little(20, 2))
            if rest == 0 { return place }
            if rest > 0, second == nil { second = place }
        }
        return second
    }

    private struct Wide {
        let count: Int64
        let size: Int64
        let offset: Int64
        let place: Int64
    }

    private static func wide(_ file: FileBytes, before end: Int64) throws -> Wide? {
        let locator = try file.read(at: end - 20, count: 20)[...]
        guard locator.count == 20, locator.starts(with: [0x50, 0x4B, 0x06, 0x07]) else { return nil }
        // With bytes before the zip the record stands right before its locator, not where that says.
        for place in [locator.little(8, 8), end - 76] {
            let record = try file.read(at: place, count: 56)[...]
            guard record.count == 56, record.starts(with: [0x50, 0x4B, 0x06, 0x06]) else { continue }
            return Wide(
                count: record.little(32, 8), size: record.little(40, 8), offset: record.little(48, 8), place: place)
        }
        throw Stop.damaged("its zip64 end record is missing")
    }
}
