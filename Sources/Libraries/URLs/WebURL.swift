/// A URL as the WHATWG URL standard parses and serialises it.
package struct WebURL: Sendable, Hashable {
    /// The serialised URL, fragment included.
    package let href: String

    package init?(_ input: String, base: WebURL? = nil) {
        return nil
    }
}
