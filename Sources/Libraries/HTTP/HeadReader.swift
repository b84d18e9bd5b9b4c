/// Reads response heads line by line and trusts no more than it can check: libcurl itself lets pass a Content-Length
/// of `12abc`, two different lengths or Locations, and bounds neither fields nor bytes in sum.
struct HeadReader {
    /// A line longer than this, or a sum larger, is no head but an attack; real ones stay below 16 KiB.
    static let maxLine = 64 * 1024
    static let maxTotal = 256 * 1024
    static let maxFields = 1000

    enum Event: Equatable {
        case more
        /// The final head is complete.
        case head(HTTPHead)
    }

    private var status = 0
    private var version = ""
    private var fields: [HTTPField] = []
    private var total = 0
    private var isFinal = false
    /// False until the status line; informational responses go back to it.
    private var isInside = false

    /// - Parameter line: one line with its end, as libcurl gives it.
    mutating func line(_ line: UnsafeBufferPointer<UInt8>) throws(HTTPError) -> Event {
        total += line.count
        guard line.count <= Self.maxLine else { throw violation("a header line of more than 64 KiB") }
        guard total <= Self.maxTotal else { throw violation("headers of more than 256 KiB") }
        // What comes after the final head are trailer fields: counted, never believed.
        if isFinal { return .more }
        let text = try trimEnd(line)
        guard isInside else {
            try readStatus(text)
            return .more
        }
        guard text.isEmpty else {
            try readField(text)
            return .more
        }
        isInside = false
        // Informational responses (RFC 9110, 15.2) are not ours to see.
        if status < 200 && status != 101 {
            fields = []
            return .more
        }
        guard status != 101 else { throw violation("a switch of protocols that was not asked for") }
        isFinal = true
        return .head(try complete())
    }

    private func trimEnd(_ line: UnsafeBufferPointer<UInt8>) throws(HTTPError) -> Slice<UnsafeBufferPointer<UInt8>> {
        var text = line[...]
        if text.last == .lineFeed { text.removeLast() }
        if text.last == .carriageReturn { text.removeLast() }
        for byte in text where byte == 0 || byte == .carriageReturn || byte == .lineFeed {
            throw violation("a header line with a NUL or a line break inside")
        }
        return text
    }

    /// `HTTP/1.1 200 OK` (RFC 9112, 4).
    private mutating func readStatus(_ text: Slice<UnsafeBufferPointer<UInt8>>) throws(HTTPError) {
        guard let blank = text.firstIndex(of: .space), text.starts(with: "HTTP/".utf8) else {
            throw violation("no HTTP status line")
        }
        let digits = text[blank...].drop { $0 == .space }.prefix { $0 != .space }
        guard digits.count == 3, let code = decimal(digits), code >= 100 else {
            throw violation("a status that is no number of three digits")
        }
        status = Int(code)
        version = String(decoding: text[..<blank], as: UTF8.self)
        fields = []
        isInside = true
    }

    private mutating func readField(_ text: Slice<UnsafeBufferPointer<UInt8>>) throws(HTTPError) {
        guard fields.count < Self.maxFields else { throw violation("more than 1,000 header fields") }
        if text.first == .space || text.first == .tab {
            // A folded line (RFC 9112, 5.2) goes on with the value before; libcurl has read framing fields by then.
            guard let last = fields.indices.last else { throw violation("a header that begins with a blank") }
            guard !framing.contains(fields[last].name) else { throw violation("a folded \(fields[last].name)") }
            fields[last].value += [.space] + trimBlanks(text)
            return
        }
        guard let colon = text.firstIndex(of: .colon), colon > text.startIndex else {
            throw violation("a header line without a name")
        }
        let name = text[..<colon]
        // A blank in or after the name is how fields are smuggled past one reader to another: no such field is kept,
        // and where libcurl would have needed it the answer is refused.
        guard name.allSatisfy({ $0 > .space && $0 != 0x7f }) else {
            let bare = String(decoding: trimBlanks(name), as: UTF8.self).lowercased()
            if framing.contains(bare) { throw violation("a blank after the name \(bare)") }
            return
        }
        let key = String(decoding: name, as: UTF8.self).lowercased()
        fields.append(HTTPField(name: key, value: Array(trimBlanks(text[(colon + 1)...]))))
    }

    /// Checks the fields that decide where the body ends and where a redirect leads.
    private func complete() throws(HTTPError) -> HTTPHead {
        var length: Int64?
        var location: [UInt8]?
        var isCoded = false
        for field in fields {
            switch field.name {
            case "content-length":
                guard let value = decimal(field.value) else {
                    throw violation("a Content-Length that is no number below 2^63: \(printable(field.value))")
                }
                if let length, length != value { throw violation("two different lengths, \(length) and \(value)") }
                length = value
            case "transfer-encoding":
                let coding = String(decoding: field.value, as: UTF8.self).lowercased()
                guard !isCoded, coding == "chunked" || coding == "identity" else {
                    throw violation("a transfer coding that was not asked for: \(printable(field.value))")
                }
                isCoded = coding == "chunked"
            case "location":
                if let location, location != field.value { throw violation("two different Locations") }
                location = field.value
            default: break
            }
        }
        let hasNoBody = status == 204 || status == 304
        return HTTPHead(
            status: status, version: version, fields: fields, contentLength: isCoded || hasNoBody ? nil : length,
            isChunked: isCoded)
    }

    private func violation(_ what: String) -> HTTPError { HTTPError(.protocolViolation, what) }
}

/// Fields that decide where a message ends.
private let framing: Set = ["content-length", "transfer-encoding"]

/// Digits only, below 2^63.
private func decimal(_ digits: some Collection<UInt8>) -> Int64? {
    guard !digits.isEmpty else { return nil }
    var value: Int64 = 0
    for digit in digits {
        guard digit >= 0x30, digit <= 0x39 else { return nil }
        let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
        let (sum, isOver) = tens.addingReportingOverflow(Int64(digit - 0x30))
        guard !isTooLarge, !isOver else { return nil }
        value = sum
    }
    return value
}

private func trimBlanks<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence
where Bytes.SubSequence: BidirectionalCollection<UInt8>, Bytes.SubSequence.SubSequence == Bytes.SubSequence {
    var rest = bytes[...]
    while let first = rest.first, first == .space || first == .tab { rest = rest.dropFirst() }
    while let last = rest.last, last == .space || last == .tab { rest = rest.dropLast() }
    return rest
}

/// At most 40 bytes of it, without anything that a terminal obeys.
private func printable(_ bytes: [UInt8]) -> String {
    let shown = bytes.prefix(40).map { $0 > 0x1f && $0 < 0x7f ? $0 : UInt8(ascii: "?") }
    return "\"" + String(decoding: shown, as: UTF8.self) + (bytes.count > 40 ? "...\"" : "\"")
}

extension UInt8 {
    static let tab: UInt8 = 9
    static let lineFeed: UInt8 = 10
    static let carriageReturn: UInt8 = 13
    static let space: UInt8 = 32
    static let colon: UInt8 = 58
}
