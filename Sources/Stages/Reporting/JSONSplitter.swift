/// Takes one large JSON object apart as its bytes come, so that a report with a million failures is never whole in
/// memory: each member's value is given alone, and so is each element of the members that are named as lists.
struct JSONSplitter {
    /// A value larger than this is no part of a report that this program wrote.
    private static let largest = 16 << 20

    private let lists: Set<String>
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isKey = true
    private var key: [UInt8] = []
    private var value: [UInt8] = []

    init(elementsOf lists: Set<String>) { self.lists = lists }

    /// How many brackets are open around a value that is given alone.
    private var level: Int { !isKey && lists.contains(String(decoding: key, as: UTF8.self)) ? 2 : 1 }

    /// - Parameter found: gets the member's name and the value's JSON text, which is looked at no further.
    /// - Throws: what `found` throws, and a reason when the text is no object of members.
    mutating func feed(_ bytes: some Sequence<UInt8>, _ found: (String, [UInt8]) throws -> Void) throws {
        for byte in bytes {
            if isInString { try string(byte) } else { try mark(byte, found) }
        }
    }

    /// Nothing more comes.
    /// - Throws: a reason when the object is not at its end.
    func end() throws {
        if depth != 0 || isInString { throw ReportError.Reason(text: "it ends in the middle") }
    }

    private mutating func string(_ byte: UInt8) throws {
        let ends = byte == UInt8(ascii: "\"") && !isEscaped
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        isInString = !ends
        if !isKey { try append(byte) } else if !ends { key.append(byte) }
    }

    private mutating func mark(_ byte: UInt8, _ found: (String, [UInt8]) throws -> Void) throws {
        switch byte {
        case UInt8(ascii: "\""):
            if depth == 0 { try append(byte) }
            isInString = true
            if !isKey { try append(byte) }
        case UInt8(ascii: ":") where depth == 1:
            isKey = false
            value = []
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if depth >= level { try append(byte) }
            depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth >= level { try append(byte) } else { try give(found) }
        case UInt8(ascii: ",") where depth <= level:
            try give(found)
            if depth == 1 { (isKey, key) = (true, []) }
        default: try append(byte)
        }
    }

    private mutating func give(_ found: (String, [UInt8]) throws -> Void) throws {
        defer { value = [] }
        if value.contains(where: { $0 > 0x20 }) { try found(String(decoding: key, as: UTF8.self), value) }
    }

    private mutating func append(_ byte: UInt8) throws {
        if isKey || depth == 0 {
            if byte > 0x20 { throw ReportError.Reason(text: "it is no JSON object") }
            return
        }
        value.append(byte)
        if value.count > Self.largest { throw ReportError.Reason(text: "a value has more than 16 MiB") }
    }
}
