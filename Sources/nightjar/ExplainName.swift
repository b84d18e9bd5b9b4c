import Digests
import JSON
import Magic
import Model
import Naming
import Reporting
import Synchronization
import Templates
import Times
import URLs

extension Explainer {
    /// Which name a resource gets, and why.
    static let name: Explainer = {
        let tables = NameTables()
        return Explainer(
            name: "name", arguments: "URL [CONTENT-TYPE [CONTENT-DISPOSITION]]", counts: 1...3,
            answer: { (question, answer) throws(ExplainError) in
                let (namer, facts) = try (tables.namer(question), NameFacts(question))
                let name = namer.propose(facts)
                answer.object { answer in
                    answer.field("name", name.path)
                    answer.field("extension", name.extension)
                    answer.field("extension_source", name.extensionSource.rawValue)
                    answer.field("filename", name.filename)
                    answer.field("stem_source", name.stemSource.rawValue)
                    answer.field("rule", name.extensionRule)
                    if name.isPageInstead { answer.field("page_instead", true) }
                }
            },
            show: { arguments in
                guard let url = WebURL(arguments[0]) else { throw ExplainError("\(shown(arguments[0])) is no URL") }
                var facts = NameFacts(first: url)
                facts.contentType = arguments.dropFirst().first.map { Array($0.utf8) }
                facts.disposition = arguments.dropFirst(2).first.map { Array($0.utf8) }
                let name = try tables.namer(NamingRules(), at: currentTime(), zone: .utc).propose(facts)
                let parts = [
                    ("name", name.path), ("stem", "\(name.stem), of: \(name.stemSource.rawValue)"),
                    ("extension", "\(name.extension), of: \(name.extensionSource.rawValue) (\(name.extensionRule))"),
                    ("the header's name", name.filename ?? "none"),
                ]
                return parts.map { "\($0)   \(shown($1))\n" }.joined()
            })
    }()
}

/// The tables of types, read at the first question and used for all.
private final class NameTables: Sendable {
    private let loaded = Mutex<(types: MIMETypes, sniffer: ContentSniffer)?>(nil)

    /// The namer that a run with the question's rules would have.
    func namer(_ question: Question) throws(ExplainError) -> Namer {
        var rules = NamingRules()
        if let text = try question.text("template") {
            do throws(TemplateError) { rules.template = try Template(text, fields: .name) } catch {
                throw ExplainError("'template': \(error.message) (byte \(error.offset + 1))")
            }
        }
        rules.types = try question.rows("types", "match", "extension").map { (match: $0, extension: $1) }
        var zone = Zone.utc
        if let name = try question.text("timezone") {
            do { zone = try Zone(named: name) } catch { throw ExplainError("'timezone': \(error)") }
        }
        return try namer(rules, at: try question.time("at") ?? currentTime(), zone: zone)
    }

    func namer(_ rules: NamingRules, at seconds: Double, zone: Zone) throws(ExplainError) -> Namer {
        let (types, sniffer) = try loaded.withLock { tables throws(ExplainError) in
            if let tables { return tables }
            let read: (types: MIMETypes, sniffer: ContentSniffer)
            do {
                let sniffer = ContentSniffer()
                try sniffer.load()
                read = (try MIMETypes(), sniffer)
            } catch { throw ExplainError("\(error)") }
            tables = read
            return read
        }
        return Namer(
            rules: rules, job: "job", run: "run", runStart: seconds, zone: zone, types: types, sniffer: sniffer)
    }
}

extension NameFacts {
    /// - Throws: ``ExplainError`` for a member of the wrong kind.
    fileprivate init(_ question: Question) throws(ExplainError) {
        func url(_ member: String, _ text: String) throws(ExplainError) -> WebURL {
            guard let url = WebURL(text) else { throw ExplainError("'\(member)' is no absolute URL") }
            return url
        }
        let final = try question.text("final_url")
        self.init(first: try url("url", try question.required("url")))
        if let final { self.final = try url("final_url", final) }
        contentType = try question.header("content_type")
        disposition = try question.header("content_disposition")
        charset = try question.text("charset")
        download = try question.text("download")
        text = try question.text("text")
        if try question.bytes("body_base64") != nil {
            let body = try question.content("body_base64")
            prefix = Array(body.prefix(4096))
            sha256 = try? SHA256.digest(of: body)
        }
        downloaded = try question.time("at")
    }
}

extension Question {
    /// The bytes of a header. JSON has no bytes: characters up to U+00FF stand for one byte each, as Latin-1 has them, so
    /// that any header can be given; a text with others is sent as UTF-8.
    fileprivate func header(_ name: String) throws(ExplainError) -> [UInt8]? {
        guard let bytes = try bytes(name) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.value < 0x100 })
        else { return bytes }
        return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    /// Pairs of texts from a list of objects; empty where the member is absent or null.
    fileprivate func rows(
        _ name: String, _ first: String, _ second: String
    ) throws(ExplainError) -> [(String, String)] {
        guard let list = value[name], list != .null else { return [] }
        let rows = list.elements?.compactMap { row in
            row[first]?.text.flatMap { one in row[second]?.text.map { (one, $0) } }
        }
        guard let rows, rows.count == list.elements?.count else {
            throw ExplainError("'\(name)' must be a list of {\"\(first)\": text, \"\(second)\": text}")
        }
        return rows
    }

    /// Seconds since 1970.
    fileprivate func time(_ name: String) throws(ExplainError) -> Double? {
        guard let text = try text(name) else { return nil }
        guard let seconds = RFC3339.parse(text) else { throw ExplainError("'\(name)' is no time as RFC 3339 has it") }
        return seconds
    }
}
