import Digests
package import Magic
package import Model
import Templates
package import Times
import URLs

/// Names what a run downloaded: the same facts give the same name, whatever came before or beside them.
///
/// Folders: in templates with `/` every part between is a folder of its own. A folder that `{path}` gives and that
/// could be a file's name (`a.zip/`) ends in `_`, so that `/a.zip` and `/a.zip/b` can both be kept.
package final class Namer: Sendable {
    private let template: Template
    private let zone: Zone
    private let job: String
    private let run: String
    private let runStart: Double
    private let stamps: [String: String]
    private let types: MIMETypes
    private let sniffer: ContentSniffer?
    private let rules: ExtensionRules
    private let usesText: Bool

    /// - Parameters:
    ///   - job: its name, for `{job}`.
    ///   - run: its id, for `{run}`.
    ///   - runStart: seconds since 1970, for `{date}`.
    ///   - sniffer: nil leaves content unasked.
    package init(
        rules: NamingRules, job: String, run: String, runStart: Double, zone: Zone, types: MIMETypes,
        sniffer: ContentSniffer?
    ) {
        template = rules.template
        self.zone = zone
        self.job = job
        self.run = run
        self.runStart = runStart
        self.types = types
        self.sniffer = sniffer
        self.rules = ExtensionRules(
            types: types,
            user: rules.types.map { ($0.match.lowercased(), SafeName.cleaned($0.extension)) }.filter { $0.1 != "" })
        var stamps: [String: String] = [:]
        for case .field("date", let argument) in rules.template.parts {
            stamps[argument ?? ""] = Template.stamp(argument, at: runStart, in: zone)
        }
        self.stamps = stamps
        usesText = rules.template.contains(field: "text")
    }

    package func propose(_ facts: NameFacts) -> ProposedName {
        let filename = facts.disposition.flatMap { ContentDisposition.filename($0, charset: facts.charset) }
        let sources = NameSources(facts, filename: filename, types: types)
        let text = facts.text.map { SafeName.prefix(SafeName.cleaned($0), bytes: 120) } ?? ""
        let chosen = sources.choose(text: usesText ? text : nil)
        let type = facts.contentType.flatMap { MIMEType($0) }?.essence
        let decision = rules.decide(
            header: sources.header, candidates: sources.candidates(for: chosen?.source ?? .id), type: type,
            sniff: { sniffed(facts.prefix) })
        let stem = chosen.map { self.stem(of: $0.name, decision) } ?? urlID(facts.first)
        let fields = Fields(stem: stem, extension: decision.text, text: text)
        return ProposedName(
            path: path(facts, fields), stem: stem, stemSource: chosen?.source ?? .id, extension: decision.text,
            extensionSource: decision.source, extensionRule: decision.rule, filename: filename,
            isPageInstead: isPageInstead(facts, type, decision, sources))
    }

    /// The extension that everything but the content promises, in lower case: what the content is to be held against.
    package func promisedExtension(_ facts: NameFacts) -> String {
        let filename = facts.disposition.flatMap { ContentDisposition.filename($0, charset: facts.charset) }
        let sources = NameSources(facts, filename: filename, types: types)
        let source = sources.choose(text: nil)?.source ?? .id
        let type = facts.contentType.flatMap { MIMEType($0) }?.essence
        let decision = rules.decide(
            header: sources.header, candidates: sources.candidates(for: source), type: type, sniff: { nil })
        return decision.text.lowercased()
    }

    /// The type that content proves to be, where that is another than the head says, and no wider one.
    package func contentBehind(_ facts: NameFacts) -> String? {
        guard let content = sniffed(facts.prefix).map(types.canonical) else { return nil }
        let declared = facts.contentType.flatMap { MIMEType($0) }?.essence
        return declared.map { types.isKind($0, of: content) } ?? false ? nil : content
    }

    private struct Fields {
        var stem: String
        var `extension`: String
        var text: String
    }

    private func sniffed(_ prefix: [UInt8]?) -> String? {
        guard let sniffer, let prefix else { return nil }
        // Without libmagic the name and the type decide alone; what is missing is told where the run starts.
        return (try? sniffer.type(of: prefix)) ?? nil
    }

    /// The name without the extension that it loses: the one chosen, a script's, or one that was found to be wrong.
    private func stem(of name: FileName, _ decision: ExtensionDecision) -> String {
        switch name.kind {
        case .none: return name.stem
        case .plausible where name.key != decision.text.lowercased(): return "\(name.stem).\(name.extension)"
        case .plausible, .known, .script:
            let stem = SafeName.cleaned(name.stem)
            return stem.isEmpty ? name.extension : stem
        }
    }

    private func isPageInstead(
        _ facts: NameFacts, _ type: String?, _ decision: ExtensionDecision, _ sources: NameSources
    ) -> Bool {
        guard let prefix = facts.prefix, looksLikeHTML(prefix) else { return false }
        // A page that says so is none in the place of another, unless it comes under a name that promises one.
        if ["text/html", "application/xhtml+xml"].contains(type), decision.source != .disposition { return false }
        let key = decision.text.lowercased()
        // Where only text was promised, by its type alone, a page is no lie.
        guard decision.source != .content else { return sources.isNamed || type != "text/plain" }
        // Spreadsheets and letters are often HTML by intent; of text one cannot tell.
        if ["xls", "doc", "htm", "html", "xhtml", "mht", "mhtml", "eml", "bin"].contains(key) { return false }
        if ["csv", "tsv", "json"].contains(key) { return true }
        let kinds = types.types(ofExtension: key)
        return !kinds.isEmpty && !kinds.contains { $0.hasPrefix("text/") || types.isKind($0, of: "text/plain") }
    }

    // MARK: - The template

    private func path(_ facts: NameFacts, _ fields: Fields) -> String {
        let whole = components(facts, fields)
        guard let leaf = whole.last else { return urlID(facts.first) }
        let folders = whole.dropLast().map { SafeName.shortened($0, bytes: SafeName.limit) }
        var name = leaf
        if leaf.utf8.count > SafeName.limit {
            // The stem gives way first, so that the stamp before it and the extension behind it stay.
            let excess = leaf.utf8.count - SafeName.limit
            var shorter = fields
            shorter.stem = shortened(fields.stem, by: excess, hashing: leaf)
            if shorter.stem.utf8.count + excess > fields.stem.utf8.count { shorter.text = "" }
            name = components(facts, shorter).last ?? leaf
            if name.utf8.count > SafeName.limit { name = cut(name, fields.extension, hashing: leaf) }
        }
        return (folders + [name]).joined(separator: "/")
    }

    /// The template's text for a resource, in components that are safe but may be too long.
    private func components(_ facts: NameFacts, _ fields: Fields) -> [String] {
        let text = template.render { field, argument in value(field, argument, facts, fields) }
        guard text.utf8.contains(UInt8(ascii: "/")) else {
            let leaf = SafeName.component(text)
            return leaf.isEmpty ? [] : [leaf]
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "/")).prefix(60)
        return parts.map { SafeName.component(String(Substring($0))) }.filter { !$0.isEmpty }
    }

    private func value(_ field: String, _ argument: String?, _ facts: NameFacts, _ fields: Fields) -> String {
        switch field {
        case "date": return stamps[argument ?? ""] ?? ""
        case "modified": return Template.stamp(argument, at: facts.modified ?? facts.downloaded ?? runStart, in: zone)
        case "item-date": return Template.stamp(argument, at: facts.downloaded ?? runStart, in: zone)
        case "stem": return fields.stem
        case "ext": return fields.extension
        case "host": return SafeName.cleaned(facts.first.host ?? "")
        case "path": return folders(of: facts)
        case "query": return SafeName.cleaned(query(of: facts))
        case "text": return fields.text
        case "job": return job
        case "run": return run
        case "url-id": return urlID(facts.first)
        case "sha256": return String(hex(facts.sha256 ?? []).prefix(argument.flatMap { Int($0) } ?? 64))
        case "seq":
            let digits = String(max(0, facts.sequence))
            return String(repeating: "0", count: max(0, (argument?.utf8.count ?? 1) - digits.utf8.count)) + digits
        default: return ""
        }
    }

    private func folders(of facts: NameFacts) -> String {
        guard !facts.first.hasOpaquePath else { return "" }
        let segments = facts.first.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return segments.dropLast().compactMap { segment in
            let name = SafeName.component(segmentText(segment, charset: facts.charset))
            guard !name.isEmpty else { return nil }
            return FileName(name, types: types).kind == .none ? name : name + "_"
        }.joined(separator: "/")
    }

    private func query(of facts: NameFacts) -> String {
        let bytes = percentDecoded(Array((facts.first.query ?? "").utf8)[...], strict: false) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: - Length

    /// A stem with so many bytes fewer, and eight digits of the whole name's hash at its end.
    private func shortened(_ stem: String, by excess: Int, hashing whole: String) -> String {
        SafeName.prefix(stem, bytes: max(1, stem.utf8.count - excess - 9)) + "-" + shortHash(whole)
    }

    /// A name whose fixed text alone is too long, cut before its extension.
    private func cut(_ name: String, _ ext: String, hashing whole: String) -> String {
        let isKept = ext.utf8.count <= 40 && name.utf8.count > ext.utf8.count + 1 && name.hasSuffix("." + ext)
        let end = "-" + shortHash(whole) + (isKept ? "." + ext : "")
        let start = isKept ? String(name.dropLast(ext.count + 1)) : name
        return SafeName.prefix(start, bytes: SafeName.limit - end.utf8.count) + end
    }

    private func shortHash(_ text: String) -> String {
        hex(((try? SHA256.digest(of: text.utf8)) ?? []).prefix(4))
    }
}
