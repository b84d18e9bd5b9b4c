/// The HTML standard's table of named character references (WHATWG HTML, 13.5), searched by bytes.
struct NamedReferences: Sendable {
    /// What a name stands for, and whether it may stand without its semicolon.
    struct Match {
        var codePoints: ArraySlice<UInt8>
        var isLegacy: Bool
    }

    /// The longest name that may stand without a semicolon.
    static let longestLegacy = 6
    static let longest = 31

    /// Made once, since cutting the table into rows takes longer than most pages do.
    static let table = NamedReferences()

    private let text: [UInt8]
    private let rows: [(start: Int, nameEnd: Int, end: Int)]

    private init() {
        var text: [UInt8] = []
        for half in [Self.firstHalf, Self.secondHalf] {
            half.withUTF8Buffer { text += $0.map { $0 == 0x0A ? 0x20 : $0 } }
            text.append(0x20)
        }
        var rows: [(start: Int, nameEnd: Int, end: Int)] = []
        var start = 0
        var nameEnd = 0
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: ";"): nameEnd = index
            case 0x20:
                rows.append((start, nameEnd, index))
                start = index + 1
            default: break
            }
        }
        self.text = text
        self.rows = rows
    }

    func find(_ name: ArraySlice<UInt8>) -> Match? {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            let row = rows[middle]
            let candidate = text[row.start..<row.nameEnd]
            if candidate.elementsEqual(name) {
                return Match(
                    codePoints: text[(row.nameEnd + 1)..<row.end], isLegacy: text[row.nameEnd] == UInt8(ascii: ","))
            }
            if candidate.lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
