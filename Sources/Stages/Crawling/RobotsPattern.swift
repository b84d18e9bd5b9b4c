/// The path of a rule: it matches paths that begin with it, `*` stands for any run of bytes, and `$` at its end for the
/// end of the path (RFC 9309 section 2.2.3).
struct RobotsPattern: Sendable {
    /// Normalised, without the `$`.
    private let bytes: [UInt8]
    private let isAnchored: Bool

    init(_ value: some Sequence<UInt8>) {
        var normal = robotsNormalized(value, encodingLetters: true)
        isAnchored = normal.last == UInt8(ascii: "$")
        if isAnchored { normal.removeLast() }
        bytes = normal
    }

    /// The length by which rules are compared.
    var count: Int { bytes.count + (isAnchored ? 1 : 0) }
    var text: String { String(decoding: bytes, as: UTF8.self) + (isAnchored ? "$" : "") }

    /// Whether the pattern takes the normalised path. Each piece between stars is looked for once, from left to right
    /// and by an algorithm of linear time: pattern and path are passed over once, whatever they hold.
    func matches(_ path: [UInt8]) -> Bool {
        var pieces = bytes.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)[...]
        guard let prefix = pieces.popFirst(), path.starts(with: prefix) else { return false }
        var position = prefix.count
        let last = isAnchored ? pieces.popLast() : nil
        for piece in pieces {
            guard let found = find(piece, in: path, from: position) else { return false }
            position = found + piece.count
        }
        guard isAnchored else { return true }
        guard let last else { return position == path.count }
        return path.count - last.count >= position && path.suffix(last.count).elementsEqual(last)
    }
}

/// Where `piece` is first found at or behind `start`, by the algorithm of Knuth, Morris and Pratt: a plain search takes
/// the product of both lengths on `aaaa...ab`.
private func find(_ piece: ArraySlice<UInt8>, in path: [UInt8], from start: Int) -> Int? {
    let wanted = Array(piece)
    guard !wanted.isEmpty else { return start }
    guard path.count - start >= wanted.count else { return nil }
    let borders = borders(of: wanted)
    var matched = 0
    for index in start..<path.count {
        while matched > 0, wanted[matched] != path[index] { matched = borders[matched - 1] }
        if wanted[matched] == path[index] { matched += 1 }
        if matched == wanted.count { return index + 1 - matched }
    }
    return nil
}

/// For each length of a beginning of the piece, that of its longest proper beginning which is also its end.
private func borders(of piece: [UInt8]) -> [Int] {
    var borders = Array(repeating: 0, count: piece.count)
    var length = 0
    for index in piece.indices.dropFirst() {
        while length > 0, piece[length] != piece[index] { length = borders[length - 1] }
        if piece[length] == piece[index] { length += 1 }
        borders[index] = length
    }
    return borders
}

/// Bytes as both sides are compared: hexadecimal digits of `%xx` in capitals, blanks and controls percent-encoded, and
/// letters outside of ASCII too if asked.
func robotsNormalized(_ value: some Sequence<UInt8>, encodingLetters: Bool) -> [UInt8] {
    var normal: [UInt8] = []
    // How many hexadecimal digits after a percent sign may still come.
    var expected = 0
    for byte in value {
        if byte <= 0x20 || byte == 0x7F || byte >= 0x80 && encodingLetters {
            normal.append(contentsOf: [UInt8(ascii: "%"), capitalDigit(byte >> 4), capitalDigit(byte & 15)])
            expected = 0
        } else if byte == UInt8(ascii: "%") {
            normal.append(byte)
            expected = 2
        } else {
            let isSmallDigit = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f")
            normal.append(expected > 0 && isSmallDigit ? byte & 0xDF : byte)
            expected = max(0, expected - 1)
        }
    }
    return normal
}

private func capitalDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

/// Path and query of a URL in any spelling, "/" when it has none; the fragment is left out.
func robotsPath(ofURLText text: String) -> String {
    let bytes = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
    let separators = Array("/?;".utf8)
    var start = bytes.starts(with: Array("//".utf8)) ? 2 : 0
    let firstSeparator = bytes[start...].firstIndex(where: separators.contains)
    if let slash = firstSeparator, slash > 0, bytes[slash - 1] == UInt8(ascii: ":"),
        bytes[slash...].starts(with: Array("//".utf8))
    {
        start = slash + 2
    }
    guard let path = bytes[start...].firstIndex(where: separators.contains) else { return "/" }
    let rest = String(decoding: bytes[path...], as: UTF8.self)
    return bytes[path] == UInt8(ascii: "/") ? rest : "/" + rest
}
