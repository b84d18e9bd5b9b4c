import Glibc

/// A zone that is not there or cannot be read.
package struct ZoneError: Error, Sendable, Hashable {
    package let message: String
}

extension Zone {
    /// Reads a zone from the system's zoneinfo files; `UTC` needs none.
    /// - Parameter directory: where the compiled zones lie.
    package init(named name: String, directory: String = "/usr/share/zoneinfo") throws(ZoneError) {
        if name == "UTC" {
            self = .utc
            return
        }
        guard Zone.isName(name) else {
            throw ZoneError(message: "\"\(name)\" is no time zone; names look like Europe/Berlin or UTC")
        }
        guard let bytes = Zone.contents("\(directory)/\(name)") else {
            let hint =
                access(directory, R_OK) == 0
                ? "names look like Europe/Berlin; `ls \(directory)` shows them"
                : "\(directory) is missing: install the package tzdata"
            throw ZoneError(message: "the time zone \"\(name)\" is not known: \(hint)")
        }
        guard let zone = Zone(name: name, zoneinfo: bytes) else {
            throw ZoneError(message: "\(directory)/\(name) is no readable zoneinfo file; reinstall the package tzdata")
        }
        self = zone
    }

    /// A name of letters, digits and `+-_`, in parts between slashes: it can never leave the folder of the zones.
    static func isName(_ name: String) -> Bool {
        guard name.utf8.count <= 100 else { return false }
        return name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy { byte in
                    ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A) || (byte >= 0x30 && byte <= 0x39)
                        || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                }
        }
    }

    /// A whole file of at most 1 MiB; compiled zones have some kilobytes.
    private static func contents(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while bytes.count <= 1 << 20 {
            let count = read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
        return nil
    }
}

extension Zone {
    /// Takes a compiled zone apart (TZif, RFC 9636, section 3); leap seconds are not looked at.
    init?(name: String, zoneinfo bytes: [UInt8]) {
        guard var header = TZifHeader(bytes, at: 0, timeSize: 4) else { return nil }
        if header.version >= 2 {
            guard let second = TZifHeader(bytes, at: header.end, timeSize: 8) else { return nil }
            header = second
        }
        var transitions: [Int64] = []
        var offsets: [Int] = []
        let kinds = header.body + header.timeCount * header.timeSize
        let records = kinds + header.timeCount
        func offset(_ kind: Int) -> Int? {
            guard kind < header.typeCount else { return nil }
            return Int(bigEndian(bytes, at: records + kind * 6, size: 4))
        }
        guard let firstOffset = offset(0) else { return nil }
        for index in 0..<header.timeCount {
            let time = bigEndian(bytes, at: header.body + index * header.timeSize, size: header.timeSize)
            guard let offset = offset(Int(bytes[kinds + index])), transitions.last.map({ $0 < time }) ?? true else {
                return nil
            }
            transitions.append(time)
            offsets.append(offset)
        }
        guard ([firstOffset] + offsets).allSatisfy({ abs($0) <= 7 * 86400 }) else { return nil }
        var rule: ZoneRule?
        if header.version >= 2, header.end < bytes.count, bytes[header.end] == 0x0A,
            let close = bytes[(header.end + 1)...].firstIndex(of: 0x0A), close > header.end + 1
        {
            rule = ZoneRule(Array(bytes[(header.end + 1)..<close]))
            guard rule != nil else { return nil }
        }
        self.init(name: name, transitions: transitions, offsets: offsets, firstOffset: firstOffset, rule: rule)
    }
}

/// The counts that a block of a zoneinfo file starts with; only blocks that lie whole within the file are made.
private struct TZifHeader {
    let version: Int
    let timeSize: Int
    let timeCount: Int
    let typeCount: Int
    /// Where the data after the header starts, and where it ends.
    let body: Int
    let end: Int

    init?(_ bytes: [UInt8], at start: Int, timeSize: Int) {
        guard bytes.count - start >= 44, bytes[start..<(start + 4)].elementsEqual("TZif".utf8) else { return nil }
        let mark = bytes[start + 4]
        version = mark == 0 ? 1 : Int(mark) - 0x30
        self.timeSize = timeSize
        let counts = (0..<6).map { Int(bigEndian(bytes, at: start + 20 + $0 * 4, size: 4)) }
        guard counts.allSatisfy({ (0...100_000).contains($0) }), version >= 1 else { return nil }
        timeCount = counts[3]
        typeCount = counts[4]
        body = start + 44
        let leaps = counts[2] * (timeSize + 4)
        end = body + timeCount * (timeSize + 1) + typeCount * 6 + counts[5] + leaps + counts[1] + counts[0]
        guard end <= bytes.count else { return nil }
    }
}

private func bigEndian(_ bytes: [UInt8], at start: Int, size: Int) -> Int64 {
    var value: UInt64 = 0
    for index in start..<(start + size) { value = value << 8 | UInt64(bytes[index]) }
    return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
}
