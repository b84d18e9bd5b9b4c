package import Model
package import URLs
import Unicode

/// Finds the links of a page: a function of its bytes, its address and its headers.
package struct LinkExtractor: Sendable {
    /// Prefixes such as `f:` that mark a link as a download (the manifest's `download.schemes`).
    package var schemes: [String]
    /// Names of further attributes that hold links (the manifest's `crawl.attributes`).
    package var attributes: [String]
    /// Keep what is found but is no link, with the reason.
    package var keepsOmitted = false

    /// A page has more links than this only in order to do harm; the rest is left out and the page marked as cut.
    package static let mostLinks = 1_000_000

    package init(schemes: [String] = [], attributes: [String] = []) {
        self.schemes = schemes
        self.attributes = attributes
    }

    /// The links of an HTML page.
    ///
    /// - Parameters:
    ///   - body: the page as it was received, content codings removed.
    ///   - url: where it was received from, after redirects.
    ///   - contentType: the Content-Type as the server wrote it; it may name the charset.
    ///   - headers: the response's other fields; `X-Robots-Tag` is read.
    package func links(
        in body: [UInt8], url: WebURL, contentType: String?, headers: HeaderFields = HeaderFields()
    ) -> PageLinks {
        let text = PageText(body, contentType: contentType)
        var collector = LinkCollector(text: text, page: url, extractor: self)
        collector.run()
        var page = collector.page
        page.nofollow = page.nofollow || headers.all("x-robots-tag").contains(where: saysNofollow)
        page.isListing = isListing(page, at: url)
        return page
    }

    /// The name of the encoding that a page is read in, by the Encoding Standard.
    package func charset(of body: [UInt8], contentType: String?) -> String {
        PageText.charset(of: body, contentType: contentType).name
    }
}
