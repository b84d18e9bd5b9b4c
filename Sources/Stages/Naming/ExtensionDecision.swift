import Magic
import Model

/// An extension, and why it is that one.
struct ExtensionDecision: Equatable {
    /// Without the dot, in the case that its source wrote.
    var text: String
    var source: ExtensionSource
    /// For people: the rule of `ExtensionRules` that gave it.
    var rule: String
}

/// The one table by which extensions are decided. The first row that applies decides.
///
/// | # | when | extension of | source |
/// | --- | --- | --- | --- |
/// | 1 | a row of the manifest's `types` is part of the Content-Type | that row | `types` |
/// | 2 | the header's name has an extension, and no script's | the header | `disposition` |
/// | 3 | the URL's extension and a specific Content-Type fit each other | the URL | `url` |
/// | 4 | they contradict each other, but content agrees with the URL | the URL | `url` |
/// | 5 | they contradict each other | the Content-Type | `type` |
/// | 6 | the Content-Type is generic or missing, content is specific and contradicts the URL | content | `content` |
/// | 7 | the URL has an extension | the URL | `url` |
/// | 8 | content is a special kind of what a specific Content-Type says (a zip that is a Word document), or binary where text is claimed | content | `content` |
/// | 9 | the Content-Type is specific | the Content-Type | `type` |
/// | 10 | content is specific | content | `content` |
/// | 11 | the URL's extension is vague (`bin`, `dat`) | the URL | `url` |
/// | 12 | the Content-Type, else content, says text | `txt` | `type`, `content` |
/// | 13 | else | `bin` | `default` |
///
/// The URL's extension is that of the name that the stem came from, else of the first URL's or final URL's last
/// segment; a `download` attribute's counts as the URL's. Script extensions (`php`) count as none, vague ones only in
/// row 11. Generic types are those of `genericTypes`, `text/plain` among them. Containers (zip, gzip, XML, JSON and
/// such) never contradict an extension that the database does not know, nor does text contradict text. Rows 5, 6, 8,
/// 9 and 10 never give a kind that runs (`ExtensionLists.executables`) or a script; the next row is asked then.
struct ExtensionRules: Sendable {
    let types: MIMETypes
    let user: [(match: String, extension: String)]

    static let genericTypes: Set<String> = [
        "application/octet-stream", "application/x-octet-stream", "binary/octet-stream", "application/binary",
        "application/x-binary", "application/x-msdownload", "application/force-download",
        "application/x-force-download", "application/forcedownload", "application/download", "application/x-download",
        "application/x-file-download", "application/save", "application/file", "application/x-file",
        "application/attachment", "application/unknown", "application/x-unknown", "application/x-unknown-content-type",
        "application/x-www-form-urlencoded", "unknown/unknown", "content/unknown", "file/unknown", "text/plain",
        "text/unknown", "application/x-ole-storage", "application/x-empty", "application/data", "application/x-data",
        "application/any", "application/x-filler", "bad/type", "application/x-download-file", "*/*", "file/download",
        "application/x-trash",
    ]

    /// - Parameters:
    ///   - header: the header's name, taken apart.
    ///   - candidates: names of the URL's side that have an extension, the best first.
    ///   - type: the Content-Type's essence.
    ///   - sniff: tells what content is; asked only where a row needs it.
    func decide(
        header: FileName?, candidates: [FileName], type: String?, sniff: () -> String?
    ) -> ExtensionDecision {
        if let type, let row = user.first(where: { !$0.match.isEmpty && type.contains($0.match) }) {
            return ExtensionDecision(text: row.extension, source: .types, rule: "types: \(row.match)")
        }
        if let header, header.isTelling {
            return ExtensionDecision(text: header.extension, source: .disposition, rule: "the header's name")
        }
        let url = candidates.first { !ExtensionLists.vague.contains($0.key) }
        let specific = type.map(types.canonical).flatMap { ExtensionRules.isGeneric($0) ? nil : $0 }
        let found =
            url.map { withURL($0, specific, sniff) }
            ?? withoutURL(specific, sniff)
        if let found { return found }
        if let vague = candidates.first {
            return ExtensionDecision(text: vague.extension, source: .url, rule: "the URL's, though vague")
        }
        if let text = text(type, sniff) { return text }
        return ExtensionDecision(text: "bin", source: .default, rule: "nothing told the type")
    }

    private static func isGeneric(_ type: String) -> Bool {
        genericTypes.contains(type) || type.hasPrefix("multipart/")
    }

    /// Rows 3 to 7.
    private func withURL(_ url: FileName, _ type: String?, _ sniff: () -> String?) -> ExtensionDecision {
        if let type {
            if fits(url, type) {
                return ExtensionDecision(text: url.extension, source: .url, rule: "the URL's, which the type fits")
            }
            let isVague = url.kind == .plausible && isContainer(type)
            if !isVague, let other = inferred(type) {
                if let content = sniff(), url.kind == .known, fits(url, content) {
                    return ExtensionDecision(
                        text: url.extension, source: .url, rule: "the URL's, which content agrees with")
                }
                return ExtensionDecision(text: other, source: .type, rule: "the type, which contradicts the URL")
            }
        } else if let content = sniff(), contradicts(content, url), let other = inferred(content) {
            return ExtensionDecision(text: other, source: .content, rule: "content, which contradicts the URL")
        }
        return ExtensionDecision(text: url.extension, source: .url, rule: "the URL's")
    }

    /// Row 12.
    private func text(_ type: String?, _ sniff: () -> String?) -> ExtensionDecision? {
        let isClaimed = type.map(types.canonical) == "text/plain"
        guard isClaimed || sniff().map(types.canonical).map(isTextual) ?? false else { return nil }
        return ExtensionDecision(text: "txt", source: isClaimed ? .type : .content, rule: "text of no special kind")
    }

    /// Rows 8 to 10.
    private func withoutURL(_ type: String?, _ sniff: () -> String?) -> ExtensionDecision? {
        let content = sniff().map(types.canonical)
        if let type {
            if let content, content != type, let name = inferred(content) {
                if types.isKind(content, of: type) {
                    return ExtensionDecision(text: name, source: .content, rule: "content, a kind of the type")
                }
                if isTextual(type), !isTextual(content) {
                    return ExtensionDecision(text: name, source: .content, rule: "content, which is no text")
                }
            }
            if let name = inferred(type) {
                return ExtensionDecision(text: name, source: .type, rule: "the type")
            }
        }
        if let content, content != "text/plain", let name = inferred(content) {
            return ExtensionDecision(text: name, source: .content, rule: "content")
        }
        return nil
    }

    /// A type's usual extension, unless it is one that runs.
    private func inferred(_ type: String) -> String? {
        guard let name = types.extensions(of: type).first else { return nil }
        let last = name.split(separator: ".").last.map(String.init) ?? name
        return ExtensionLists.executables.contains(last) || ExtensionLists.scripts.contains(last) ? nil : name
    }

    /// True when a file with that extension may well be of the type.
    func fits(_ name: FileName, _ type: String) -> Bool {
        let type = types.canonical(type)
        if types.extensions(of: type).contains(name.key) { return true }
        var keys = name.key.split(separator: ".").map(String.init)
        if keys.count > 1 { keys.append(name.key) }
        if ["tgz", "tbz", "tbz2", "txz", "tzst", "tlz"].contains(name.key) { keys.append("tar") }
        return keys.contains { key in
            types.extensions(of: type).contains(key)
                || types.types(ofExtension: key).contains { other in
                    types.isKind(other, of: type) || types.isKind(type, of: other) || isSameMedium(other, type)
                }
        }
    }

    /// Sound and film share containers; which one a file is, servers and libmagic often get wrong.
    private func isSameMedium(_ type: String, _ other: String) -> Bool {
        func isMedium(_ type: String) -> Bool { type.hasPrefix("audio/") || type.hasPrefix("video/") }
        if isMedium(type), isMedium(other) { return true }
        return Set([type, other]) == ["application/illustrator", "application/pdf"]
    }

    private func contradicts(_ content: String, _ url: FileName) -> Bool {
        let content = types.canonical(content)
        if fits(url, content) { return false }
        let known = types.types(ofExtension: url.lastKey)
        if known.isEmpty, isContainer(content) { return false }
        return !(isTextual(content) && (known.isEmpty || known.contains(where: isTextual)))
    }

    /// Formats in which many others are written.
    private func isContainer(_ type: String) -> Bool {
        [
            "application/zip", "application/gzip", "application/xml", "application/json", "application/x-tar",
            "application/vnd.sqlite3", "application/x-ole-storage", "text/plain", "application/x-hdf",
            "application/x-java-archive", "application/x-bzip", "application/x-xz", "application/zstd",
        ].contains { types.canonical(type) == types.canonical($0) }
    }

    private func isTextual(_ type: String) -> Bool {
        type.hasPrefix("text/") || type == "application/json" || type == "application/xhtml+xml"
            || types.isKind(type, of: "text/plain") || types.isKind(type, of: "application/xml")
    }
}
