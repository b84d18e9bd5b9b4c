import Foundation
import Testing
import URLs

private let suites =
    ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"].map { URL(filePath: $0) }
    ?? URL(filePath: #filePath).appending(path: "../../../../shared/suites").standardized
private let suite = suites.appending(path: "url-wpt")

private func rows(_ file: String) -> [[String: Any]] {
    guard let data = try? Data(contentsOf: suite.appending(path: file)) else { return [] }
    return ((try? JSONSerialization.jsonObject(with: data)) as? [Any] ?? []).compactMap { $0 as? [String: Any] }
}

@Suite(.enabled(if: FileManager.default.fileExists(atPath: suite.path), "no suites: set NIGHTJAR_SUITES"))
struct URLSuiteTests {
    @Test func everyURLParsesOrFailsAsBrowsersDo() {
        var seen = 0
        for row in rows("urltestdata.json") {
            guard let input = row["input"] as? String else { continue }
            seen += 1
            let base = (row["base"] as? String).flatMap { WebURL($0) }
            let url = row["base"] is String && base == nil ? nil : WebURL(input, base: base)
            #expect(
                url?.href == row["href"] as? String, "input \(input.debugDescription), base \(row["base"] ?? "none")")
            guard let url, row["href"] is String else { continue }
            let parts = [
                "protocol": url.scheme + ":", "username": url.username, "password": url.password,
                "hostname": url.host ?? "", "port": url.port.map(String.init) ?? "", "pathname": url.path,
                "search": url.query.map { $0.isEmpty ? "" : "?" + $0 } ?? "",
                "hash": url.fragment.map { $0.isEmpty ? "" : "#" + $0 } ?? "",
            ]
            for (name, value) in parts {
                #expect(value == row[name] as? String, "\(name) of \(input.debugDescription)")
            }
            #expect(WebURL(url.href)?.href == url.href, "\(input.debugDescription) does not parse back")
        }
        #expect(seen > 0)
    }

    @Test func everyDomainBecomesASCII() {
        for row in rows("toascii.json") {
            guard let input = row["input"] as? String else { continue }
            #expect(WebURL("https://\(input)/x")?.host == row["output"] as? String, "\(input.debugDescription)")
        }
    }
}
