/// Rules, and the agents that they are for.
struct RobotsGroup: Sendable {
    /// Product tokens in lower case.
    var agents: Set<String> = []
    /// Whether the group is for those that no other group names.
    var isForAll = false
    var rules: [RobotsRule] = []

    /// What a whole `User-Agent` is known by: its first product without the version, in lower case.
    static func token(of agent: String) -> String {
        agent.prefix { $0 != "/" }.lowercased()
    }
}

/// An `Allow` or a `Disallow`.
struct RobotsRule: Sendable {
    let allows: Bool
    let pattern: RobotsPattern

    /// For people.
    var text: String { (allows ? "Allow: " : "Disallow: ") + pattern.text }
}
