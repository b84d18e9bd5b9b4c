import Model
import URLs

/// True for a page that a server made of a folder: by its title, as every common server writes one.
func isListing(_ page: PageLinks, at url: WebURL) -> Bool {
    let title = page.title.lowercased()
    let beginnings = ["index of", "directory listing", "directory of", "listing of", "contents of"]
    if beginnings.contains(where: title.hasPrefix) { return true }
    // IIS writes "host - /path/".
    if let host = url.host, title.hasPrefix("\(host) - /") { return true }
    // Sort links head the table; no need to look at a hundred thousand entries.
    return page.links.prefix(50).contains { isSortLink($0.url, on: url) }
}

/// Why a link of a listing leads nowhere new; nil when it leads to an entry.
func listingReason(_ link: Link, on page: WebURL) -> String? {
    if isSortLink(link.url, on: page) { return "sorts the listing" }
    if link.source == "img[src]" { return "an icon of the listing" }
    guard link.url.origin == page.origin else { return nil }
    let folder = folder(of: page)
    if link.url.path == page.path || link.url.path == folder { return "the listing itself" }
    if link.url.path.utf8.last == UInt8(ascii: "/"), folder.utf8.starts(with: link.url.path.utf8) {
        return "the parent folder"
    }
    return nil
}

/// The sort links of Apache (`?C=N;O=D`, also with `&`), lighttpd, caddy and others (`?sort=name&order=desc`).
func isSortLink(_ url: WebURL, on page: WebURL) -> Bool {
    guard let query = url.query, url.path == page.path, url.origin == page.origin else { return false }
    let parameters = query.split { $0 == ";" || $0 == "&" }.map { $0.lowercased() }
    guard !parameters.isEmpty, parameters.count <= 3 else { return false }
    let others =
        parameters.contains { $0.hasPrefix("sort=") }
        && parameters.allSatisfy { $0.hasPrefix("sort=") || $0.hasPrefix("order=") }
    return others || parameters.allSatisfy(isApacheOrder)
}

/// `C=N`, `O=D`; Apache 1.3 wrote `N=D`: the column's initial, then the order's.
private func isApacheOrder(_ parameter: String) -> Bool {
    let bytes = Array(parameter.utf8)
    guard bytes.count == 3, bytes[1] == UInt8(ascii: "=") else { return false }
    switch bytes[0] {
    case UInt8(ascii: "c"): return "nmsd".utf8.contains(bytes[2])
    case UInt8(ascii: "o"), UInt8(ascii: "n"), UInt8(ascii: "m"), UInt8(ascii: "s"), UInt8(ascii: "d"):
        return "ad".utf8.contains(bytes[2])
    default: return false
    }
}

/// The path up to its last slash.
func folder(of url: WebURL) -> String {
    let path = url.path
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
    return String(path[...slash])
}
