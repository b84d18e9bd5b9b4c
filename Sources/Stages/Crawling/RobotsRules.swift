package import URLs

/// What a robots.txt says (RFC 9309). A value: fetching, caching and waiting are others' work.
package struct RobotsRules: Sendable {
    /// So much of a body is read, twice what RFC 9309 section 2.5 asks for at least.
    package static let byteLimit = 1 << 20

    /// The values of the `Sitemap` lines, in their order, as written.
    package let sitemaps: [String]
    /// Whether the body was longer than `byteLimit`, so that rules may be missing: worth a warning.
    package let isTruncated: Bool
    private let groups: [RobotsGroup]
    private let delays: [String: Duration]
    private let everything: Bool?

    /// Reads a body. No body is an error: what is no rule is passed over, as RFC 9309 section 2.2 wants it.
    package init(parsing body: [UInt8]) {
        var parser = RobotsParser()
        parser.parse(body)
        sitemaps = parser.sitemaps
        isTruncated = body.count > Self.byteLimit
        groups = parser.groups
        delays = parser.delays
        everything = nil
    }

    /// The rules that an answer to the request for robots.txt stands for (RFC 9309 section 2.3.1).
    ///
    /// - Parameter status: of the last hop; nil when the server could not be reached. A 4xx allows everything, and so
    ///   does a redirect that never ended; 5xx, 429 and no answer at all forbid everything until it is asked again.
    package init(status: Int?, body: [UInt8]) {
        switch status {
        case .some(200..<300): self.init(parsing: body)
        case .some(429): self.init(everything: false)
        case .some(300..<500): self.init(everything: true)
        default: self.init(everything: false)
        }
    }

    /// Rules without a body: all allowed, or nothing.
    package init(everything: Bool) {
        sitemaps = []
        isTruncated = false
        groups = []
        delays = [:]
        self.everything = everything
    }

    /// The rules for one agent, ready to be asked many times.
    ///
    /// - Parameter agent: a product token, `Nightjar`, or a whole `User-Agent` that begins with one, `Nightjar/1.0`.
    package func policy(for agent: String) -> RobotsPolicy {
        let token = RobotsGroup.token(of: agent)
        let own = groups.filter { $0.agents.contains(token) }
        let chosen = own.isEmpty ? groups.filter(\.isForAll) : own
        return RobotsPolicy(
            rules: chosen.flatMap(\.rules), crawlDelay: delays[own.isEmpty ? "*" : token], everything: everything)
    }

    /// Whether `agent` may fetch the URL, and by which rule.
    package func verdict(for url: WebURL, agent: String) -> RobotsVerdict { policy(for: agent).verdict(for: url) }

    /// The time that `agent` is asked to leave between requests, a day at most; nil when the file does not say.
    package func crawlDelay(agent: String) -> Duration? { policy(for: agent).crawlDelay }
}

/// Whether a URL may be fetched, and the rule that decided.
package struct RobotsVerdict: Sendable, Equatable {
    package let allowed: Bool
    /// The line in the file, as `Disallow: /private/`, its pattern percent-encoded; nil when no rule speaks of the URL.
    package let rule: String?
}

/// The rules of a robots.txt for one agent.
package struct RobotsPolicy: Sendable {
    package let crawlDelay: Duration?
    private let rules: [RobotsRule]
    private let everything: Bool?

    init(rules: [RobotsRule], crawlDelay: Duration?, everything: Bool?) {
        // The longest pattern decides, and of two equally long ones the one that allows (section 2.2.2): in this
        // order, the first that matches.
        self.rules = rules.sorted {
            ($0.pattern.count, $0.allows ? 1 : 0) > ($1.pattern.count, $1.allows ? 1 : 0)
        }
        self.crawlDelay = crawlDelay
        self.everything = everything
    }

    /// Whether the URL may be fetched.
    package func verdict(for url: WebURL) -> RobotsVerdict { verdict(forPath: url.pathAndQuery) }

    /// The same for a URL as someone wrote it, which is not normalised first: for checks of a robots.txt against
    /// others' expectations. A letter outside of ASCII that is not percent-encoded matches no rule.
    package func verdict(forURLText text: String) -> RobotsVerdict { verdict(forPath: robotsPath(ofURLText: text)) }

    /// The same for a path with its query, percent-encoded, starting with a slash.
    package func verdict(forPath path: String) -> RobotsVerdict {
        if let everything { return RobotsVerdict(allowed: everything, rule: nil) }
        // RFC 9309 section 2.2.2: /robots.txt itself is always allowed.
        if path == "/robots.txt" { return RobotsVerdict(allowed: true, rule: nil) }
        let normal = robotsNormalized(path.utf8, encodingLetters: false)
        guard let rule = rules.first(where: { $0.pattern.matches(normal) }) else {
            return RobotsVerdict(allowed: true, rule: nil)
        }
        return RobotsVerdict(allowed: rule.allows, rule: rule.text)
    }
}
