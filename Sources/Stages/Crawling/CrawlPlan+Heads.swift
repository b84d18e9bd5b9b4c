package import Model
import URLs

extension CrawlPlan {
    /// What a response's head makes of a request.
    ///
    /// - Parameter depth: the depth of the resource that was asked for.
    package func verdict(for head: ResponseHead, to request: FetchRequest, depth: Int) -> HeadVerdict {
        let answer = Answer(head, to: request, filename: filename)
        let type = answer.type
        let rejection = rejection(answer)
        if request.purpose == .item { return rejection.map { .rejected($0) } ?? .item }
        if request.isStart {
            let isPage = type.isPage || type.isFeed && !isWanted(answer)
            return isPage ? .page : rejection.map { .rejected($0) } ?? .item
        }
        if let verdict = itemVerdict(answer, rejection) { return verdict }
        if let rejection, answer.promisesDocument { return .rejected(rejection) }
        if type.isPage || request.purpose == .page && type.mayBeFeedOrSitemap(head.url) {
            if request.purpose == .probe { return .unwanted("a page, but \(Self.nofollow)") }
            return followReason(head.url, depth: depth).map { .unwanted("a page, but \($0)") } ?? .page
        }
        return .unwanted("its type \(type.shown) is no page, and no rule of download asks for it")
    }

    /// Whether a start that is no page may be a feed, a sitemap or a list of URLs all the same, which only its content
    /// tells.
    package func mayBeSource(_ head: ResponseHead, to request: FetchRequest) -> Bool {
        let answer = Answer(head, to: request, filename: filename)
        guard request.isStart, !answer.type.isAttachment, !isWanted(answer) else { return false }
        return answer.type.isFeed || answer.type.mayBeFeedOrSitemap(head.url) || answer.type.saysNothing
    }

    /// True when the manifest asks for files like it.
    private func isWanted(_ answer: Answer) -> Bool {
        if case .item? = hasNoCriterion ? nil : itemVerdict(answer, nil) { true } else { false }
    }

    /// The verdict on what the download rules ask for by its type or by the name that it came with; nil for what they
    /// do not.
    private func itemVerdict(_ answer: Answer, _ rejection: Failure?) -> HeadVerdict? {
        let type = answer.type
        let isNamed = hasWantedExtension(answer.head.url) || answer.filename.map(hasWantedExtension) ?? false
        let isWanted =
            hasNoCriterion
            ? !type.isPage : download.types.contains(where: type.contains) || (isNamed && !type.isPage)
        guard isWanted else { return nil }
        // A page that may be followed still is one when its URL is none to download.
        if let reason = itemRefusal(answer.head.url) { return type.isPage ? nil : .unwanted(reason) }
        return rejection.map { .rejected($0) } ?? .item
    }

    /// Why what was asked for as an item is none: a login page is no report, wherever redirects led to it.
    private func rejection(_ answer: Answer) -> Failure? {
        guard let essence = answer.type.essence else { return nil }
        let isRefused =
            if let types = download.rejectTypes {
                types.contains(where: answer.type.contains)
            } else {
                // Servers call files HTML when nobody told them; one that comes under a name is looked at first.
                answer.type.isHTML && !asksForHTML(answer) && !answer.isFileByName
            }
        guard isRefused else { return nil }
        return Failure(
            .typeMismatch,
            "\(answer.head.url.displayed) answered with \(essence), which download.reject-types refuses: often a login or "
                + "error page. Open it in a browser; to keep such files, set download.reject-types: [].")
    }

    /// Why content that proved to be an HTML page, whatever its head says, is no item; nil when it may be one.
    package func refusal(ofPageAs head: ResponseHead, to request: FetchRequest) -> Failure? {
        let answer = Answer(head, to: request, filename: filename)
        if let types = download.rejectTypes {
            guard types.contains(where: { "text/html".contains($0) }) else { return nil }
        } else if asksForHTML(answer) {
            return nil
        }
        return Failure(
            .typeMismatch,
            "\(head.url.displayed) answered with an HTML page that it called \(answer.type.shown): often a login or error "
                + "page. Open it in a browser; to keep such files, set download.reject-types: [].")
    }

    /// True when what a file is by its content may be one of `download.reject-types`.
    package var rejectsByContent: Bool { download.rejectTypes?.isEmpty == false }

    /// Why content of a type is no item, whatever its head says; nil when it may be one.
    ///
    /// - Parameter type: what the content proved to be, in lower case.
    package func refusal(ofContent type: String, as head: ResponseHead) -> Failure? {
        guard let part = download.rejectTypes?.first(where: type.contains) else { return nil }
        return Failure(
            .typeMismatch,
            "\(head.url.displayed) called itself \(ContentType(head).shown), but its content is \(type), which "
                + "download.reject-types refuses (\(part)).")
    }

    /// True when a page is what the manifest, the link or the server's own name for the file says.
    private func asksForHTML(_ answer: Answer) -> Bool {
        if download.extensions.contains(where: htmlExtensions.contains) { return true }
        if download.types.contains(where: { "text/html".contains($0) || "application/xhtml+xml".contains($0) }) {
            return true
        }
        if answer.isNamedHTML { return true }
        return answer.type.isAttachment && answer.filename.map(namesHTML) ?? false && !answer.promisesDocument
    }

    private func hasWantedExtension(_ name: String) -> Bool {
        download.extensions.contains { name.utf8.count > $0.utf8.count + 1 && name.hasSuffix(".\($0)") }
    }
}

/// A response's head, with the names that its resource goes by.
private struct Answer {
    let head: ResponseHead
    let type: ContentType
    /// The name that the server gave, in lower case.
    let filename: String?
    /// The names that link and URL promised, in lower case.
    private let promised: [String]

    init(_ head: ResponseHead, to request: FetchRequest, filename: ([UInt8], String?) -> String?) {
        self.head = head
        type = ContentType(head)
        self.filename = head.headers.bytes("content-disposition").flatMap { filename($0, request.charset) }?
            .lowercased()
        promised = [fileName(of: request.url)] + [request.download?.lowercased()].compactMap { $0 }
    }

    /// Link or URL end like a document or archive, so that a page in its place is none that was linked as a page.
    var promisesDocument: Bool { promised.contains(where: namesDocument) }

    var isNamedHTML: Bool { promised.contains(where: namesHTML) }

    /// The server sends it to be saved under the name of a document.
    var isFileByName: Bool { type.isAttachment && filename.map(namesDocument) ?? false }
}

private let htmlExtensions: Set<String> = ["html", "htm", "xhtml", "xht", "shtml", "mhtml"]

private func namesHTML(_ name: String) -> Bool { htmlExtensions.contains { name.hasSuffix(".\($0)") } }

/// True for a name, in lower case, that ends like that of a document or archive.
private func namesDocument(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return documentExtensions.contains(String(name[name.index(after: dot)...]))
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

    /// A folder's listing by FTP or SFTP.
    var isFolder: Bool { essence == "text/ftp-dir" }

    var isPage: Bool { isHTML && !isAttachment || isFolder }

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
