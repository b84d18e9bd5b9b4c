// The "file" states, with their drive letters.
extension URLParser {
    mutating func file(_ input: Span<UInt8>, _ index: Int, base: WebURL?) -> Bool {
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

    mutating func fileHost(_ input: Span<UInt8>, _ start: Int) -> Bool {
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

    mutating func emptyFileAuthority() {
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
