package import URLs

/// What is known of a downloaded resource when it is to be named.
package struct NameFacts: Sendable {
    /// As the page had it.
    package var first: WebURL
    /// Where the redirects ended.
    package var final: WebURL
    /// Header values as their bytes came.
    package var contentType: [UInt8]?
    package var disposition: [UInt8]?
    /// Of the page that the link was on.
    package var charset: String?
    /// The link's `download` attribute.
    package var download: String?
    /// The link's text.
    package var text: String?
    /// The content's first bytes, at most some kilobytes.
    package var prefix: [UInt8]?
    /// The content's digest, 32 bytes.
    package var sha256: [UInt8]?
    /// Seconds since 1970: when the resource was changed, and when it was downloaded.
    package var modified: Double?
    package var downloaded: Double?
    /// The item's number in the order of names, from 1.
    package var sequence = 1

    package init(first: WebURL, final: WebURL? = nil) {
        self.first = first
        self.final = final ?? first
    }
}

/// Which rule gave a stem, in the order in which they are asked.
package enum StemSource: String, Sendable {
    case disposition
    case download
    case firstURL = "url"
    case finalURL = "final-url"
    case query
    case text
    case id
}
