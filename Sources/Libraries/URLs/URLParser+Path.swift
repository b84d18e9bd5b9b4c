// The states from "path start" to "fragment".
extension URLParser {
    mutating func pathStart(_ input: Span<UInt8>, _ index: Int) -> Bool {
        layout.pathStart = position
        if isSlash(at(input, index)) { return segments(input, index &+ 1) }
        return isSpecial ? segments(input, index) : queryAndFragment(input, index)
    }

    /// The "path state": `index` is where the first segment begins, behind its slash.
    mutating func segments(_ input: Span<UInt8>, _ start: Int) -> Bool {
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

    mutating func endSegment(from segment: Int, isLast: Bool) {
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
    func dots(from segment: Int) -> Int {
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
    mutating func shortenPath() {
        let start = Int(layout.pathStart)
        if layout.scheme == .file, out.count == start &+ 3, out[start &+ 1].isASCIILetter,
            out[start &+ 2] == UInt8(ascii: ":")
        {
            return
        }
        if let slash = out[start...].lastIndex(of: UInt8(ascii: "/")) { out.removeSubrange(slash...) }
    }

    mutating func opaquePath(_ input: Span<UInt8>, _ start: Int) -> Bool {
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

    mutating func queryAndFragment(_ input: Span<UInt8>, _ start: Int) -> Bool {
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
    mutating func finish() -> Bool {
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
