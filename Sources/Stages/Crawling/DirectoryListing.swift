import Model
import URLs

/// True for a page that a server made of a folder: by its title, as every common server writes one, or by the links
/// that only such pages have.
func isListing(_ page: PageLinks, at url: WebURL) -> Bool {
    if isListingTitle(page.title.lowercased(), url) { return true }
    // They head the table; no need to look at a hundred thousand entries.
    return page.links.prefix(50).contains { link in
        if !link.url.isPlain, isSortLink(link.url, on: url) { return true }
        // The longest of the names is shorter, and there is nothing above but folders.
        let mayBeParent =
            link.text.utf8.count <= 60 && (link.url.href.utf8.last == UInt8(ascii: "/") || !link.url.isPlain)
        return mayBeParent && isParentText(link.text) && isAbove(link.url, url)
    }
}

/// A listing's own place, to tell its entries from the rest, of which it may have a hundred thousand.
struct ListingPlace {
    private let page: WebURL
    private let pageLength: Int
    /// What the URLs of nearly all entries begin with.
    private let prefix: String

    init(_ page: WebURL) {
        self.page = page
        pageLength = page.href.utf8.count
        prefix = page.origin + folder(of: page)
    }

    /// Why a link of the listing leads nowhere new; nil when it leads to an entry.
    func reason(against link: Link) -> String? {
        let length = link.url.href.utf8.count
        if length > prefix.utf8.count, length != pageLength, link.url.isPlain, link.source != "img[src]",
            startsAlike(link.url.href, prefix)
        {
            return nil
        }
        return listingReason(link, on: page)
    }
}

/// `hasPrefix` for text that is ASCII.
private func startsAlike(_ text: String, _ prefix: String) -> Bool {
    let (text, prefix) = (text.utf8.span, prefix.utf8.span)
    guard text.count >= prefix.count else { return false }
    for index in 0..<prefix.count where text[index] != prefix[index] { return false }
    return true
}

private func listingReason(_ link: Link, on page: WebURL) -> String? {
    if isSortLink(link.url, on: page) { return "sorts the listing" }
    if link.source == "img[src]" { return "an icon of the listing" }
    guard link.url.origin == page.origin else { return nil }
    let query = decoded(link.url.query ?? "")
    let isPage = link.url.path == page.path || link.url.path == folder(of: page)
    if isPage, query == decoded(page.query ?? "") { return "the listing itself" }
    return isAbove(link.url, page) ? "the parent folder" : nil
}

// MARK: Titles

private func isListingTitle(_ title: String, _ url: WebURL) -> Bool {
    // IIS writes "host - /path/".
    if let host = url.host, title.hasPrefix("\(host) - /") { return true }
    let beginnings = ["index of", "directory listing", "directory of", "directory:", "listing of", "contents of"]
    guard let beginning = beginnings.first(where: title.hasPrefix) else { return false }
    // "Index of economic freedom" is an article; a folder's name is a path.
    let rest = title.dropFirst(beginning.count)
    return rest.isEmpty || rest.utf8.contains(UInt8(ascii: "/")) || rest.hasPrefix(" for ") || rest == " of"
}

/// What servers call the way up.
private func isParentText(_ text: String) -> Bool {
    let name = text.lowercased().filter { !"[]()<>/.↑⇧ ".contains($0) }
    if name.isEmpty { return text.contains("..") }
    return [
        "parent directory", "to parent directory", "up to parent directory", "parent folder", "go up", "up one level",
    ]
    .contains { $0.filter { $0 != " " } == name }
}

// MARK: Places

/// True for a folder that the page's own lies in, or the same in listings that take their folder from the query.
private func isAbove(_ url: WebURL, _ page: WebURL) -> Bool {
    guard url.origin == page.origin else { return false }
    let path = url.path
    if path == page.path, let own = page.query {
        let query = decoded(url.query ?? "")
        let isTop = query.isEmpty || query.hasSuffix("=") || query.hasSuffix("=.")
        return decoded(own) != query && (isTop || decoded(own).hasPrefix(query + "/"))
    }
    guard url.query == nil, path.utf8.last == UInt8(ascii: "/") else { return false }
    let folder = folder(of: page)
    return folder.utf8.count > path.utf8.count && folder.utf8.starts(with: path.utf8)
}

// MARK: Order

/// The sort links of Apache (`?C=N;O=D`, also with `&`), lighttpd, caddy and others (`?sort=name&order=desc`). A listing
/// that takes its folder from the query keeps what it has there.
func isSortLink(_ url: WebURL, on page: WebURL) -> Bool {
    guard let query = url.query, query.utf8.count < 1000, url.origin == page.origin else { return false }
    // Some have a program of its own for it: `sort.php?by=size&folder=`.
    if fileName(of: url).hasPrefix("sort."), parameters(query).contains(where: isOrder) { return true }
    guard url.path == page.path || url.path == folder(of: page) else { return false }
    let own = Set(parameters(page.query ?? "").filter { !isOrder($0) })
    let others = parameters(query).filter { !own.contains($0) }
    guard (1...4).contains(others.count) else { return false }
    if others.contains(where: isApacheOrder) {
        return others.allSatisfy { isApacheOrder($0) || $0.hasSuffix("=") || $0.hasPrefix("0=") }
    }
    return others.allSatisfy(isOrder)
}

private func parameters(_ query: String) -> [String] {
    query.split { $0 == ";" || $0 == "&" }.map { decoded(String($0)).lowercased() }
}

/// What a query means, however it is encoded, without the slash at its end.
private func decoded(_ query: String) -> String {
    let plain = query.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
    let text = String(decoding: percentDecoded(plain.span), as: UTF8.self)
    return text.hasSuffix("/") ? String(text.dropLast()) : text
}

private func isOrder(_ parameter: String) -> Bool {
    let name = parameter.prefix { $0 != "=" }
    let names = [
        "sort", "order", "sortby", "sort_by", "sortmode", "orderby", "order_by", "by", "layout", "desc", "asc",
    ]
    return names.contains { $0 == name }
}

/// `C=N`, `O=D`; Apache 1.3 wrote `N=D`: the column's initial, then the order's.
private func isApacheOrder(_ parameter: String) -> Bool {
    var bytes = Array(parameter.utf8)
    // The oldest wrote "ND", "MA".
    if bytes.count == 2, bytes[0] != UInt8(ascii: "c"), bytes[0] != UInt8(ascii: "o") {
        bytes.insert(UInt8(ascii: "="), at: 1)
    }
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
