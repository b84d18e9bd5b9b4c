/// True when bytes may be of a kind that ``trusted(_:_:)`` believes: they are text, or open as one of those kinds does.
///
/// libmagic tries thousands of marks one after the other, half a millisecond for content that has none of them; most
/// files without a telling name are such content, and two bytes are enough to see it.
func isWorthAsking(_ bytes: [UInt8]) -> Bool {
    let start = bytes.prefix(512)
    if !start.contains(where: { $0 < 0x09 || ($0 > 0x0D && $0 < 0x20 && $0 != 0x1B) }) { return true }
    guard bytes.count >= 4 else { return false }
    if openings.contains(UInt16(bytes[0]) << 8 | UInt16(bytes[1])) { return true }
    return has("ftyp", at: 4, bytes) || has("ustar", at: 257, bytes) || has("CD001", at: 32769, bytes)
        || has("moov", at: 4, bytes) || has("mdat", at: 4, bytes)
}

private func has(_ mark: String, at offset: Int, _ bytes: [UInt8]) -> Bool {
    bytes.count >= offset + mark.utf8.count && bytes[offset...].starts(with: mark.utf8)
}

/// The first two bytes of the kinds that are believed.
private let openings: Set<UInt16> = Set(
    [
        "PK", "BZ", "7z", "Ra", "%P", "%!", "GI", "II", "MM", "BM", "RI", "Og", "fL", "ID", "MT", "FO", "wO", "OT",
        "SQ", "!<",
        "CD", "AT", "8B", "ic", "gi", "{\\", "LZ", "07", "WA", "HW", "PA", "AR", "Fr", "Re", "--", "tt", "tr",
    ].map { text in text.utf8.reduce(0) { $0 << 8 | UInt16($1) } }
        + [
            0x1F8B, 0xFD37, 0x28B5, 0x377A, 0xD0CF, 0x8950, 0xFFD8, 0x1A45, 0x3026, 0x0000, 0x0001, 0xEDAB, 0x8948,
            0x0061,
            0x0422, 0xC771, 0x71C7, 0xA1B2, 0xD4C3, 0x0A0D, 0x8501, 0x9501, 0x9901, 0xEFBB, 0xFFFE, 0xFEFF, 0x0E11,
        ])
