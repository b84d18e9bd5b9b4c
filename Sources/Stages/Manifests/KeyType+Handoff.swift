import Model
import URLs
import YAML

/// An entry of `handoff` that is being read.
struct HandoffDraft: Sendable {
    var position = SourcePosition.start
    var to: Placed<Target>?
    var credentials = HandoffCredentials()
    var knownHosts: String?
    var endpoint: String?
    var region = "us-east-1"
    var authorities: String?

    struct Target: Sendable {
        var url: String
        var kind: HandoffRules.Kind
        var user: String?
    }
}

extension ManifestReading {
    /// Checks an entry of `handoff` by itself and against those before it.
    mutating func endHandoff() {
        let draft = self.draft.handoff
        guard let to = draft.to else { return }
        var rules = HandoffRules(to: to.value.url, kind: to.value.kind)
        rules.credentials = draft.credentials
        if let user = to.value.user, draft.credentials.user == nil { rules.credentials.user = .plain(user) }
        rules.knownHosts = draft.knownHosts
        rules.endpoint = draft.endpoint
        rules.region = draft.region
        rules.authorities = draft.authorities
        if rules.kind == .sftp {
            if rules.knownHosts == nil {
                error(to.position, "an sftp target needs 'known-hosts', or nobody knows who takes the bundles")
            }
            if rules.credentials.user == nil {
                error(to.position, "an sftp target needs a user: sftp://USER@HOST/PATH")
            }
        }
        if self.draft.job.handoffs.contains(where: { $0.to == rules.to }) {
            error(to.position, "this target stands here already; the ledger could not tell them apart")
        }
        self.draft.job.handoffs.append(rules)
    }
}

extension KeyType where Value == HandoffDraft.Target {
    /// Where bundles go.
    static var target: KeyType {
        let name = "a target such as file:///srv/share/reports, https://host/path, sftp://user@host/path or s3://bucket"
        return scalar(name, schema: ["type": "string"]) { scalar throws(Units.Refusal) in
            if let hint = Words.objection(to: scalar.text, longest: 2048) { throw Units.Refusal(hint: hint) }
            let kinds: [(scheme: String, kind: HandoffRules.Kind)] = [
                ("file", .folder), ("http", .http), ("https", .http), ("sftp", .sftp), ("s3", .s3),
            ]
            let parts = scalar.text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[1].hasPrefix("//"),
                let (scheme, kind) = kinds.first(where: { $0.scheme == parts[0].lowercased() })
            else { throw Units.Refusal(hint: scalar.text.hasPrefix("/") ? "write file://\(scalar.text)" : "") }
            var rest = parts[1].dropFirst(2)
            if kind == .folder {
                guard rest.hasPrefix("/") else { throw Units.Refusal(hint: "write three slashes: file:///FOLDER") }
            }
            if rest.contains("?") || rest.contains("#") { throw Units.Refusal(hint: "it holds a '?' or '#'") }
            if rest.contains(" ") { throw Units.Refusal(hint: "write %20 for a blank") }
            let authority = rest.prefix { $0 != "/" }
            if kind != .folder, authority.isEmpty { throw Units.Refusal(hint: "the host or bucket is missing") }
            var user: String?
            if let at = authority.lastIndex(of: "@") {
                let name = authority[..<at]
                guard kind == .sftp, !name.contains(":") else {
                    throw Units.Refusal(hint: "credentials stand below 'credentials', never in a URL")
                }
                user = String(name)
                rest = rest[rest.index(after: at)...]
            }
            return HandoffDraft.Target(url: "\(scheme)://\(rest)", kind: kind, user: user)
        }
    }
}

extension KeyType where Value == HeaderValue {
    /// A name that may be a secret too.
    static var userName: KeyType {
        let schema: JSONText = ["type": ["string", "object"]]
        return KeyType(name: "a user's name, { env: NAME } or { file: PATH }", schema: schema) { node, reading in
            if case .mapping = node.content { return Secrets.read(node, &reading).map { .secret($0) } }
            let type = KeyType<String>.text("a user's name") { $0.contains(":") ? "it holds a ':'" : nil }
            return type.read(node, &reading).map { .plain($0) }
        }
    }
}

extension KeyType where Value == String {
    /// The origin of a store.
    static var endpoint: KeyType {
        text("a server such as https://s3.example.org") { text in
            guard let url = WebURL(text), ["http", "https"].contains(url.scheme) else { return "" }
            return text.contains("@") ? "credentials stand below 'credentials', never in a URL" : nil
        }
    }

    static var region: KeyType {
        text("a region such as eu-central-1", longest: 64) { text in
            Words.consists(text, of: Words.alphanumerics + "-", atMost: 64) ? nil : ""
        }
    }
}
