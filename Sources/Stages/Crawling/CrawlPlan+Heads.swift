package import Model
package import URLs

extension CrawlPlan {
    /// What a response's head makes of a request.
    ///
    /// - Parameter depth: the depth of the resource that was asked for.
    package func verdict(for head: ResponseHead, to request: FetchRequest, depth: Int) -> HeadVerdict {
        let type = ContentType(head)
        let rejection = rejection(type, head, asked: request.url)
        if request.purpose == .item { return rejection.map { .rejected($0) } ?? .item }
        if request.isStart {
            let isPage = type.isPage || type.isFeed && !isWanted(type, head)
            return isPage ? .page : rejection.map { .rejected($0) } ?? .item
        }
        if let verdict = itemVerdict(type, head, rejection) { return verdict }
        if let rejection, namesDocument(request.url) { return .rejected(rejection) }
        if type.isPage || request.purpose == .page && type.mayBeFeedOrSitemap(head.url) {
            if request.purpose == .probe { return .unwanted("a page, but \(Self.nofollow)") }
            return followReason(head.url, depth: depth).map { .unwanted("a page, but \($0)") } ?? .page
        }
        return .unwanted("its type \(type.shown) is no page, and no rule of download asks for it")
    }

    /// Whether a start that is no page may be a feed, a sitemap or a list of URLs all the same, which only its content
    /// tells.
    package func mayBeSource(_ head: ResponseHead, to request: FetchRequest) -> Bool {
        let type = ContentType(head)
        guard request.isStart, !type.isAttachment, !isWanted(type, head) else { return false }
        return type.isFeed || type.mayBeFeedOrSitemap(head.url) || type.saysNothing
    }

    /// True when the manifest asks for files like it.
    private func isWanted(_ type: ContentType, _ head: ResponseHead) -> Bool {
        if case .item? = hasNoCriterion ? nil : itemVerdict(type, head, nil) { true } else { false }
    }

    /// The verdict on what the download rules ask for by its type; nil for what they do not.
    private func itemVerdict(_ type: ContentType, _ head: ResponseHead, _ rejection: Failure?) -> HeadVerdict? {
        let isWanted =
            hasNoCriterion
            ? !type.isPage
            : download.types.contains(where: type.contains) || (hasWantedExtension(head.url) && !type.isPage)
        guard isWanted else { return nil }
        // A page that may be followed still is one when its URL is none to download.
        if let reason = itemRefusal(head.url) { return type.isPage ? nil : .unwanted(reason) }
        return rejection.map { .rejected($0) } ?? .item
    }

    /// Why what was asked for as an item is none: a login page is no report, wherever redirects led to it.
    ///
    /// - Parameter url: as the link had it.
    private func rejection(_ type: ContentType, _ head: ResponseHead, asked url: WebURL) -> Failure? {
        guard let essence = type.essence else { return nil }
        let refused: String?
        if let types = download.rejectTypes {
            refused = types.first(where: type.contains)
        } else {
            refused = type.isHTML && !asksForHTML(url) ? essence : nil
        }
        return refused.map { _ in
            Failure(
                .typeMismatch,
                "\(head.url.displayed) answered with \(essence), which download.reject-types refuses: often a login or "
                    + "error page. Open it in a browser; to keep such files, set download.reject-types: [].")
        }
    }

    /// Why content that proved to be an HTML page, whatever its head says, is no item; nil when it may be one.
    ///
    /// - Parameter url: as the link had it.
    package func refusal(ofPageAs head: ResponseHead, asked url: WebURL) -> Failure? {
        if let types = download.rejectTypes {
            guard types.contains(where: { "text/html".contains($0) }) else { return nil }
        } else if asksForHTML(url) {
            return nil
        }
        return Failure(
            .typeMismatch,
            "\(head.url.displayed) answered with an HTML page that it called \(ContentType(head).shown): often a login or "
                + "error page. Open it in a browser; to keep such files, set download.reject-types: [].")
    }

    /// True when a page is what the manifest or the URL itself names.
    private func asksForHTML(_ url: WebURL) -> Bool {
        let extensions = ["html", "htm", "xhtml", "xht", "shtml", "mhtml"]
        if download.extensions.contains(where: extensions.contains) { return true }
        if download.types.contains(where: { "text/html".contains($0) || "application/xhtml+xml".contains($0) }) {
            return true
        }
        let name = fileName(of: url)
        return extensions.contains { name.hasSuffix(".\($0)") }
    }
}

/// True when a URL ends like a document or archive, so that a page in its place is none that was linked as a page.
private func namesDocument(_ url: WebURL) -> Bool {
    let name = fileName(of: url)
    guard let dot = name.lastIndex(of: ".") else { return false }
    return documentExtensions.contains(name[name.index(after: dot)...].lowercased())
}

private let documentExtensions: Set<String> = [
    "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "epub", "csv", "zip", "gz", "tgz",
    "bz2", "xz", "zst", "7z", "rar", "tar", "iso", "img", "deb", "rpm", "jar", "exe", "msi", "dmg", "apk", "mp3", "mp4",
    "m4a", "wav", "flac", "ogg", "mov", "avi", "mkv", "webm", "jpg", "jpeg", "png", "gif", "webp", "tif", "tiff",
]

/// What a head says of its body's type.
struct ContentType {
    /// `type/subtype` in lower case, without parameters; nil when the server named none.
    let essence: String?
    /// The server asks to save the body rather than to show it.
    let isAttachment: Bool

    init(_ head: ResponseHead) {
        let value = head.headers.bytes("content-type").map { trimmed($0.prefix { $0 != UInt8(ascii: ";") }) }
        let text = value.map { String(decoding: $0.map(lowercasedASCII), as: UTF8.self) }
        essence = text.flatMap { $0.isEmpty ? nil : $0 }
        isAttachment =
            head.headers.bytes("content-disposition").map { startsIgnoringCase(trimmed($0[...]), "attachment") }
            ?? false
    }

    var isHTML: Bool { essence == "text/html" || essence == "application/xhtml+xml" }

    var isPage: Bool { isHTML && !isAttachment }

    /// A feed by its own type.
    var isFeed: Bool {
        !isAttachment
            && ["application/rss+xml", "application/atom+xml", "application/feed+json"].contains(essence ?? "")
    }

    /// A type that feeds and sitemaps are served with, as other files are.
    func mayBeFeedOrSitemap(_ url: WebURL) -> Bool {
        guard let essence, !isAttachment, !isHTML else { return false }
        if ["text/xml", "application/xml", "application/rdf+xml"].contains(essence) || isFeed { return true }
        let isCompressed = ["gzip", "octet-stream"].contains { essence.hasSuffix($0) }
        return isCompressed && namesCompressedSource(url)
    }

    /// A type that lists of URLs are served with, as nearly everything is.
    var saysNothing: Bool {
        guard let essence else { return true }
        return ["text/plain", "text/uri-list", "application/json", "application/octet-stream"].contains(essence)
    }

    var shown: String { essence ?? "unknown" }

    /// - Parameter part: in lower case, as `download.types` has it.
    func contains(_ part: String) -> Bool { essence?.contains(part) ?? false }
}

/// True for a name such as `sitemap.xml.gz`: other gzip files are not opened to look for links.
func namesCompressedSource(_ url: WebURL) -> Bool {
    let name = fileName(of: url)
    return name.hasSuffix(".xml.gz") || name.hasPrefix("sitemap") && name.hasSuffix(".gz")
}
