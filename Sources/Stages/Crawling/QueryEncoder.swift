import Unicode

/// Percent-encodes what is not ASCII in a reference's query as a page in a legacy encoding does: in that encoding
/// (WHATWG URL, 4.4, query state). A URL parser knows UTF-8 alone.
struct QueryEncoder {
    private let charset: Charset
    /// Made from the decoder when first needed: each character that one or two bytes stand for.
    private var bytesByScalar: [Unicode.Scalar: [UInt8]]?

    init(_ charset: Charset) { self.charset = charset }

    mutating func encode(_ reference: [UInt8]) -> [UInt8] {
        guard reference.contains(where: { $0 >= 0x80 }) else { return reference }
        let end = reference.firstIndex(of: UInt8(ascii: "#")) ?? reference.count
        guard let start = reference[..<end].firstIndex(of: UInt8(ascii: "?")),
            reference[start..<end].contains(where: { $0 >= 0x80 })
        else { return reference }
        let table = bytesByScalar ?? makeTable()
        bytesByScalar = table
        var result = Array(reference[...start])
        for scalar in String(decoding: reference[(start + 1)..<end], as: UTF8.self).unicodeScalars {
            if scalar.isASCII {
                result.append(UInt8(truncatingIfNeeded: scalar.value))
            } else if let bytes = table[scalar] {
                for byte in bytes { appendEncoded(byte, to: &result) }
            } else {
                // What the encoding lacks goes as a character reference, percent-encoded.
                result += "%26%23\(scalar.value)%3B".utf8
            }
        }
        return result + reference[end...]
    }

    private func appendEncoded(_ byte: UInt8, to result: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Decodes every pair of bytes, a line feed behind each, which no encoding takes as part of a character.
    private func makeTable() -> [Unicode.Scalar: [UInt8]] {
        var sequences: [[UInt8]] = (0x80...0xFF).map { [$0] }
        for lead in UInt8(0x81)...0xFE {
            for trail in UInt8(0x40)...0xFE { sequences.append([lead, trail]) }
        }
        var decoder = CharsetDecoder(charset)
        var text: [UInt8] = []
        decoder.decode(Array(sequences.joined(separator: [0x0A])).span, isLast: true, into: &text)
        var table: [Unicode.Scalar: [UInt8]] = [:]
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count == sequences.count else { return [:] }
        for (sequence, line) in zip(sequences, lines) {
            let scalars = String(decoding: line, as: UTF8.self).unicodeScalars
            guard let scalar = scalars.first, scalars.count == 1, !scalar.isASCII, scalar != "\u{FFFD}" else {
                continue
            }
            if table[scalar] == nil { table[scalar] = sequence }
        }
        return table
    }
}
