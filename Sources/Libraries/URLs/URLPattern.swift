/// A glob or `/regular expression/` that a manifest matches URLs with.
package struct URLPattern: Sendable {
    /// As the manifest wrote it.
    package let source: String

    package init(_ source: String) throws(PatternError) { self.source = source }

    package func matches(_ url: WebURL) -> Bool { false }
}

package struct PatternError: Error, Sendable {
    package let message: String
}
