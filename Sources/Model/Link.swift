package import URLs

/// A link as found on a page, before any rule was applied.
package struct Link: Sendable, Hashable {
    package var url: WebURL
    /// The element and attribute it came from, such as `a[href]`.
    package var source: String
    /// The value of a `download` attribute, empty when it has none; nil without the attribute.
    package var download: String?
    /// The link's text, whitespace collapsed, at most 200 characters.
    package var text: String
    /// True when a scheme of the manifest (`f:`) marked it as a download.
    package var isMarked = false
    /// True for what its page calls a feed, a sitemap or its own continuation: it is read for links, whatever is
    /// downloaded.
    package var isSource = false

    package init(url: WebURL, source: String, download: String? = nil, text: String = "") {
        self.url = url
        self.source = source
        self.download = download
        self.text = text
    }
}

/// What the rules make of a link.
package enum LinkVerdict: Sendable, Hashable {
    case fetch(Purpose)
    /// Left out; the reason is for people.
    case skip(String)
}

/// A link with its verdict and its place in the order that names follow: (depth, order of the page, position).
package struct Discovery: Sendable, Hashable {
    package var link: Link
    package var verdict: LinkVerdict
    /// Pages away from the start; a start URL has 0, what a start page links to has 1.
    package var depth: Int
    /// The link's place on its page, from 0.
    package var position: Int

    package init(link: Link, verdict: LinkVerdict, depth: Int, position: Int) {
        self.link = link
        self.verdict = verdict
        self.depth = depth
        self.position = position
    }
}
