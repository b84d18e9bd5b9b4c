/// Refuses bytes that are no plain UTF-8 text before a parser sees them, so that positions are ours to tell.
enum TextCheck {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The bytes without a byte order mark.
    static func body(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
    }

    /// The first byte that is no text; nil when all are.
    static func problem(in body: ArraySlice<UInt8>) -> YAMLProblem? {
        if body.starts(with: [0xFE, 0xFF]) || body.starts(with: [0xFF, 0xFE]) {
            return YAMLProblem(.start, "the file is UTF-16; save it as UTF-8")
        }
        var position = SourcePosition.start
        var place = body.startIndex
        while place < body.endIndex {
            guard let (value, width) = scalar(in: body, at: place) else {
                return YAMLProblem(position, "a byte here is not UTF-8; save the file as UTF-8")
            }
            if let reason = objection(to: value) { return YAMLProblem(position, reason) }
            place += width
            let isFirstOfTwo = value == 0x0D && place < body.endIndex && body[place] == 0x0A
            if isBreak(value) && !isFirstOfTwo {
                position = SourcePosition(line: position.line + 1, column: 1)
            } else {
                position.column += 1
            }
        }
        return nil
    }

    /// The scalar that begins at a byte, and its bytes; nil when none does.
    private static func scalar(in body: ArraySlice<UInt8>, at place: Int) -> (value: UInt32, width: Int)? {
        let first = body[place]
        if first < 0x80 { return (UInt32(first), 1) }
        var decoder = Unicode.UTF8.ForwardParser()
        var bytes = body[place..<min(place + 4, body.endIndex)].makeIterator()
        guard case .valid(let encoded) = decoder.parseScalar(from: &bytes) else { return nil }
        return (Unicode.UTF8.decode(encoded).value, encoded.count)
    }

    private static func objection(to value: UInt32) -> String? {
        switch value {
        case 0: "a NUL byte; the file may be UTF-16 or no text at all: save it as UTF-8 text"
        case 0x09, 0x0A, 0x0D, 0x85: nil
        case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF:
            "the control character U+\(hexadecimal(value)) cannot stand in a manifest; in double quotes write it escaped"
        default: nil
        }
    }

    /// YAML 1.1, and so libyaml, counts NEL, LS and PS as a line's end beside LF and CR.
    private static func isBreak(_ value: UInt32) -> Bool {
        value == 0x0A || value == 0x0D || value == 0x85 || value == 0x2028 || value == 0x2029
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
