/// The "basic URL parser" of the WHATWG URL standard, section 4.4, without state override.
///
/// The standard walks one code point at a time through 20 states; here each state is a function that takes its part of
/// the input at once and leaves the serialised URL in `out`. Names follow the standard's states.
struct URLParser {
    var out: [UInt8] = []
    var layout = Layout()

    var isSpecial: Bool { layout.scheme.isSpecial }

    /// False is the standard's failure. The input must be valid UTF-8.
    mutating func parse(_ input: Span<UInt8>, base: WebURL?) -> Bool {
        // Offsets are kept in 32 bits, and percent-encoding makes three bytes of one.
        guard input.count < Int(UInt32.max) / 4 - (base?.href.utf8.count ?? 0) else { return false }
        var start = 0
        var end = input.count
        while start < end, input[start] <= 0x20 { start &+= 1 }
        while start < end, input[end &- 1] <= 0x20 { end &-= 1 }
        if hasTabOrNewline(input, start, end) {
            var clean: [UInt8] = []
            for index in start..<end where !isTabOrNewline(input[index]) { clean.append(input[index]) }
            return begin(clean.span, base: base)
        }
        return begin(input.extracting(start..<end), base: base)
    }

    mutating func begin(_ input: Span<UInt8>, base: WebURL?) -> Bool {
        out.reserveCapacity(input.count &+ (base?.href.utf8.count ?? 0) &+ 16)
        guard let colon = schemeEnd(of: input) else {
            return noScheme(input, base: base) && finish()
        }
        for index in 0..<colon { out.append(input[index].asciiLowercased) }
        layout.scheme = Scheme(lowercased: out)
        out.append(UInt8(ascii: ":"))
        layout.schemeEnd = UInt32(colon)
        clearAuthority()
        return afterScheme(input, colon &+ 1, base: base) && finish()
    }

    func schemeEnd(of input: Span<UInt8>) -> Int? {
        guard input.count > 0, input[0].isASCIILetter else { return nil }
        for index in 1..<input.count {
            let byte = input[index]
            if byte.isASCIILetter || byte.isASCIIDigit { continue }
            switch byte {
            case UInt8(ascii: ":"): return index
            case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): continue
            default: return nil
            }
        }
        return nil
    }

    mutating func afterScheme(_ input: Span<UInt8>, _ index: Int, base: WebURL?) -> Bool {
        if layout.scheme == .file {
            return file(input, index, base: base?.layout.scheme == .file ? base : nil)
        }
        let twoSlashes = at(input, index) == UInt8(ascii: "/") && at(input, index &+ 1) == UInt8(ascii: "/")
        if isSpecial {
            if let base, base.layout.scheme == layout.scheme, !twoSlashes { return relative(input, index, base: base) }
            return authority(input, behindSlashes(input, index))
        }
        if twoSlashes { return authority(input, index &+ 2) }
        if at(input, index) == UInt8(ascii: "/") { return segments(input, index &+ 1) }
        return opaquePath(input, index)
    }

    mutating func noScheme(_ input: Span<UInt8>, base: WebURL?) -> Bool {
        guard let base else { return false }
        if base.hasOpaquePath {
            guard at(input, 0) == UInt8(ascii: "#") else { return false }
            copy(base, upTo: .query)
            return queryAndFragment(input, 0)
        }
        return base.layout.scheme == .file ? file(input, 0, base: base) : relative(input, 0, base: base)
    }

    mutating func relative(_ input: Span<UInt8>, _ index: Int, base: WebURL) -> Bool {
        layout.scheme = base.layout.scheme
        guard isSlash(at(input, index)) else { return relativePath(input, index, base: base) }
        if isSlash(at(input, index &+ 1)) {
            copy(base, upTo: .scheme)
            return authority(input, isSpecial ? behindSlashes(input, index) : index &+ 2)
        }
        copy(base, upTo: .authority)
        return segments(input, index &+ 1)
    }

    /// What follows when the path is the base's, or starts from it.
    mutating func relativePath(_ input: Span<UInt8>, _ index: Int, base: WebURL) -> Bool {
        switch at(input, index) {
        case nil, UInt8(ascii: "#"):
            copy(base, upTo: .query)
            return queryAndFragment(input, index)
        case UInt8(ascii: "?"):
            copy(base, upTo: .path)
            return queryAndFragment(input, index)
        default:
            copy(base, upTo: .path)
            if layout.scheme == .file, startsWithDriveLetter(input, index) {
                out.removeSubrange(Int(layout.pathStart)...)
            } else {
                shortenPath()
            }
            return segments(input, index)
        }
    }
}

// MARK: - Pieces

extension URLParser {
    enum Part { case scheme, authority, path, query }

    /// Starts over with the base's text up to the end of a part.
    mutating func copy(_ base: WebURL, upTo part: Part) {
        let bytes = base.href.utf8.span
        layout = base.layout
        layout.fragmentStart = 0
        let head = part == .scheme || !layout.hasAuthority ? Int(layout.schemeEnd) &+ 1 : Int(layout.pathStart)
        out.removeAll(keepingCapacity: true)
        out.append(bytes, 0..<head)
        if part == .scheme { clearAuthority() }
        // The base may have the "/." that `finish` puts before its path.
        let moved = layout.pathStart &- UInt32(head)
        let end = part == .query ? base.layout.queryEnd(of: bytes.count) : base.layout.pathEnd(of: bytes.count)
        if part == .path || part == .query {
            out.append(bytes, Int(layout.pathStart)..<end)
        }
        layout.pathStart = UInt32(head)
        layout.queryStart = part == .query && layout.queryStart != 0 ? layout.queryStart &- moved : 0
    }

    mutating func clearAuthority() {
        let end = layout.schemeEnd &+ 1
        layout.usernameEnd = end
        layout.hostStart = end
        layout.hostEnd = end
        layout.pathStart = end
        layout.port = nil
    }

    var position: UInt32 { UInt32(truncatingIfNeeded: out.count) }

    mutating func encode(_ input: Span<UInt8>, _ start: Int, _ end: Int, _ set: ByteSet) {
        var index = start
        while true {
            let run = index
            while index < end, !set.contains(input[index]) { index &+= 1 }
            out.append(input, run..<index)
            if index >= end { return }
            out.appendPercentEncoded(input[index])
            index &+= 1
        }
    }

    @inline(__always)
    func at(_ input: Span<UInt8>, _ index: Int) -> UInt8? { index < input.count ? input[index] : nil }

    @inline(__always)
    func isSlash(_ byte: UInt8?) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") && isSpecial
    }

    func behindSlashes(_ input: Span<UInt8>, _ start: Int) -> Int {
        var index = start
        while isSlash(at(input, index)) { index &+= 1 }
        return index
    }

    func startsWithDriveLetter(_ input: Span<UInt8>, _ index: Int) -> Bool {
        guard let letter = at(input, index), letter.isASCIILetter else { return false }
        guard let colon = at(input, index &+ 1), colon == UInt8(ascii: ":") || colon == UInt8(ascii: "|") else {
            return false
        }
        guard let next = at(input, index &+ 2) else { return true }
        return isSlash(next) || next == UInt8(ascii: "?") || next == UInt8(ascii: "#")
    }
}

private func isTabOrNewline(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x0A || byte == 0x0D }

private func hasTabOrNewline(_ input: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    for index in start..<end where isTabOrNewline(input[index]) { return true }
    return false
}
