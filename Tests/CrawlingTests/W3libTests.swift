import Crawling
import Foundation
import Model
import Testing
import URLs

private let suites =
    ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"].map { URL(filePath: $0) }
    ?? URL(filePath: #filePath).appending(path: "../../../../shared/suites").standardized

private let table = suites.appending(path: "w3lib/w3lib.json")

/// What w3lib's own tests expect of addresses, bases, refreshes, entities and comments. A row either is compared or has a
/// reason not to be; of those compared at most one in fifty may differ.
struct W3libTests {
    private enum Judgement {
        case same
        case different(String)
        /// Not a thing that Nightjar does, or one where a standard that it follows says otherwise.
        case notOurs(String)
    }

    private struct Row {
        let function: String
        /// Text, or bytes.
        let arguments: [Any]
        let options: [String: Any]
        /// Nil where w3lib raised an error.
        let result: Any?

        init(_ row: [String: Any]) {
            function = row["fn"] as? String ?? ""
            arguments = row["args"] as? [Any] ?? []
            options = row["kw"] as? [String: Any] ?? [:]
            result = row["error"] == nil ? row["result"] : nil
        }

        func text(_ index: Int) -> String? { index < arguments.count ? arguments[index] as? String : nil }

        /// An argument's bytes: as they were given, or text in UTF-8.
        var bytes: [UInt8]? {
            if let bytes = (arguments.first as? [String: String])?["latin1"] {
                return bytes.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            }
            return text(0).map { Array($0.utf8) }
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: table.path), "no suite w3lib"))
    func everyRowThatIsOurs() throws {
        let root = try JSONSerialization.jsonObject(with: Data(contentsOf: table)) as? [String: Any]
        var compared = 0
        var wrong: [String] = []
        var others: [String: Int] = [:]
        for row in (root?["cases"] as? [[String: Any]] ?? []).map(Row.init) {
            switch judge(row) {
            case .same: compared += 1
            case .different(let found):
                compared += 1
                wrong.append(
                    "\(row.function) \(row.arguments) \(row.options): \(found), not \(row.result ?? "an error")")
            case .notOurs(let reason): others[reason, default: 0] += 1
            }
        }
        #expect(compared > 400 && wrong.count * 50 <= compared, "\(wrong.count) of \(compared), others \(others)")
        #expect(wrong.count <= 8, "\(wrong.joined(separator: "\n"))")
    }

    private func judge(_ row: Row) -> Judgement {
        switch row.function {
        case "safe_url_string", "safe_download_url", "canonicalize_url": address(row)
        case "get_base_url", "get_meta_refresh": page(row)
        case "replace_entities", "remove_comments": text(row)
        case "is_url":
            judgement(
                row.text(0).flatMap { WebURL($0) }.map { ["http", "https", "file"].contains($0.scheme) } ?? false, row)
        case "parse_data_uri", "file_uri_to_path", "path_to_file_uri", "any_to_uri":
            .notOurs("data: and file: are never fetched")
        case "unquote_markup": .notOurs("of XML only links are kept, not texts")
        default: .notOurs("nothing edits single parameters of a URL")
        }
    }

    private func judgement(_ found: Bool, _ row: Row) -> Judgement {
        found == row.result as? Bool ? .same : .different("\(found)")
    }

    // MARK: Addresses

    private func address(_ row: Row) -> Judgement {
        guard row.options["path_encoding"] == nil, row.options["quote_path"] == nil else {
            return .notOurs("a path is UTF-8 and percent-encoded, by the URL standard")
        }
        guard row.options["keep_blank_values"] as? Bool != false else { return .notOurs("no parameter is dropped") }
        guard let bytes = row.bytes else { return .notOurs("the argument is no text") }
        let found: WebURL?
        if let encoding = row.options["encoding"] as? String ?? row.text(1), encoding.lowercased() != "utf-8" {
            guard !encoding.hasPrefix("utf-16") else { return .notOurs("queries of UTF-16 pages are UTF-8") }
            guard let url = linked(bytes, row, encoding) else { return .notOurs("text that is not in its encoding") }
            found = url
        } else {
            guard String(validating: bytes, as: UTF8.self) != nil else {
                return .notOurs("bytes that are no UTF-8 are U+FFFD by the URL standard")
            }
            found = WebURL(utf8: bytes)
        }
        guard let expected = row.result as? String else {
            return found == nil ? .same : .different("\(found?.href ?? "")")
        }
        // w3lib leaves hostless and relative input as it is.
        guard let wanted = WebURL(expected) else { return found == nil ? .same : .different(found?.href ?? "") }
        let sorted = row.function == "canonicalize_url"
        if let found, sense(found, sorted: sorted) == sense(wanted, sorted: sorted) { return .same }
        return .different(found?.href ?? "a failure")
    }

    /// What a link to the address on a page in that encoding leads to; nil where the text is not in it.
    private func linked(_ bytes: [UInt8], _ row: Row, _ encoding: String) -> WebURL? {
        guard let coded = row.arguments.first is String ? coded(bytes, encoding) : bytes else { return nil }
        let escaped = coded.flatMap { $0 == UInt8(ascii: "&") ? Array("&amp;".utf8) : [$0] }
        return extracted(Array("<a href=\"".utf8) + escaped + Array("\">".utf8), encoding).links.first?.url
    }

    private func coded(_ utf8: [UInt8], _ encoding: String) -> [UInt8]? {
        let encodings: [String: String.Encoding] = [
            "latin-1": .isoLatin1, "latin1": .isoLatin1, "iso-8859-1": .isoLatin1, "cp1251": .windowsCP1251,
            "cp1252": .windowsCP1252, "utf-8": .utf8,
        ]
        let text = String(decoding: utf8, as: UTF8.self)
        return encodings[encoding].flatMap { text.data(using: $0) }.map { Array($0) }
    }

    private func extracted(_ html: [UInt8], _ encoding: String?, at address: String = Self.nowhere) -> PageLinks {
        let label = (encoding ?? "utf-8").replacing("latin-1", with: "latin1").replacing(
            "iso2022_jp", with: "iso-2022-jp")
        return LinkExtractor().links(
            in: html, url: WebURL(address) ?? url(Self.nowhere), contentType: "text/html; charset=\(label)")
    }

    /// Where a page lies that w3lib gives no address.
    private static let nowhere = "http://page.invalid/"

    // MARK: Pages

    private func page(_ row: Row) -> Judgement {
        guard row.options["max_scan"] == nil, row.options["ignore_tags"] == nil else {
            return .notOurs("a page is read whole, and as browsers read it")
        }
        guard let bytes = row.bytes else { return .notOurs("the argument is no text") }
        let text = String(decoding: bytes, as: UTF8.self)
        if text.contains("<noscript") { return .notOurs("with scripting off the content of noscript counts") }
        let encoding = row.text(2) ?? row.options["encoding"] as? String
        if encoding == "utf-16" || bytes.starts(with: [0xFF, 0xFE]) {
            return .notOurs("queries of UTF-16 pages are UTF-8")
        }
        if encoding == "not-an-encoding" { return .notOurs("an encoding that nobody knows is passed over") }
        var html = bytes
        if let encoding, row.arguments.first is String {
            guard let coded = coded(bytes, encoding) else { return .notOurs("text that is not in its encoding") }
            html = coded
        }
        let address = row.text(1) ?? Self.nowhere
        let page = extracted(html, encoding, at: address)
        if row.function == "get_base_url" {
            guard let result = row.result as? String else { return .notOurs("no error is raised") }
            let expected = result.isEmpty ? Self.nowhere : result
            return page.base.href == WebURL(expected, base: WebURL(address))?.href ? .same : .different(page.base.href)
        }
        let expected = (row.result as? [Any])?.last as? String
        let found = page.links.first { $0.source == "meta[refresh]" }?.url.href
        return found == expected.flatMap { WebURL($0, base: WebURL(address))?.href }
            ? .same : .different(found ?? "none")
    }

    /// Entities and comments, as the text of a link has them.
    private func text(_ row: Row) -> Judgement {
        guard row.options["keep"] == nil, row.options["remove_illegal"] == nil else {
            return .notOurs("every character reference is decoded")
        }
        guard let bytes = row.bytes, let result = row.result as? String else { return .notOurs("no text") }
        let encoding = row.arguments.first is String ? "utf-8" : row.options["encoding"] as? String ?? "utf-8"
        let page = extracted(Array("<a href=x>".utf8) + bytes + Array("</a>".utf8), encoding)
        let found = page.links.first?.text ?? ""
        let expected = result.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(200)
        return found == expected ? .same : .different(found)
    }

    /// The resource that a URL stands for, however its characters are escaped; w3lib drops empty queries.
    private func sense(_ url: WebURL, sorted: Bool) -> [String] {
        func plain(_ text: String) -> String {
            let spaced = sorted ? text.replacing("+", with: " ") : text
            let bytes = spaced.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
            var out = Array(bytes[0])
            for piece in bytes.dropFirst() {
                let digits = String(Substring(piece.prefix(2)))
                if digits.utf8.count == 2, let byte = UInt8(digits, radix: 16) {
                    out.append(byte)
                    out += piece.dropFirst(2)
                } else {
                    out.append(UInt8(ascii: "%"))
                    out += piece
                }
            }
            return out.map { String($0, radix: 16) }.joined(separator: ".")
        }
        var parameters = (url.query ?? "").split(whereSeparator: { sorted && ($0 == "&" || $0 == ";") }).map(
            String.init)
        if sorted {
            parameters = parameters.map { $0.hasSuffix("=") ? String($0.dropLast()) : $0 }
            parameters.sort()
        }
        let fragment = sorted ? "" : url.fragment ?? ""
        return [
            url.scheme, plain(url.username), plain(url.password), url.host ?? "", "\(url.port ?? 0)", plain(url.path),
            parameters.map(plain).joined(separator: "&"), plain(fragment),
        ]
    }
}
