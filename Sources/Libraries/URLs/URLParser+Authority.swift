// The states from "authority" to "port".
extension URLParser {
    mutating func authority(_ input: Span<UInt8>, _ start: Int) -> Bool {
        out.append(UInt8(ascii: "/"))
        out.append(UInt8(ascii: "/"))
        var end = start
        var at: Int?
        while end < input.count {
            let byte = input[end]
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            if byte == UInt8(ascii: "\\"), isSpecial { break }
            if byte == UInt8(ascii: "@") { at = end }
            end &+= 1
        }
        let hostStart = at.map { $0 &+ 1 } ?? start
        if let at {
            // Credentials, even empty ones, want a host.
            guard hostStart < end else { return false }
            userinfo(input, start, at)
        } else {
            layout.usernameEnd = position
        }
        return host(input, hostStart, end) && pathStart(input, end)
    }

    mutating func userinfo(_ input: Span<UInt8>, _ start: Int, _ end: Int) {
        var colon = start
        while colon < end, input[colon] != UInt8(ascii: ":") { colon &+= 1 }
        encode(input, start, colon, .userinfo)
        layout.usernameEnd = position
        if colon &+ 1 < end {
            out.append(UInt8(ascii: ":"))
            encode(input, colon &+ 1, end, .userinfo)
        }
        if out.last != UInt8(ascii: "/") { out.append(UInt8(ascii: "@")) }
    }

    mutating func host(_ input: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        layout.hostStart = position
        var colon = start
        var inBrackets = false
        scan: while colon < end {
            switch input[colon] {
            case UInt8(ascii: "["): inBrackets = true
            case UInt8(ascii: "]"): inBrackets = false
            case UInt8(ascii: ":") where !inBrackets: break scan
            default: break
            }
            colon &+= 1
        }
        if colon == start {
            // A host may be empty in other schemes, but not before a port.
            guard !isSpecial, colon == end else { return false }
        } else {
            guard appendHost(input.extracting(start..<colon), isSpecial: isSpecial, to: &out) else { return false }
        }
        layout.hostEnd = position
        return colon == end || port(input, colon &+ 1, end)
    }

    mutating func port(_ input: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        var value: UInt32 = 0
        for index in start..<end {
            guard input[index].isASCIIDigit else { return false }
            value = value &* 10 &+ UInt32(input[index] &- 0x30)
            if value > 0xFFFF { return false }
        }
        guard start < end, let port = UInt16(exactly: value), port != layout.scheme.defaultPort else { return true }
        layout.port = port
        out.append(UInt8(ascii: ":"))
        out.append(contentsOf: String(port).utf8)
        return true
    }
}
