/// Reads the lines of a robots.txt as RFC 9309 section 2.2 has them, as leniently as large crawlers do: what is no rule
/// says nothing, and the next line is read.
struct RobotsParser {
    private(set) var groups: [RobotsGroup] = []
    private(set) var sitemaps: [String] = []
    /// By product token in lower case, "*" for all others.
    private(set) var delays: [String: Duration] = [:]
    /// Whether the next `User-agent` opens a group of its own.
    private var groupHasRules = true

    mutating func parse(_ body: [UInt8]) {
        var rest = body[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        if rest.count > RobotsRules.byteLimit {
            // Half a rule would forbid more than the whole one.
            rest = rest.prefix(RobotsRules.byteLimit)
            rest = rest.prefix(through: rest.lastIndex(where: isLineEnd) ?? rest.startIndex)
        }
        for line in rest.split(whereSeparator: isLineEnd) { parse(line: line) }
    }

    private mutating func parse(line: ArraySlice<UInt8>) {
        guard let (key, value) = keyAndValue(line) else { return }
        switch RobotsKey(key) {
        case .agent: addAgent(value)
        case .allow: addRule(value, allows: true)
        case .disallow: addRule(value, allows: false)
        case .sitemap where !value.isEmpty: sitemaps.append(String(decoding: value, as: UTF8.self))
        case .delay: addDelay(value)
        default: break
        }
    }

    private mutating func addAgent(_ value: ArraySlice<UInt8>) {
        if groupHasRules {
            groups.append(RobotsGroup())
            groupHasRules = false
        }
        let last = groups.count - 1
        // "* (all)" means all as well.
        if value.first == UInt8(ascii: "*"), value.count == 1 || value.dropFirst().first.map(isHTMLSpace) == true {
            groups[last].isForAll = true
        } else {
            // "A product token may hold letters, - and _ only": what follows is a version or a comment.
            let token = value.prefix { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || isLetter($0) }
            if !token.isEmpty { groups[last].agents.insert(String(decoding: token, as: UTF8.self).lowercased()) }
        }
    }

    private mutating func addRule(_ value: ArraySlice<UInt8>, allows: Bool) {
        guard !groups.isEmpty else { return }
        groupHasRules = true
        // "Disallow:" alone forbids nothing.
        guard !value.isEmpty else { return }
        groups[groups.count - 1].rules.append(RobotsRule(allows: allows, pattern: RobotsPattern(value)))
        // Who allows a folder's index page by name allows the folder's own URL, which serves it.
        if allows, let slash = value.lastIndex(of: UInt8(ascii: "/")),
            value[slash...].starts(with: Array("/index.htm".utf8))
        {
            let folder = RobotsPattern(Array(value[...slash]) + [UInt8(ascii: "$")])
            groups[groups.count - 1].rules.append(RobotsRule(allows: true, pattern: folder))
        }
    }

    /// Crawl-delay is no rule of the RFC, so it closes no list of agents; it binds those listed so far.
    private mutating func addDelay(_ value: ArraySlice<UInt8>) {
        guard let group = groups.last, let delay = robotsDelay(value) else { return }
        for agent in group.agents { delays[agent] = delay }
        if group.isForAll { delays["*"] = delay }
    }
}

/// What a line may be about, in the spellings that occur.
private enum RobotsKey {
    case agent, allow, disallow, sitemap, delay, other

    init(_ key: ArraySlice<UInt8>) {
        let name = String(decoding: key.prefix(32), as: UTF8.self).lowercased()
        let first = Self.spellings.first { spelling, _ in name.hasPrefix(spelling) }
        self = first?.1 ?? .other
    }

    private static let spellings: [(String, RobotsKey)] = [
        ("user-agent", .agent), ("useragent", .agent), ("user agent", .agent), ("allow", .allow),
        ("disallow", .disallow), ("dissallow", .disallow), ("dissalow", .disallow), ("disalow", .disallow),
        ("diasllow", .disallow), ("disallaw", .disallow), ("sitemap", .sitemap), ("site-map", .sitemap),
        ("crawl-delay", .delay), ("crawldelay", .delay), ("crawl delay", .delay),
    ]
}

/// The two halves of a line, comment and blanks taken away. Where the colon was forgotten, a blank between exactly two
/// words stands for it.
private func keyAndValue(_ line: ArraySlice<UInt8>) -> (key: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
    // A NUL ends the line for those who wrote such files' first readers, and keeps binary rubbish from being rules.
    let text = trimmed(line.prefix { $0 != UInt8(ascii: "#") && $0 != 0 })
    if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
        let key = trimmed(text[..<colon])
        return key.isEmpty ? nil : (key, trimmed(text[(colon + 1)...]))
    }
    guard let blank = text.firstIndex(where: isHTMLSpace) else { return nil }
    let value = trimmed(text[blank...])
    return value.contains(where: isHTMLSpace) ? nil : (text[..<blank], value)
}

/// Seconds, with a fraction perhaps; a day at most.
private func robotsDelay(_ value: ArraySlice<UInt8>) -> Duration? {
    let digits = value.prefix(20)
    guard digits.allSatisfy({ $0 &- 0x30 < 10 || $0 == UInt8(ascii: ".") }),
        let seconds = Double(String(decoding: digits, as: UTF8.self))
    else { return nil }
    return .milliseconds(Int64(min(seconds, 86_400) * 1000))
}

private func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
private func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
