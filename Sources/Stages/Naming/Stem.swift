import Digests
import Magic
package import URLs
import Unicode

/// A stem with the name that it came from.
struct Stem {
    /// Safe as part of a component; never empty.
    var text: String
    var source: StemSource
}

/// The names that a resource goes by, and the choice among them:
///
/// 1. the header's (`filename*`, `filename`);
/// 2. the link's `download` attribute;
/// 3. the first URL's last segment, if it has an extension that is no script's;
/// 4. the final URL's last segment; if that is a script's or only names a service (`download`, `index.php`), a query
///    parameter that looks like a file (`?file=a.pdf`) goes before it;
/// 5. a query parameter of the first URL that looks like a file;
/// 6. the link's text, if the template asks for `{text}`;
/// 7. the last segment of the first URL, then an id of the first URL that is always the same.
struct NameSources {
    var header: FileName?
    var download: FileName?
    var first: FileName?
    var final: FileName?
    var query: FileName?

    init(_ facts: NameFacts, filename: String?, types: MIMETypes) {
        header = filename.flatMap { NameSources.taken($0, types) }
        if let attribute = facts.download { download = NameSources.taken(attribute, types) }
        first = lastSegment(of: facts.first, charset: facts.charset).flatMap { NameSources.taken($0, types) }
        final =
            facts.final == facts.first
            ? first : lastSegment(of: facts.final, charset: facts.charset).flatMap { NameSources.taken($0, types) }
        query = NameSources.queryName(facts.final, types) ?? NameSources.queryName(facts.first, types)
    }

    /// Names of the URL's side that have an extension, the stem's own first.
    func candidates(for source: StemSource) -> [FileName] {
        var own: FileName?
        switch source {
        case .finalURL: own = final
        case .query: own = query
        case .disposition, .download, .firstURL, .text, .id: own = nil
        }
        return [own, download, first, final, query].compactMap { $0 }.filter(\.isTelling)
    }

    /// True when the header or the URL's side has an extension that may say what the file is.
    var isNamed: Bool { header?.isTelling ?? false || !candidates(for: .query).isEmpty }

    func choose(text: String?) -> (name: FileName, source: StemSource)? {
        if let header { return (header, .disposition) }
        if let download { return (download, .download) }
        if let first, first.isTelling { return (first, .firstURL) }
        if let final {
            let isService = final.kind == .script || final.kind == .none
            if isService, let query, ExtensionLists.serviceStems.contains(final.stem.lowercased()) {
                return (query, .query)
            }
            return (final, .finalURL)
        }
        if let query { return (query, .query) }
        if let text, !text.isEmpty { return (FileName(stem: text), .text) }
        return first.map { ($0, .firstURL) }
    }

    private static func taken(_ name: String, _ types: MIMETypes) -> FileName? {
        let clean = SafeName.cleaned(windowsBase(name))
        return clean.isEmpty ? nil : FileName(clean, types: types)
    }

    /// A whole Windows path, as old browsers' uploads left it in databases: its last part.
    private static func windowsBase(_ name: String) -> String {
        let start = Array(name.utf8.prefix(3))
        guard start.count == 3, (start[0] | 0x20) >= 0x61, (start[0] | 0x20) <= 0x7A, start[1] == UInt8(ascii: ":"),
            start[2] == UInt8(ascii: "\\"), let slash = name.utf8.lastIndex(of: UInt8(ascii: "\\"))
        else { return name }
        return String(name[name.utf8.index(after: slash)...])
    }

    /// The first value in a query that has a known extension and is no address; folders before it are left out.
    private static func queryName(_ url: WebURL, _ types: MIMETypes) -> FileName? {
        guard let query = url.query, query.utf8.contains(UInt8(ascii: ".")) else { return nil }
        for pair in query.utf8.split(separator: UInt8(ascii: "&"), maxSplits: 100) {
            let value = pair.firstIndex(of: UInt8(ascii: "=")).map { pair[pair.index(after: $0)...] } ?? pair
            let spaced = value.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
            guard let bytes = percentDecoded(spaced[...], strict: false),
                let text = String(validating: bytes, as: UTF8.self), !text.contains("://"),
                let base = text.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last
            else { continue }
            guard let name = taken(String(base), types), name.kind == .known else { continue }
            if name.key == "com" || name.key == "org" { continue }
            return name
        }
        return nil
    }
}

/// A URL's last segment, decoded once; nil when it is empty.
func lastSegment(of url: WebURL, charset: String?) -> String? {
    let path = url.path
    guard !url.hasOpaquePath, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    let segment = path[path.utf8.index(after: slash)...]
    return segment.isEmpty ? nil : segmentText(segment.utf8, charset: charset)
}

/// A segment decoded as UTF-8, else in the page's charset, else left in its escapes.
func segmentText(_ segment: Substring.UTF8View, charset: String?) -> String {
    guard segment.contains(UInt8(ascii: "%")) else { return String(Substring(segment)) }
    let bytes = percentDecoded(Array(segment)[...], strict: false) ?? []
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return charset.flatMap { decoded(bytes, label: $0) } ?? String(Substring(segment))
}

/// Sixteen letters and digits that are always the same for a URL, its fragment left out: 80 bits of its SHA-256.
package func urlID(_ url: WebURL) -> String {
    let digest = (try? SHA256.digest(of: url.withoutFragment.href.utf8)) ?? []
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    var text = ""
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in digest.prefix(10) {
        bits = bits << 8 | UInt32(byte)
        count += 8
        while count >= 5 {
            count -= 5
            text.unicodeScalars.append(Unicode.Scalar(alphabet[Int(bits >> count & 31)]))
        }
    }
    return text.isEmpty ? "unnamed" : text
}
