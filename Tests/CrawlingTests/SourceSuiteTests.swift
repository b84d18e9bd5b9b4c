import Crawling
import Foundation
import HTML
import Model
import Testing
import URLs

private let suites =
    ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"].map { URL(filePath: $0) }
    ?? URL(filePath: #filePath).appending(path: "../../../../shared/suites").standardized

private func json(_ path: String) -> Any? {
    (try? Data(contentsOf: suites.appending(path: path))).flatMap { try? JSONSerialization.jsonObject(with: $0) }
}

private func exists(_ suite: String) -> Bool {
    FileManager.default.fileExists(atPath: suites.appending(path: suite).path)
}

private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: suites.appending(path: path))) }

/// Public tables of feeds, sitemaps, listings and Link fields. At most one row in fifty may differ, each suite by
/// itself; those that do are printed.
struct SourceSuiteTests {
    @Test(.enabled(if: exists("feeds-feedparser"), "no suite feeds-feedparser"))
    func feeds() throws {
        var seen = 0
        var wrong: [String] = []
        for row in try #require(json("feeds-feedparser/index.json") as? [[String: Any]]) {
            guard let file = row["file"] as? String else { continue }
            let expected = addresses(in: row["expect_python"] as? String ?? "")
            var headers = HeaderFields()
            for (_, field) in row["http_headers_in_comment"] as? [String: String] ?? [:] {
                let parts = field.split(separator: ":", maxSplits: 1)
                if parts.count == 2 {
                    headers.append(
                        name: String(parts[0]), value: Array(parts[1].trimmingCharacters(in: .whitespaces).utf8))
                }
            }
            var extractor = LinkExtractor()
            extractor.keepsOmitted = true
            let address = url("http://127.0.0.1:8097/\(file)")
            let page = extractor.links(
                in: try bytes("feeds-feedparser/\(file)"), url: address, contentType: "application/xml",
                headers: headers)
            if expected.isEmpty { continue }
            seen += 1
            let found = Set(page.findings(at: address).map(\.url))
            let missing = expected.filter { !found.contains(WebURL($0)?.href ?? $0) }
            if !missing.isEmpty { wrong.append("\(file): \(missing) not in \(found)") }
        }
        #expect(seen > 0 && wrong.count * 50 <= seen, "\(wrong.count) of \(seen)\n\(wrong.joined(separator: "\n"))")
    }

    /// The absolute addresses that an expectation names as link, href or url, in a value or in HTML.
    private func addresses(in expectation: String) -> [String] {
        let patterns = [
            #/'(?:href|url|link)'\]? ?(?:==|:) ?'(https?:[^']+)'/#, #/\.link == '(https?:[^']+)'/#,
            #/href="(https?:[^"]+)"/#,
        ]
        return patterns.flatMap { pattern in
            expectation.matches(of: pattern).map {
                String($0.output.1).replacing("&amp;", with: "&").replacing(#"\u00c0"#, with: "À")
            }
        }.map { $0.replacing("&quot;", with: "\"") }
    }

    @Test(.enabled(if: exists("scrapy-samples"), "no suite scrapy-samples"))
    func sitemaps() throws {
        let suite = try #require(json("scrapy-samples/sitemaps.json") as? [String: Any])
        for row in try #require(suite["sitemaps"] as? [[String: Any]]) {
            let items = row["items"] as? [[String: Any]] ?? []
            let expected = items.flatMap { item in
                [item["loc"] as? String].compactMap { $0?.trimmingCharacters(in: .whitespaces) }
                    + (item["alternate"] as? [String] ?? [])
            }
            let xml = row["xml"] as? String ?? ""
            let page = LinkExtractor().links(in: Array(xml.utf8), url: url("http://h/s.xml"), contentType: "text/xml")
            #expect(page.links.map(\.url.href) == expected, "\(row["test"] ?? "")")
        }
        for row in try #require(suite["robots_sitemaps"] as? [[String: Any]]) {
            let robots = row["robots"] as? String ?? ""
            let page = LinkExtractor().links(
                in: Array(robots.utf8), url: url("http://example.com/robots.txt"), contentType: "text/plain")
            #expect(page.links.map(\.url.href) == row["sitemaps"] as? [String])
        }
    }

    @Test(.enabled(if: exists("scrapy-samples"), "no suite scrapy-samples"))
    func linksOfPages() throws {
        let suite = try #require(json("scrapy-samples/linkextractor.json") as? [String: Any])
        var wrong: [String] = []
        var seen = 0
        var others: [String] = []
        for row in try #require(suite["cases"] as? [[String: Any]]) {
            let arguments = (row["extractor_args"] as? [Any])?.last as? [String: Any] ?? [:]
            // No key of a manifest looks at a link's text, and none makes links of no attribute.
            if arguments["restrict_text"] != nil || arguments["attrs"] is NSNull {
                others.append("\(arguments)")
                continue
            }
            guard let text = row["body_latin1"] as? String, let address = row["url"] as? String,
                let encoding = row["encoding"] as? String
            else { continue }
            let page = extractor(arguments).links(
                in: text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }, url: url(address),
                contentType: "text/html; charset=\(encoding.replacing("iso8859", with: "iso-8859"))")
            let expected = Set(
                (row["links"] as? [[String: Any]] ?? []).compactMap { link in
                    (link["url"] as? String).map { identity($0, arguments) }
                })
            let found = Set(page.links.filter { isTaken($0, arguments) }.map { identity($0.url.href, arguments) })
            seen += 1
            if found != expected {
                wrong.append("\(row["test"] ?? "") \(arguments): \(found.symmetricDifference(expected))")
            }
        }
        #expect(
            seen > 40 && others.count <= 4 && wrong.count * 50 <= seen, "\(others)\n\(wrong.joined(separator: "\n"))")
    }

    private func list(_ value: Any?) -> [String] { value as? [String] ?? (value as? String).map { [$0] } ?? [] }

    /// What a manifest says for the arguments of Scrapy's extractor.
    private func extractor(_ arguments: [String: Any]) -> LinkExtractor {
        var extractor = LinkExtractor()
        let paths = list(arguments["restrict_xpaths"]).map { path in
            path.replacing("//", with: "").replacing("@", with: "")
        }
        let selectors = paths + list(arguments["restrict_css"])
        extractor.select = selectors.isEmpty ? nil : try? Selector(selectors.joined(separator: ", "))
        let named = list(arguments["attrs"])
        if arguments["tags"] != nil {
            extractor.attributes = named == ["*"] ? ["href", "data-url"] : named.isEmpty ? ["href"] : named
        }
        return extractor
    }

    /// Whether a link is one of those that the arguments ask for: by its source, as attributes and selectors say, and by
    /// its URL, as `include`, `exclude` and the scope of a job say.
    private func isTaken(_ link: Link, _ arguments: [String: Any]) -> Bool {
        let parts = link.source.split(separator: "[")
        let element = String(parts.first ?? "")
        let attribute = String(parts.last?.dropLast() ?? "")
        let elements = arguments["tags"].map(list) ?? ["a", "area"]
        let attributes = arguments["attrs"].map(list) ?? ["href"]
        guard elements == ["*"] || elements.contains(element), attributes == ["*"] || attributes.contains(attribute),
            !list(arguments["deny_tags"]).contains(element), !list(arguments["deny_attrs"]).contains(attribute)
        else { return false }
        func matches(_ key: String) -> Bool {
            list(arguments[key]).contains { (try? URLPattern("/\($0)/"))?.matches(link.url) == true }
        }
        if arguments["allow"] != nil, !matches("allow") { return false }
        if matches("deny") { return false }
        let domain = link.url.registrableDomain(PublicSuffixes()) ?? ""
        if arguments["allow_domains"] != nil, !list(arguments["allow_domains"]).contains(domain) { return false }
        if list(arguments["deny_domains"]).contains(domain) { return false }
        // Scrapy leaves out files by their extension unless told which.
        let extensions = arguments["deny_extensions"].map(list) ?? ["jpg"]
        return !extensions.contains { link.url.path.hasSuffix(".\($0)") }
    }

    /// The URL, or what Scrapy takes for the same resource: no fragment, parameters in order.
    private func identity(_ address: String, _ arguments: [String: Any]) -> String {
        guard arguments["canonicalize"] as? Bool == true else { return WebURL(address)?.href ?? address }
        let plain = WebURL(address)?.withoutFragment.href ?? address
        let parts = plain.split(separator: "?", maxSplits: 1)
        return parts.count < 2 ? plain : parts[0] + "?" + parts[1].split(separator: "&").sorted().joined(separator: "&")
    }

    @Test(.enabled(if: exists("link-header"), "no suite link-header"))
    func linkFields() throws {
        let suite = try #require(json("link-header/link.json") as? [String: [[String: Any]]])
        var wrong: [String] = []
        var seen = 0
        for row in suite["httplint"] ?? [] {
            let inputs = row["inputs"] as? [String] ?? []
            let found = inputs.flatMap { linkHeaderValues(Array($0.utf8)) }
            let expected = (row["expected"] as? [[Any]] ?? []).map { item in
                "\(item.first as? String ?? "") \(sorted(item.last as? [String: String] ?? [:]))"
            }
            seen += 1
            if found.map(shown) != expected { wrong.append("\(inputs): \(found.map(shown)), \(expected)") }
        }
        for row in suite["requests"] ?? [] {
            let found = linkHeaderValues(Array((row["value"] as? String ?? "").utf8))
            let expected = (row["expected"] as? [[String: String]] ?? []).map { item in
                "\(item["url"] ?? "") \(sorted(item.filter { $0.key != "url" }))"
            }
            seen += 1
            if found.map(shown) != expected { wrong.append("\(row["value"] ?? ""): \(found.map(shown)), \(expected)") }
        }
        #expect(seen > 0 && wrong.count * 50 <= seen, "\(wrong.count) of \(seen)\n\(wrong.joined(separator: "\n"))")
    }

    private func shown(_ value: LinkHeaderValue) -> String {
        let parameters = Dictionary(value.parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { one, _ in one })
        return "\(String(decoding: value.target, as: UTF8.self)) \(sorted(parameters))"
    }

    private func sorted(_ parameters: [String: String]) -> String {
        parameters.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ";")
    }

    /// Pages that differ, and why; the test counts them as wrong.
    private static let odd: [String: String] = [
        "DirectoryListing118a": "folders stand in data-href, which only crawl.attributes makes a link",
        "DirectoryListing118b": "folders stand in data-href, which only crawl.attributes makes a link",
    ]

    @Test(.enabled(if: exists("dirlistings-odd"), "no suite dirlistings-odd"))
    func listings() throws {
        var wrong: [String: String] = [:]
        let rows = try #require(json("dirlistings-odd/expected.json") as? [String: [String: Any]])
        for (name, row) in rows {
            guard let file = row["file"] as? String, let checks = row["checks"] as? [[Any]] else { continue }
            let address = url((row["origin_url"] as? String ?? "").replacing(" ", with: "%20"))
            let page = LinkExtractor().links(
                in: try bytes("dirlistings-odd/\(file)"), url: address, contentType: "text/html")
            let followed = page.findings(at: address).filter { $0.skip == nil }.map(\.url)
            let decoded = followed.flatMap { [plain($0), coded($0)] }
            for check in checks {
                guard let path = check.first as? String, let entry = check.last as? String else { continue }
                let isName = path.hasSuffix("FileName") || path.hasPrefix("Subdirectories") && path.hasSuffix(".Name")
                if isName, !decoded.contains(where: { $0.contains(plain(entry)) }) { wrong[name] = "no \(entry)" }
            }
            let sorting = followed.filter { $0.firstMatch(of: #/[?&;](C=[NMSD][;&]O=[AD]|[NMSD]=[AD])$/#) != nil }
            if page.isListing, !sorting.isEmpty { wrong[name] = "\(sorting)" }
        }
        #expect(rows.count > 100 && wrong.count * 50 <= rows.count, "\(wrong.count) of \(rows.count)")
        #expect(Set(wrong.keys) == Set(Self.odd.keys), "\(wrong)")
    }

    /// What one kind of server writes in base64 at an address's end.
    private func coded(_ address: String) -> String {
        let value = address.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
        return plain(
            Data(base64Encoded: value.removingPercentEncoding ?? "").map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    /// What a reader sees in an address, however it is encoded.
    private func plain(_ text: String) -> String {
        let once = text.replacing("+", with: " ").removingPercentEncoding ?? text
        return (once.removingPercentEncoding ?? once).replacing("+", with: " ").lowercased()
    }

    @Test(.enabled(if: exists("fuzz-seeds-wget2"), "no suite fuzz-seeds-wget2"))
    func seedsOfFuzzersDoNoHarm() throws {
        for folder in ["atom_url", "sitemap_url", "robots_parse", "html_url"] {
            let path = suites.appending(path: "fuzz-seeds-wget2/\(folder)")
            for file in try FileManager.default.contentsOfDirectory(atPath: path.path) {
                let body = [UInt8](try Data(contentsOf: path.appending(path: file)))
                let time = ContinuousClock().measure {
                    for prefix in ["", "<rss>", "<urlset>", "<feed>"] {
                        _ = LinkExtractor().links(
                            in: Array(prefix.utf8) + body, url: url("http://h/robots.txt"), contentType: "text/xml")
                    }
                }
                #expect(time < .seconds(5), "\(file)")
            }
        }
    }
}
