package import Model
package import URLs

/// What a page says about where to go.
package struct PageLinks: Sendable {
    /// What the page is, by its content.
    package var kind = SourceKind.html
    /// In document order.
    package var links: [Link] = []
    /// What the links were resolved against: the first `base href`, or the page's own URL.
    package var base: WebURL
    /// The page asks robots not to follow its links (`meta robots` or `X-Robots-Tag`).
    package var nofollow = false
    /// The page that goes on where this one ends (`rel=next`).
    package var next: WebURL?
    /// The address that the page calls its own (`link rel=canonical`); noted, never followed.
    package var canonical: WebURL?
    /// The text of `title`, whitespace collapsed, at most 200 characters.
    package var title = ""
    /// The page is a server's directory listing.
    package var isListing = false
    /// The page held more links than are kept.
    package var isCut = false
    /// The page declares XML entities that were not expanded: external ones, or ones that stand for more than text.
    package var refusesEntities = false
    /// References that are no link to follow, in document order; kept only when asked for.
    package var omitted: [OmittedReference] = []

    package init(base: WebURL) { self.base = base }
}

/// A reference that was found and left out before any rule of the manifest: `mailto:`, `javascript:`, not a URL.
package struct OmittedReference: Sendable, Hashable {
    /// As the document wrote it, decoded, at most 2,000 bytes.
    package var reference: String
    /// What it stands for where it is a URL, if only one that leads nowhere.
    package var url: String?
    /// The element and attribute it came from.
    package var source: String
    package var reason: String
    /// How many links stand before it in the document.
    package var position: Int
}
