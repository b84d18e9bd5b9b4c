/// A PDF's start and end (ISO 32000-2, 7.5.2 and 7.5.5). Readers find its table from the end, so a cut one is broken.
func testPDF(_ file: FileBytes) throws {
    let head = try file.read(at: 0, count: 2048)[...]
    let tail = try trailer(of: file)
    guard let mark = lastPlace(of: "%%EOF", in: tail), find("startxref", in: tail[..<mark]) != nil else {
        throw Stop.damaged("it has no trailer: it was cut")
    }
    guard let linear = find("/Linearized", in: head), let length = find("/L ", in: head[linear...]) else { return }
    let digits = head[(length + 3)...].drop { $0 == 0x20 }.prefix { $0 >= 0x30 && $0 <= 0x39 }
    guard let stated = Int64(String(decoding: digits, as: UTF8.self)), stated > file.size else { return }
    throw Stop.damaged("it should have \(stated) bytes and has \(file.size): it was cut")
}

/// The last 2 KiB before zeros and blanks that some servers fill files up with.
private func trailer(of file: FileBytes) throws -> ArraySlice<UInt8> {
    var end = file.size
    for _ in 0..<16 {
        let place = max(0, end - 4096)
        let piece = try file.read(at: place, count: Int(end - place))[...]
        if let last = piece.lastIndex(where: { $0 > 0x20 }) {
            let stop = place + Int64(last + 1)
            return try file.read(at: max(0, stop - 2048), count: Int(min(stop, 2048)))[...]
        }
        end = place
    }
    return []
}

private func lastPlace(of text: String, in bytes: ArraySlice<UInt8>) -> Int? {
    let mark = Array(text.utf8)
    return bytes.indices.reversed().first { bytes[$0] == mark.first && bytes[$0...].starts(with: mark) }
}

/// Every chunk of a PNG up to IEND (PNG 3rd ed., 5.3); what follows is none of the picture's.
func testPNG(_ file: FileBytes, _ budget: inout Budget) throws {
    var window = Window(file, at: 8)
    while true {
        guard let head = try window.take(8) else { throw Stop.damaged("it has no end chunk: it was cut") }
        var left = head.big32(0)
        var crc = CRC32()
        crc.add(head.dropFirst(4))
        guard left <= 0x7FFF_FFFF else { throw Stop.damaged("one of its chunks is broken") }
        while left > 0 {
            guard try window.fill() else { throw Stop.damaged("it ends within a chunk: it was cut") }
            let piece = window.rest.prefix(left)
            crc.add(piece)
            left -= piece.count
            try budget.spend(piece.count)
            window.skip(Int64(piece.count))
        }
        guard let stated = try window.take(4) else { throw Stop.damaged("it ends within a chunk: it was cut") }
        guard Int(crc.value) == stated.big32(0) else { throw Stop.damaged("one of its chunks has a wrong checksum") }
        try budget.spend(12)
        if head.dropFirst(4).elementsEqual("IEND".utf8) { return }
    }
}

/// The segments of a JPEG, and its data up to the end mark (ITU-T T.81, B.1). What follows, as phones write it, is not
/// looked at; thumbnails lie within segments.
func testJPEG(_ file: FileBytes, _ budget: inout Budget) throws {
    var window = Window(file, at: 2)
    var isInData = false
    let cut = Stop.damaged("it has no end mark: it was cut")
    while true {
        guard try window.fill() else { throw cut }
        guard window.rest.first == 0xFF else {
            guard isInData else { throw Stop.damaged("one of its segments is broken") }
            let piece = window.rest.prefix { $0 != 0xFF }
            try budget.spend(piece.count)
            window.skip(Int64(piece.count))
            continue
        }
        guard try window.fill(2) else { throw cut }
        let mark = window.rest[window.rest.startIndex + 1]
        switch mark {
        case 0xFF: window.skip(1)
        case 0x00 where isInData, 0x01, 0xD0...0xD7: window.skip(2)
        case 0xD9: return
        default:
            guard try window.fill(4) else { throw cut }
            let length =
                Int64(window.rest[window.rest.startIndex + 2]) << 8
                | Int64(window.rest[window.rest.startIndex + 3])
            guard mark != 0, length >= 2 else { throw Stop.damaged("one of its segments is broken") }
            isInData = mark == 0xDA || (isInData && mark == 0xDC)
            window.skip(2 + length)
            try budget.spend(4)
        }
    }
}
