import Crawling
import Lanes
import Model
import URLs

/// Finds the links of pages on threads of its own: a large page must not keep finished downloads waiting.
struct PageReader: Sendable {
    let extractor: LinkExtractor
    private let lanes: LanePool

    init(_ extractor: LinkExtractor) throws {
        self.extractor = extractor
        lanes = try LanePool("pages", threads: 4)
    }

    /// - Returns: the links, and the page's encoding where names that its servers send may be in it.
    func read(_ body: [UInt8], _ head: ResponseHead) async throws -> (links: PageLinks, charset: String?) {
        let extractor = extractor
        return try await lanes.run {
            let links = extractor.links(
                in: body, url: head.url, contentType: head.contentType, headers: head.headers)
            let charset = extractor.charset(of: body, contentType: head.contentType)
            // What servers send beyond ASCII is taken for UTF-8 or windows-1252 anyway.
            return (links, ["UTF-8", "windows-1252"].contains(charset) ? nil : charset)
        }
    }
}
