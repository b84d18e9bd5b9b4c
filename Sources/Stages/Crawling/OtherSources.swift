import JSON
import Model
import URLs

/// The links of a JSON Feed (jsonfeed.org, versions 1 and 1.1).
func collectJSONFeed(_ body: [UInt8], into sink: inout LinkSink, extractor: LinkExtractor) {
    guard let feed = try? JSONValue(parsing: body) else { return }
    func add(_ value: JSONValue?, _ source: String) {
        if let bytes = value?.bytes, !bytes.isEmpty { sink.add(bytes, source: source) }
    }
    add(feed["home_page_url"], "home_page_url")
    if let own = feed["feed_url"]?.bytes { sink.omit(own, source: "feed_url", reason: "the feed itself") }
    for item in feed["items"]?.elements ?? [] {
        for member in ["url", "external_url", "image", "banner_image"] { add(item[member], "items.\(member)") }
        for attachment in item["attachments"]?.elements ?? [] { add(attachment["url"], "attachments.url") }
        if let html = item["content_html"]?.bytes {
            var collector = LinkCollector(utf8: html, base: sink.page.base, extractor: extractor)
            collector.run()
            sink.append(collector.page)
        }
    }
    if let next = feed["next_url"]?.bytes, !next.isEmpty { sink.addNext(next, source: "next_url") }
}

/// The URLs of a list, one a line; `#` begins a comment (RFC 2483, section 5).
func collectURLList(_ body: [UInt8], into sink: inout LinkSink) {
    for line in body.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
        let reference = trimmed(line)
        if reference.isEmpty || reference.first == UInt8(ascii: "#") { continue }
        if reference.contains(where: isHTMLSpace) {
            sink.omit(Array(reference), source: "line", reason: "not a URL")
        } else {
            sink.add(Array(reference), source: "line")
        }
    }
}

/// The sitemaps that a robots.txt names.
func collectSitemaps(_ body: [UInt8], into sink: inout LinkSink) {
    for sitemap in RobotsRules(parsing: body).sitemaps {
        sink.addSource(Array(sitemap.utf8), source: "robots[sitemap]")
    }
}
