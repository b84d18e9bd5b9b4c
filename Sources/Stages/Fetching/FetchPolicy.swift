package import Model
package import URLs

/// What the other stages have to say while a fetch is under way. The closures are called from any thread, at once, and
/// must not block.
package struct FetchPolicy: Sendable {
    /// Whether a redirect may lead there; the failure if not. Not asked for the request's own URL.
    package var hop: @Sendable (WebURL, Purpose) -> Failure?
    /// What a successful response is, by its head.
    package var head: @Sendable (ResponseHead, FetchRequest) -> HeadVerdict
    /// Most bytes of an item; nil is no bound.
    package var maxItemBytes: Int64?
    /// Most bytes of a page, since pages are read in memory.
    package var maxPageBytes = 64 << 20

    package init(
        hop: @escaping @Sendable (WebURL, Purpose) -> Failure?,
        head: @escaping @Sendable (ResponseHead, FetchRequest) -> HeadVerdict, maxItemBytes: Int64? = nil
    ) {
        self.hop = hop
        self.head = head
        self.maxItemBytes = maxItemBytes
    }
}
