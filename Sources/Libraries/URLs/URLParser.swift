/// The "basic URL parser" of the WHATWG URL standard, section 4.4, without state override.
///
/// The standard walks one code point at a time through 20 states; here each state is a function that takes its part of
/// the input at once and leaves the serialised URL in `out`. Names follow the standard's states.
struct URLParser {
    private(set) var out: [UInt8] = []
    private(set) var layout = Layout()

    private var isSpecial: Bool { layout.scheme.isSpecial }

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

    private mutating func begin(_ input: Span<UInt8>, base: WebURL?) -> Bool {
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

    private func schemeEnd(of input: Span<UInt8>) -> Int? {
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

    private mutating func afterScheme(_ input: Span<UInt8>, _ index: Int, base: WebURL?) -> Bool {
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

    private mutating func noScheme(_ input: Span<UInt8>, base: WebURL?) -> Bool {
        guard let base else { return false }
        if base.hasOpaquePath {
            guard at(input, 0) == UInt8(ascii: "#") else { return false }
            copy(base, upTo: .query)
            return queryAndFragment(input, 0)
        }
        return base.layout.scheme == .file ? file(input, 0, base: base) : relative(input, 0, base: base)
    }

    private mutating func relative(_ input: Span<UInt8>, _ index: Int, base: WebURL) -> Bool {
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
    private mutating func relativePath(_ input: Span<UInt8>, _ index: Int, base: WebURL) -> Bool {
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

// MARK: - Authority

extension URLParser {
    private mutating func authority(_ input: Span<UInt8>, _ start: Int) -> Bool {
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

    private mutating func userinfo(_ input: Span<UInt8>, _ start: Int, _ end: Int) {
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

    private mutating func host(_ input: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
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

    private mutating func port(_ input: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
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

// MARK: - File

extension URLParser {
    private mutating func file(_ input: Span<UInt8>, _ index: Int, base: WebURL?) -> Bool {
        layout.scheme = .file
        if isSlash(at(input, index)) {
            if isSlash(at(input, index &+ 1)) { return fileHost(input, index &+ 2) }
            if let base { copy(base, upTo: .authority) } else { emptyFileAuthority() }
            if let base, !startsWithDriveLetter(input, index &+ 1), let drive = base.driveLetter {
                out.append(contentsOf: [UInt8(ascii: "/"), drive, UInt8(ascii: ":")])
            }
            return segments(input, index &+ 1)
        }
        if let base { return relativePath(input, index, base: base) }
        emptyFileAuthority()
        return segments(input, index)
    }

    private mutating func fileHost(_ input: Span<UInt8>, _ start: Int) -> Bool {
        var end = start
        while end < input.count, !isSlash(input[end]), input[end] != UInt8(ascii: "?"), input[end] != UInt8(ascii: "#")
        {
            end &+= 1
        }
        emptyFileAuthority()
        // "file://C:/x" is a path, whatever it looks like.
        if end &- start == 2, startsWithDriveLetter(input, start) { return segments(input, start) }
        if end > start {
            guard appendHost(input.extracting(start..<end), isSpecial: true, to: &out) else { return false }
            if out[Int(layout.hostStart)...].elementsEqual("localhost".utf8) {
                out.removeSubrange(Int(layout.hostStart)...)
            }
            layout.hostEnd = position
        }
        return pathStart(input, end)
    }

    private mutating func emptyFileAuthority() {
        out = Array("file://".utf8)
        layout.schemeEnd = 4
        layout.usernameEnd = 7
        layout.hostStart = 7
        layout.hostEnd = 7
        layout.pathStart = 7
    }
}

extension WebURL {
    /// The letter of a first segment like `C:`.
    fileprivate var driveLetter: UInt8? {
        let path = Array(href.utf8.dropFirst(Int(layout.pathStart)).prefix(4))
        guard path.count >= 3, path[1].isASCIILetter, path[2] == UInt8(ascii: ":") else { return nil }
        return path.count == 3 || [UInt8](" /?#".utf8).contains(path[3]) ? path[1] : nil
    }
}

// MARK: - Path, query, fragment

extension URLParser {
    private mutating func pathStart(_ input: Span<UInt8>, _ index: Int) -> Bool {
        layout.pathStart = position
        if isSlash(at(input, index)) { return segments(input, index &+ 1) }
        return isSpecial ? segments(input, index) : queryAndFragment(input, index)
    }

    /// The "path state": `index` is where the first segment begins, behind its slash.
    private mutating func segments(_ input: Span<UInt8>, _ start: Int) -> Bool {
        let stop = isSpecial ? ByteSet.specialPathStop : ByteSet.pathStop
        var index = start
        while true {
            out.append(UInt8(ascii: "/"))
            let segment = out.count
            while true {
                let run = index
                while index < input.count, !stop.contains(input[index]) { index &+= 1 }
                out.append(input, run..<index)
                guard let byte = at(input, index), !isSlash(byte), byte != UInt8(ascii: "?"), byte != UInt8(ascii: "#")
                else { break }
                out.appendPercentEncoded(byte)
                index &+= 1
            }
            let goesOn = isSlash(at(input, index))
            endSegment(from: segment, isLast: !goesOn)
            if !goesOn { return queryAndFragment(input, index) }
            index &+= 1
        }
    }

    private mutating func endSegment(from segment: Int, isLast: Bool) {
        switch dots(from: segment) {
        case 1:
            out.removeSubrange((isLast ? segment : segment &- 1)...)
        case 2:
            out.removeSubrange((segment &- 1)...)
            shortenPath()
            if isLast { out.append(UInt8(ascii: "/")) }
        default:
            guard layout.scheme == .file, segment == Int(layout.pathStart) &+ 1, out.count == segment &+ 2 else {
                return
            }
            if out[segment].isASCIILetter, out[segment &+ 1] == UInt8(ascii: "|") {
                out[segment &+ 1] = UInt8(ascii: ":")
            }
        }
    }

    /// 1 for `.`, 2 for `..`, spelt with `%2e` too; 0 for any other segment.
    private func dots(from segment: Int) -> Int {
        guard out.count > segment, out.count &- segment <= 6 else { return 0 }
        var index = segment
        var dots = 0
        while index < out.count {
            if out[index] == UInt8(ascii: ".") {
                index &+= 1
            } else if out.count &- index >= 3, out[index] == UInt8(ascii: "%"), out[index &+ 1] == UInt8(ascii: "2"),
                out[index &+ 2] | 0x20 == UInt8(ascii: "e")
            {
                index &+= 3
            } else {
                return 0
            }
            dots &+= 1
        }
        return dots <= 2 ? dots : 0
    }

    /// Takes the last segment away, but never a drive letter.
    private mutating func shortenPath() {
        let start = Int(layout.pathStart)
        if layout.scheme == .file, out.count == start &+ 3, out[start &+ 1].isASCIILetter,
            out[start &+ 2] == UInt8(ascii: ":")
        {
            return
        }
        if let slash = out[start...].lastIndex(of: UInt8(ascii: "/")) { out.removeSubrange(slash...) }
    }

    private mutating func opaquePath(_ input: Span<UInt8>, _ start: Int) -> Bool {
        var index = start
        while let byte = at(input, index), byte != UInt8(ascii: "?"), byte != UInt8(ascii: "#") {
            let next = at(input, index &+ 1)
            // A blank just before them would be lost once query and fragment are taken away.
            if byte == UInt8(ascii: " "), next == UInt8(ascii: "?") || next == UInt8(ascii: "#") {
                out.appendPercentEncoded(byte)
            } else {
                out.append(byte, encoding: .control)
            }
            index &+= 1
        }
        return queryAndFragment(input, index)
    }

    private mutating func queryAndFragment(_ input: Span<UInt8>, _ start: Int) -> Bool {
        var index = start
        if at(input, index) == UInt8(ascii: "?") {
            layout.queryStart = position
            out.append(UInt8(ascii: "?"))
            var end = index &+ 1
            while end < input.count, input[end] != UInt8(ascii: "#") { end &+= 1 }
            encode(input, index &+ 1, end, isSpecial ? .specialQuery : .query)
            index = end
        }
        if at(input, index) == UInt8(ascii: "#") {
            layout.fragmentStart = position
            out.append(UInt8(ascii: "#"))
            encode(input, index &+ 1, input.count, .fragment)
        }
        return true
    }

    /// A path that begins with two slashes would be read back as an authority where there is none.
    private mutating func finish() -> Bool {
        let start = Int(layout.pathStart)
        guard !layout.hasAuthority, out.count > start &+ 1, out[start] == UInt8(ascii: "/"),
            out[start &+ 1] == UInt8(ascii: "/"), layout.queryStart == 0 || Int(layout.queryStart) > start &+ 1
        else { return true }
        out.insert(contentsOf: [UInt8(ascii: "/"), UInt8(ascii: ".")], at: start)
        layout.pathStart += 2
        if layout.queryStart != 0 { layout.queryStart += 2 }
        if layout.fragmentStart != 0 { layout.fragmentStart += 2 }
        return true
    }
}

// MARK: - Pieces

extension URLParser {
    private enum Part { case scheme, authority, path, query }

    /// Starts over with the base's text up to the end of a part.
    private mutating func copy(_ base: WebURL, upTo part: Part) {
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

    private mutating func clearAuthority() {
        let end = layout.schemeEnd &+ 1
        layout.usernameEnd = end
        layout.hostStart = end
        layout.hostEnd = end
        layout.pathStart = end
        layout.port = nil
    }

    private var position: UInt32 { UInt32(truncatingIfNeeded: out.count) }

    private mutating func encode(_ input: Span<UInt8>, _ start: Int, _ end: Int, _ set: ByteSet) {
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
    private func at(_ input: Span<UInt8>, _ index: Int) -> UInt8? { index < input.count ? input[index] : nil }

    @inline(__always)
    private func isSlash(_ byte: UInt8?) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") && isSpecial
    }

    private func behindSlashes(_ input: Span<UInt8>, _ start: Int) -> Int {
        var index = start
        while isSlash(at(input, index)) { index &+= 1 }
        return index
    }

    private func startsWithDriveLetter(_ input: Span<UInt8>, _ index: Int) -> Bool {
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
