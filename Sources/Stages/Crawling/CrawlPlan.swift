package import Model
package import URLs

/// A job's rules of what is followed and what is downloaded: functions of links and response heads, nothing else.
package struct CrawlPlan: Sendable {
    let crawl: CrawlRules
    let download: DownloadRules
    let pageScope: ScopeRule
    let itemScope: ScopeRule
    private let ignoredParameters: ParameterFilter
    let filename: @Sendable (_ disposition: [UInt8], _ charset: String?) -> String?

    /// A URL longer than this is made by a trap or a mistake; servers refuse it as well.
    package static let longestURL = 8192
    /// A path that holds one segment more often grows by a relative link of its own page.
    package static let mostRepeatedSegments = 5

    /// - Parameters:
    ///   - starts: the job's start URLs, expanded; the scopes are measured from them.
    ///   - filename: the name that a Content-Disposition gives, for one who linked from a page in that encoding.
    package init(
        crawl: CrawlRules, download: DownloadRules, starts: [WebURL],
        filename: @escaping @Sendable (_ disposition: [UInt8], _ charset: String?) -> String? = { _, _ in nil }
    ) {
        self.filename = filename
        self.crawl = crawl
        self.download = download
        pageScope = ScopeRule(crawl.scope, starts: starts)
        itemScope = ScopeRule(download.scope, starts: starts)
        ignoredParameters = ParameterFilter(crawl.ignoredQuery)
    }

    /// Every link of a page with its verdict, in document order.
    ///
    /// - Parameters:
    ///   - page: what was found on it.
    ///   - url: where it was received from.
    ///   - depth: the page's own depth; a start page has 0.
    package func discoveries(on page: PageLinks, at url: WebURL, depth: Int) -> [Discovery] {
        let listing = page.isListing ? ListingPlace(url) : nil
        return page.links.enumerated().map { position, found in
            let link = withoutIgnoredParameters(found)
            var verdict = verdict(for: link, foundAt: depth)
            if let listing, !link.isMarked, let reason = listing.reason(against: link) { verdict = .skip(reason) }
            if page.nofollow, crawl.obeysRobots {
                if verdict == .fetch(.page) { verdict = .skip(Self.nofollow) }
                if verdict == .fetch(.ask) { verdict = .fetch(.probe) }
            }
            return Discovery(link: link, verdict: verdict, depth: depth + 1, position: position)
        }
    }

    static let nofollow = "the page asks robots not to follow its links (crawl.robots: obey)"

    /// The parameters go from the URL itself, so that it is the same in every run and on every page.
    private func withoutIgnoredParameters(_ link: Link) -> Link {
        guard !crawl.ignoredQuery.isEmpty, link.url.query != nil,
            let url = WebURL(link.url.key(ignoring: ignoredParameters))
        else { return link }
        var changed = link
        changed.url = url
        return changed
    }

    /// What the rules make of one link.
    ///
    /// - Parameter depth: that of the page it was found on.
    package func verdict(for link: Link, foundAt depth: Int) -> LinkVerdict {
        let url = link.url
        guard url.isFetchable else {
            return .skip("scheme \(url.scheme) is not fetched, only http, https, ftp and sftp")
        }
        if let reason = trapReason(url) { return .skip(reason) }

        if link.isSource, !link.isMarked {
            return followReason(url, depth: depth + 1).map { .skip($0) } ?? .fetch(.page)
        }
        let selection = selection(of: link)
        var refused: String?
        if selection != .none {
            refused = itemRefusal(url)
            if refused == nil, selection == .item { return .fetch(.item) }
        }
        let following = notAPageReason(link) ?? followReason(url, depth: depth + 1)
        if selection == .ask, refused == nil { return .fetch(.ask) }
        if following == nil, selection != .item { return .fetch(.page) }
        return .skip(refused ?? following ?? "")
    }

    /// Why a redirect may not be followed; nil when it may. The rules of scope hold at every hop: a page's those of
    /// `crawl.scope`, an item's those of `download.scope`, and what is not yet known may go where either may.
    package func refusal(ofRedirectTo url: WebURL, for purpose: Purpose) -> Failure? {
        guard url.isHTTP else {
            return Failure(
                .redirectRefused,
                "Redirected to \(url.displayed): scheme \(url.scheme) is not fetched, only http and https.")
        }
        if let reason = trapReason(url) { return Failure(.redirectRefused, "Redirected out of bounds: \(reason).") }
        let page = pageScope.reason(against: url)
        let item = itemScope.reason(against: url)
        let (reason, key): (String?, String) =
            switch purpose {
            case .page: (page, "crawl.scope: \(crawl.scope.rawValue)")
            case .item: (item, "download.scope: \(download.scope.rawValue)")
            case .ask, .probe: (page == nil ? nil : item, "download.scope: \(download.scope.rawValue)")
            }
        return reason.map {
            Failure(
                .redirectRefused,
                "Redirected to \(url.displayed), out of scope: \($0) (\(key)). Widen the scope or start from there.")
        }
    }
}
