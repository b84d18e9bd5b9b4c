package import Model
package import URLs

/// What the download rules say of a link before anything was fetched.
enum Selection {
    case none
    /// Its type decides.
    case ask
    case item
}

extension Link {
    /// True for what a page shows as part of itself, which is no page of its own.
    var embeds: Bool { embeddedSources.contains(source) || source.hasSuffix("[style]") }

    /// True for a URL that ends like a file which browsers save, show or play, so that no page is behind it.
    var looksLikeFile: Bool {
        let name = fileName(of: url)
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return false }
        return fileExtensions.contains(String(name[name.utf8.index(after: dot)...]))
    }
}

private let embeddedSources: Set<String> = [
    "img[src]", "img[srcset]", "source[src]", "source[srcset]", "video[src]", "audio[src]", "track[src]", "embed[src]",
    "object[data]", "style[url]", "enclosure[url]", "link[enclosure]", "media:content[url]", "media:thumbnail[url]",
    "media:player[url]", "itunes:image[href]", "url", "icon", "logo", "attachments.url", "items.image",
    "items.banner_image", "image:loc", "video:content_loc", "video:thumbnail_loc", "video:player_loc",
]

private let fileExtensions: Set<String> = [
    "7z", "apk", "avi", "avif", "bin", "bmp", "bz2", "csv", "deb", "dmg", "doc", "docx", "epub", "exe", "flac", "gif",
    "gz", "ico", "img", "iso", "jar", "jpeg", "jpg", "m4a", "m4v", "mkv", "mov", "mp3", "mp4", "mpeg", "mpg", "msi",
    "odp", "ods", "odt", "ogg", "ogv", "otf", "pdf", "pkg", "png", "ppt", "pptx", "ps", "rar", "rpm", "rtf", "svg",
    "tar", "tgz", "tif", "tiff", "ttf", "wav", "webm", "webp", "whl", "wmv", "woff", "woff2", "xls", "xlsx", "xz",
    "zip", "zst",
]

extension CrawlPlan {
    /// Nothing says what is wanted, so everything linked that is no page is.
    var hasNoCriterion: Bool {
        download.types.isEmpty && download.extensions.isEmpty && download.schemes.isEmpty
            && download.filter.include.isEmpty
    }

    func selection(of link: Link) -> Selection {
        if link.isMarked || link.download != nil { return .item }
        if hasNoCriterion { return .ask }
        guard isIncluded(link.url) else { return .none }
        if hasWantedExtension(link.url) { return .item }
        if !download.types.isEmpty { return .ask }
        return download.extensions.isEmpty && !download.filter.include.isEmpty ? .item : .none
    }

    /// Why a URL that the download rules select is not taken all the same.
    func itemRefusal(_ url: WebURL) -> String? {
        if let pattern = download.filter.exclude.first(where: { $0.matches(url) }) {
            return "excluded by download.exclude \(pattern.source)"
        }
        if !isIncluded(url) { return "matches no pattern of download.include" }
        return itemScope.reason(against: url).map { "out of download.scope \(download.scope.rawValue): \($0)" }
    }

    /// Why a URL is not read for links; nil when it is.
    ///
    /// - Parameter depth: its own.
    func followReason(_ url: WebURL, depth: Int) -> String? {
        if let reason = pageScope.reason(against: url) { return "out of scope: \(reason)" }
        if depth > crawl.depth { return "deeper than crawl.depth \(crawl.depth)" }
        if let pattern = crawl.follow.exclude.first(where: { $0.matches(url) }) {
            return "excluded by crawl.follow.exclude \(pattern.source)"
        }
        if !crawl.follow.include.isEmpty, !crawl.follow.include.contains(where: { $0.matches(url) }) {
            return "matches no pattern of crawl.follow.include"
        }
        return nil
    }

    /// Why a link that is no download cannot be a page either; nil when it may be one.
    func notAPageReason(_ link: Link) -> String? {
        if link.embeds { return "\(link.source) is part of a page, and no rule of download asks for it" }
        guard link.looksLikeFile else { return nil }
        return isIncluded(link.url)
            ? "a file, and no rule of download asks for it" : "a file that matches no pattern of download.include"
    }

    /// Why a URL is downloaded: the first rule that asks for it.
    ///
    /// - Parameters:
    ///   - attribute: the link's `download` attribute.
    ///   - type: the response's Content-Type, where one came.
    package func inclusion(of url: WebURL, attribute: String?, type: String?) -> String {
        if attribute != nil { return "a link with a download attribute" }
        if hasNoCriterion { return "linked, and no page" }
        if hasWantedExtension(url) { return "download.extensions" }
        if let type = type?.lowercased(), let part = download.types.first(where: type.contains) {
            return "download.types: \(part)"
        }
        if let pattern = download.filter.include.first(where: { $0.matches(url) }) {
            return "download.include \(pattern.source)"
        }
        return download.schemes.isEmpty ? "the server's name for it" : "download.schemes"
    }

    /// What a page refers to that is no link to follow, where the extractor kept it, as left out.
    package func omissions(on page: PageLinks, depth: Int) -> [Discovery] {
        page.omitted.enumerated().compactMap { index, reference in
            guard let url = reference.url.flatMap({ WebURL($0) }) else { return nil }
            return Discovery(
                link: Link(url: url, source: reference.source), verdict: .skip(reference.reason), depth: depth + 1,
                position: page.links.count + index)
        }
    }

    /// Why a URL looks as if it had no end; nil when it does not.
    func trapReason(_ url: WebURL) -> String? {
        if url.href.utf8.count > Self.longestURL { return "a URL longer than \(Self.longestURL) bytes" }
        let segments = url.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        guard segments.count > Self.mostRepeatedSegments else { return nil }
        var counts: [String: Int] = [:]
        for segment in segments {
            let count = counts[String(segment) ?? "", default: 0] + 1
            if count > Self.mostRepeatedSegments {
                return "its path repeats one segment more than \(Self.mostRepeatedSegments) times, as a trap does"
            }
            counts[String(segment) ?? ""] = count
        }
        return nil
    }

    private func isIncluded(_ url: WebURL) -> Bool {
        download.filter.include.isEmpty || download.filter.include.contains { $0.matches(url) }
    }

    func hasWantedExtension(_ url: WebURL) -> Bool {
        if download.extensions.isEmpty { return false }
        let name = fileName(of: url)
        return download.extensions.contains { name.utf8.count > $0.utf8.count + 1 && name.hasSuffix(".\($0)") }
    }
}

/// The last segment of a URL's path, in lower case.
func fileName(of url: WebURL) -> String {
    let path = url.path
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path.lowercased() }
    return path[path.utf8.index(after: slash)...].lowercased()
}
