package import Digests
package import URLs

/// A digest that somebody has published for a file.
package struct PublishedChecksum: Sendable, Hashable {
    package let algorithm: MessageDigest.Algorithm
    package let digest: [UInt8]
}

/// The content of a file of checksums: lines as `sha256sum` and `md5sum` write them (`digest  name`), BSD's
/// `SHA256 (name) = digest`, or a digest alone. The digest's length tells its algorithm; all else is passed over, since
/// signatures and comments stand there too.
package struct ChecksumList: Sendable {
    private var named: [[UInt8]: PublishedChecksum] = [:]
    /// How many names end in the same last component; only a single one can be known by it.
    private var byLastPart: [[UInt8]: (name: [UInt8], isAlone: Bool)] = [:]
    /// A digest that stands without a name.
    private var alone: PublishedChecksum?
    /// Lines beyond that are not read.
    private static let most = 200_000

    /// How many entries it holds.
    package var count: Int { named.count + (alone == nil ? 0 : 1) }

    package init(_ text: [UInt8]) {
        var lines = 0
        var start = text.startIndex
        while start < text.endIndex, lines < Self.most {
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
            read(text[start..<end])
            start = end + 1
            lines += 1
        }
    }

    /// What is published for a file.
    /// - Parameters:
    ///   - file: its URL.
    ///   - list: where this list came from; names in it start from there.
    package func checksum(of file: WebURL, listedAt list: WebURL) -> PublishedChecksum? {
        let path = percentDecoded(file.path)
        let folder = percentDecoded(list.path).lastIndex(of: UInt8(ascii: "/")).map {
            percentDecoded(list.path)[...$0]
        }
        if let folder, file.site == list.site, path.starts(with: folder),
            let found = named[Array(path[folder.count...])]
        {
            return found
        }
        let last = Array(path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...])
        if let known = byLastPart[last] { return known.isAlone ? named[known.name] : nil }
        // A list that is for this file alone may call it what its author did.
        guard percentDecoded(list.path).starts(with: path) else { return nil }
        return alone ?? (named.count == 1 ? named.values.first : nil)
    }

    private mutating func read(_ line: ArraySlice<UInt8>) {
        var line = line
        while let last = line.last, last <= 0x20 { line.removeLast() }
        guard line.count <= 8192, !line.isEmpty else { return }
        // sha256sum marks names that hold line breaks or backslashes.
        let isEscaped = line.first == UInt8(ascii: "\\")
        if isEscaped { line.removeFirst() }
        let word = line.prefix { $0 > 0x20 }
        if let checksum = PublishedChecksum(hex: word) {
            var name = line[word.endIndex...].drop { $0 <= 0x20 }
            if name.first == UInt8(ascii: "*") { name.removeFirst() }
            guard !name.isEmpty else {
                alone = alone ?? checksum
                return
            }
            add(checksum, isEscaped ? unescaped(name) : Array(name))
        } else if let opening = line.firstIndex(of: UInt8(ascii: "(")),
            let closing = line.lastIndex(of: UInt8(ascii: ")")), closing > opening,
            let equals = line[closing...].firstIndex(of: UInt8(ascii: "="))
        {
            let digest = line[(equals + 1)...].drop { $0 <= 0x20 }
            guard let checksum = PublishedChecksum(hex: digest) else { return }
            add(checksum, Array(line[(opening + 1)..<closing]))
        }
    }

    private mutating func add(_ checksum: PublishedChecksum, _ name: [UInt8]) {
        var name = name[...]
        while name.starts(with: "./".utf8) { name = name.dropFirst(2) }
        let key = Array(name)
        if let known = named[key] {
            if checksum.strength > known.strength { named[key] = checksum }
            return
        }
        named[key] = checksum
        let last = Array(name[(name.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? name.startIndex)...])
        byLastPart[last] = (key, byLastPart[last] == nil)
    }

    private func unescaped(_ name: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = name
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                result.append(byte)
                continue
            }
            result.append(next == UInt8(ascii: "n") ? 10 : next == UInt8(ascii: "r") ? 13 : next)
        }
        return result
    }
}

extension PublishedChecksum {
    fileprivate init?(hex word: ArraySlice<UInt8>) {
        guard let algorithm = MessageDigest.Algorithm.allCases.first(where: { $0.size * 2 == word.count }),
            let digest = bytes(hex: String(decoding: word, as: UTF8.self))
        else { return nil }
        self.init(algorithm: algorithm, digest: digest)
    }

    /// SHA-256 first: it is known of every download already.
    fileprivate var strength: Int {
        switch algorithm {
        case .md5: 0
        case .sha1: 1
        case .sha384, .sha512: 2
        case .sha256: 3
        }
    }
}
