/// The header block of a tar entry (POSIX.1-2017, pax, "ustar Interchange Format").
struct TarHeader {
    let size: Int64
    let type: UInt8
    let isSparseExtended: Bool

    /// Nil when the block's checksum is wrong.
    init?(_ block: ArraySlice<UInt8>) {
        guard TarHeader.isRight(block) else { return nil }
        let bytes = block[(block.startIndex + 124)..<(block.startIndex + 136)]
        guard let size = TarHeader.number(bytes) else { return nil }
        self.size = size
        type = block[block.startIndex + 156]
        // GNU's old sparse files go on in blocks of their own.
        isSparseExtended = type == UInt8(ascii: "S") && block[block.startIndex + 482] != 0
    }

    /// True when a block has the checksum of its own bytes; old writers added them up as signed.
    static func isRight(_ block: ArraySlice<UInt8>) -> Bool {
        guard block.count == 512 else { return false }
        let field = (block.startIndex + 148)..<(block.startIndex + 156)
        guard let stated = number(block[field]) else { return false }
        var (sum, signed): (Int64, Int64) = (0, 0)
        for index in block.indices {
            let byte = field.contains(index) ? 0x20 : block[index]
            sum += Int64(byte)
            signed += Int64(Int8(bitPattern: byte))
        }
        return stated == sum || stated == signed
    }

    /// Octal digits, or with the first bit set a binary number.
    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        if let first = field.first, first & 0x80 != 0 {
            guard first == 0x80, field.dropFirst().prefix(3).allSatisfy({ $0 == 0 }) else { return nil }
            let value = field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Int64(exactly: value)
        }
        let digits = field.drop { $0 == 0x20 }.prefix { $0 >= 0x30 && $0 <= 0x37 }
        guard digits.count < field.count || digits.count == 12 else { return nil }
        return digits.reduce(Int64(0)) { $0 << 3 | Int64($1 & 7) }
    }
}

/// Walks from header to header to the zeros at the end.
func testTar(_ file: FileBytes, _ budget: inout Budget) throws {
    var window = Window(file)
    var nextSize: Int64?
    while true {
        guard let block = try window.take(512) else {
            throw Stop.damaged("it has no end mark: it was cut")
        }
        try budget.spend(512)
        if block.allSatisfy({ $0 == 0 }) { return }
        guard let header = TarHeader(block) else { throw Stop.damaged("one of its headers is broken") }
        var isExtended = header.isSparseExtended
        while isExtended {
            guard let more = try window.take(512) else { throw Stop.damaged("it ends within a header") }
            isExtended = more[more.startIndex + 504] != 0
        }
        let hasContent = !(UInt8(ascii: "1")...UInt8(ascii: "6")).contains(header.type)
        let size = hasContent ? nextSize ?? header.size : 0
        guard size <= file.size - window.place else { throw Stop.damaged("it ends within an entry: it was cut") }
        if header.type == UInt8(ascii: "x"), header.size < 1 << 20 {
            var copy = window
            nextSize = paxSize(try copy.take(Int(header.size)) ?? [])
        } else if header.type != UInt8(ascii: "L"), header.type != UInt8(ascii: "K") {
            nextSize = nil
        }
        window.skip((size + 511) / 512 * 512)
    }
}

/// The length that a pax header gives to the next entry: `<length> size=<number>\n`.
private func paxSize(_ records: ArraySlice<UInt8>) -> Int64? {
    var rest = records
    while let blank = rest.firstIndex(of: 0x20), let length = Int(String(decoding: rest[..<blank], as: UTF8.self)),
        length > blank - rest.startIndex, length <= rest.count
    {
        let record = rest.prefix(length).dropFirst(blank + 1 - rest.startIndex)
        if record.starts(with: "size=".utf8) {
            return Int64(String(decoding: record.dropFirst(5).dropLast(), as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
        }
        rest = rest.dropFirst(length)
    }
    return nil
}

/// The index of a 7z lies at its end; the start says where, with a CRC of what it says.
func testSevenZip(_ file: FileBytes) throws {
    let start = try file.read(at: 0, count: 32)[...]
    guard start.count == 32 else { throw Stop.damaged("it was cut") }
    var crc = CRC32()
    crc.add(start.dropFirst(12))
    guard Int64(crc.value) == start.little(8, 4) else { throw Stop.damaged("its start is broken") }
    let (offset, size) = (start.little(12, 8), start.little(20, 8))
    guard offset >= 0, size >= 0, offset <= file.size - 32, size <= file.size - 32 - offset else {
        throw Stop.damaged("its index is missing: it was cut")
    }
}
