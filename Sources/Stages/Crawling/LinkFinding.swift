import Model
package import URLs

/// Something on a page that may be a link, and why it is not followed if it is not: what can be told without a job's
/// rules.
package struct LinkFinding: Sendable, Hashable {
    /// The whole URL; the reference as it was written where it is none.
    package var url: String
    /// The element and attribute it came from, such as `a[href]`.
    package var source: String
    /// The value of a `download` attribute.
    package var download: String?
    /// Why it is not followed.
    package var skip: String?
}

extension PageLinks {
    /// Everything that was found, in document order; what is no link only if the extractor kept it.
    ///
    /// - Parameter url: the page's own.
    package func findings(at url: WebURL) -> [LinkFinding] {
        var findings: [LinkFinding] = []
        findings.reserveCapacity(links.count + omitted.count)
        var rest = omitted[...]
        let listing = isListing ? ListingPlace(url) : nil
        for (index, link) in links.enumerated() {
            while let reference = rest.first, reference.position <= index {
                findings.append(LinkFinding(reference))
                rest.removeFirst()
            }
            findings.append(
                LinkFinding(
                    url: link.url.href, source: link.source, download: link.download,
                    skip: reason(against: link, listing)))
        }
        return findings + rest.map { LinkFinding($0) }
    }

    private func reason(against link: Link, _ listing: ListingPlace?) -> String? {
        if let listing, !link.isMarked, let reason = listing.reason(against: link) { return reason }
        return link.url.isFetchable ? nil : "scheme \(link.url.scheme) is not fetched"
    }
}

extension LinkFinding {
    fileprivate init(_ reference: OmittedReference) {
        self.init(url: reference.url ?? reference.reference, source: reference.source, skip: reference.reason)
    }
}
