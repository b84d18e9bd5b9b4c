import Model
import URLs

/// What the download rules say of a link before anything was fetched.
enum Selection {
    case none
    /// Its type decides.
    case ask
    case item
}

extension Link {
    /// True for what a page shows as part of itself, which is no page of its own.
    var embeds: Bool {
        switch source {
        case "a[href]", "area[href]", "iframe[src]", "frame[src]", "meta[refresh]", "link[href]": false
        default: !source.hasSuffix("[data-href]") && !source.contains("[data-")
        }
    }
}

extension CrawlPlan {
    /// Nothing says what is wanted, so everything linked that is no page is.
    var hasNoCriterion: Bool {
        download.types.isEmpty && download.extensions.isEmpty && download.schemes.isEmpty
            && download.filter.include.isEmpty
    }

    func selection(of link: Link) -> Selection {
        if link.isMarked || link.download != nil { return .item }
        if hasNoCriterion { return .ask }
        guard isIncluded(link.url) else { return .none }
        if hasWantedExtension(link.url) { return .item }
        if !download.types.isEmpty { return .ask }
        return download.extensions.isEmpty && !download.filter.include.isEmpty ? .item : .none
    }

    /// Why a URL that the download rules select is not taken all the same.
    func itemRefusal(_ url: WebURL) -> String? {
        if let pattern = download.filter.exclude.first(where: { $0.matches(url) }) {
            return "excluded by download.exclude \(pattern.source)"
        }
        if !isIncluded(url) { return "matches no pattern of download.include" }
        return itemScope.reason(against: url).map { "out of download.scope \(download.scope.rawValue): \($0)" }
    }

    /// Why a URL is not read for links; nil when it is.
    ///
    /// - Parameter depth: its own.
    func followReason(_ url: WebURL, depth: Int) -> String? {
        if let reason = pageScope.reason(against: url) { return "out of scope: \(reason)" }
        if depth > crawl.depth { return "deeper than crawl.depth \(crawl.depth)" }
        if let pattern = crawl.follow.exclude.first(where: { $0.matches(url) }) {
            return "excluded by crawl.follow.exclude \(pattern.source)"
        }
        if !crawl.follow.include.isEmpty, !crawl.follow.include.contains(where: { $0.matches(url) }) {
            return "matches no pattern of crawl.follow.include"
        }
        return nil
    }

    func embeddedReason(_ link: Link) -> String {
        "\(link.source) is part of a page, and no rule of download asks for it"
    }

    /// Why a URL looks as if it had no end; nil when it does not.
    func trapReason(_ url: WebURL) -> String? {
        if url.href.utf8.count > Self.longestURL { return "a URL longer than \(Self.longestURL) bytes" }
        let segments = url.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        guard segments.count > Self.mostRepeatedSegments else { return nil }
        var counts: [String: Int] = [:]
        for segment in segments {
            let count = counts[String(segment) ?? "", default: 0] + 1
            if count > Self.mostRepeatedSegments {
                return "its path repeats one segment more than \(Self.mostRepeatedSegments) times, as a trap does"
            }
            counts[String(segment) ?? ""] = count
        }
        return nil
    }

    private func isIncluded(_ url: WebURL) -> Bool {
        download.filter.include.isEmpty || download.filter.include.contains { $0.matches(url) }
    }

    func hasWantedExtension(_ url: WebURL) -> Bool {
        if download.extensions.isEmpty { return false }
        let name = fileName(of: url)
        return download.extensions.contains { name.utf8.count > $0.utf8.count + 1 && name.hasSuffix(".\($0)") }
    }
}

/// The last segment of a URL's path, in lower case.
func fileName(of url: WebURL) -> String {
    let path = url.path
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path.lowercased() }
    return path[path.utf8.index(after: slash)...].lowercased()
}
