import Glibc

/// What file extensions go with which MIME types: the shared-mime-info database of the system, read once, with
/// what it lacks beside it (`TypeAdditions`).
package struct MIMETypes: Sendable {
    private var extensionsOfType: [String: [String]] = [:]
    private var typesOfExtension: [String: [String]] = [:]
    private var aliases: [String: String] = [:]
    private var parents: [String: [String]] = [:]

    /// - Parameter directory: where `globs2`, `aliases` and `subclasses` lie.
    /// - Throws: what to install when the database is missing.
    package init(directory: String = "/usr/share/mime") throws(MIMETypesError) {
        guard let globs = lines(of: "\(directory)/globs2") else {
            throw MIMETypesError(
                message:
                    "cannot read \(directory)/globs2, the table of file types: install the package shared-mime-info")
        }
        aliases = TypeAdditions.aliases
        for line in lines(of: "\(directory)/aliases") ?? [] {
            let words = line.split(separator: UInt8(ascii: " "))
            if words.count == 2 { aliases[text(words[0])] = text(words[1]) }
        }
        for line in lines(of: "\(directory)/subclasses") ?? [] {
            let words = line.split(separator: UInt8(ascii: " "))
            if words.count == 2 { parents[text(words[0]), default: []].append(text(words[1])) }
        }
        for line in globs { add(glob: line) }
        for (type, extensions) in TypeAdditions.extensions {
            for name in extensions { add(name, to: type) }
        }
        for (type, preferred) in TypeAdditions.preferred { prefer(preferred, for: type) }
    }

    /// The type that an alias stands for (`application/x-pdf` for `application/pdf`); others stay as they are.
    package func canonical(_ type: String) -> String { aliases[type] ?? type }

    /// Extensions without the dot, in lower case, the usual one first. Compound ones (`tar.gz`) are whole.
    package func extensions(of type: String) -> [String] { extensionsOfType[canonical(type)] ?? [] }

    /// Types that files with an extension have, the likeliest first.
    /// - Parameter name: in lower case, without the first dot.
    package func types(ofExtension name: String) -> [String] { typesOfExtension[name] ?? [] }

    package func knows(extension name: String) -> Bool { typesOfExtension[name] != nil }

    /// True when a type is another, or a special kind of it: a Word document is a zip.
    package func isKind(_ type: String, of other: String) -> Bool {
        let other = canonical(other)
        var waiting = [canonical(type)]
        var seen = 0
        while let type = waiting.popLast(), seen < 50 {
            if type == other { return true }
            seen += 1
            waiting += (parents[type] ?? []).map(canonical)
        }
        return false
    }

    /// `weight:type:*.ext[:flags]`; patterns other than a plain extension tell nothing about extensions.
    private mutating func add(glob line: ArraySlice<UInt8>) {
        let fields = line.split(separator: UInt8(ascii: ":"))
        guard fields.count >= 3, fields[2].starts(with: "*.".utf8) else { return }
        let name = fields[2].dropFirst(2)
        guard !name.isEmpty, !name.contains(where: { "*?[]".utf8.contains($0) }) else { return }
        add(text(name).lowercased(), to: text(fields[1]))
    }

    private mutating func add(_ name: String, to type: String) {
        if !(extensionsOfType[type]?.contains(name) ?? false) { extensionsOfType[type, default: []].append(name) }
        if !(typesOfExtension[name]?.contains(type) ?? false) { typesOfExtension[name, default: []].append(type) }
    }

    private mutating func prefer(_ name: String, for type: String) {
        guard var names = extensionsOfType[type], let place = names.firstIndex(of: name) else { return }
        names.remove(at: place)
        names.insert(name, at: 0)
        extensionsOfType[type] = names
    }
}

/// The table of file types could not be read.
package struct MIMETypesError: Error, Sendable, Hashable, CustomStringConvertible {
    package let message: String
    package var description: String { message }
}

private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

/// The lines of a text file of at most 16 MiB, without comments; nil when it cannot be read.
private func lines(of path: String) -> [ArraySlice<UInt8>]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while bytes.count < 16 << 20 {
        let count = read(descriptor, &chunk, chunk.count)
        if count == 0 { return bytes.split(separator: 0x0A).filter { $0.first != UInt8(ascii: "#") } }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return nil }
        bytes += chunk[..<count]
    }
    return nil
}
