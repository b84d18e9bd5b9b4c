import Crawling
import Foundation
import Model
import Testing
import URLs
import Unicode

private let suites =
    ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"].map { URL(filePath: $0) }
    ?? URL(filePath: #filePath).appending(path: "../../../../shared/suites").standardized

private func rows(_ file: String) -> [[String: Any]] {
    guard let data = try? Data(contentsOf: suites.appending(path: file)) else { return [] }
    let root = try? JSONSerialization.jsonObject(with: data)
    let list = root as? [Any] ?? (root as? [String: Any])?.values.compactMap { $0 as? [Any] }.first ?? []
    return list.compactMap { $0 as? [String: Any] }
}

private func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: suites.appending(path: name).path)
}

/// The public tables of what is a link. At most one row in fifty may differ; those that do are printed.
struct LinkSuiteTests {
    @Test(.enabled(if: exists("srcset-wpt"), "no suite srcset-wpt"))
    func setsOfImages() {
        var wrong: [String] = []
        let all = rows("srcset-wpt/srcset.json")
        for row in all {
            guard let srcset = row["srcset"] as? String, let expected = row["expect"] as? String else { continue }
            let escaped = srcset.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
                .replacing("\r", with: "&#13;")
            let address = "http://127.0.0.1/"
            let html = "<img srcset=\"\(escaped.replacing("data:,", with: address))\">"
            let found = links(html, at: "http://h.example/").first?.split(separator: " ").last.map(String.init) ?? ""
            let wanted =
                expected.isEmpty ? "" : resolved(expected.replacing("data:,", with: address), "http://h.example/")
            if found != wanted { wrong.append("\(srcset.debugDescription): \(found), not \(wanted)") }
        }
        #expect(!all.isEmpty && wrong.count * 50 <= all.count, "\(wrong.joined(separator: "\n"))")
    }

    @Test(.enabled(if: exists("html5lib-tests"), "no suite html5lib-tests"))
    func treesAreTheOracleOfLinks() throws {
        var seen = 0
        var wrong: [String] = []
        let folder = suites.appending(path: "html5lib-tests/tree-construction")
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        where file.hasSuffix(".dat") {
            let text = String(decoding: try Data(contentsOf: folder.appending(path: file)), as: UTF8.self)
            for test in ("\n" + text).components(separatedBy: "\n#data\n").dropFirst() {
                // A fragment's tree depends on an element outside; scripts are not run.
                if test.contains("\n#document-fragment\n") || test.contains("\n#script-on\n") { continue }
                let data = test.components(separatedBy: "\n#errors").first ?? ""
                let tree = test.components(separatedBy: "\n#document\n").dropFirst().first ?? ""
                seen += 1
                let found = Set(links(data, at: "http://h.example/"))
                let expected = linksOfTree(tree)
                if found != expected { wrong.append("\(file): \(data.debugDescription) \(found) \(expected)") }
            }
        }
        #expect(seen > 500 && wrong.count * 50 <= seen, "\(wrong.joined(separator: "\n"))")
    }

    /// The links of a tree as the suite dumps it.
    private func linksOfTree(_ tree: String) -> Set<String> {
        let attributes = [
            "a": ["href"], "area": ["href"], "img": ["src"], "iframe": ["src"], "embed": ["src"], "object": ["data"],
            "video": ["src"], "audio": ["src"], "source": ["src"], "track": ["src"], "frame": ["src"],
        ]
        var found: Set<String> = []
        var element = ""
        for line in tree.components(separatedBy: "\n") where line.hasPrefix("| ") {
            let text = line.dropFirst(2).drop { $0 == " " }
            if text.hasPrefix("<"), text.hasSuffix(">") {
                element = String(text.dropFirst().dropLast().replacing("svg ", with: ""))
            } else if let equals = text.firstRange(of: "=\""), text.hasSuffix("\"") {
                let name = String(text[..<equals.lowerBound])
                guard attributes[element]?.contains(name) == true else { continue }
                let value = String(text[equals.upperBound...].dropLast())
                if let url = WebURL(value, base: WebURL("http://h.example/")), !url.hasOpaquePath {
                    found.insert("\(element)[\(name)] \(url.href)")
                }
            }
        }
        return found
    }

    @Test(.enabled(if: exists("html5lib-tests"), "no suite html5lib-tests"))
    func encodingsAreSniffed() throws {
        var seen = 0
        var wrong: [String] = []
        for file in ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"] {
            let data = try Data(contentsOf: suites.appending(path: "html5lib-tests/encoding/\(file)"))
            let text = String(data: data, encoding: .isoLatin1) ?? ""
            for test in ("\n" + text).components(separatedBy: "\n#data\n").dropFirst() {
                let parts = test.components(separatedBy: "\n#encoding\n")
                guard parts.count == 2, let label = parts[1].split(separator: "\n").first else { continue }
                seen += 1
                let body = [UInt8](parts[0].unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
                let found = LinkExtractor().charset(of: body, contentType: nil)
                let expected = Charset(label: String(label))?.name ?? String(label)
                if found != expected {
                    wrong.append("\(parts[0].suffix(200).debugDescription): \(found), not \(expected)")
                }
            }
        }
        #expect(seen > 0 && wrong.count * 50 <= seen, "\(wrong.count) of \(seen)\n\(wrong.joined(separator: "\n"))")
    }

    @Test(.enabled(if: exists("fuzz-seeds-wget2"), "no suite fuzz-seeds-wget2"))
    func seedsOfFuzzersDoNoHarm() throws {
        for folder in ["html_url", "css_url"] {
            let path = suites.appending(path: "fuzz-seeds-wget2/\(folder)")
            for file in try FileManager.default.contentsOfDirectory(atPath: path.path) {
                var body = [UInt8](try Data(contentsOf: path.appending(path: file)))
                if folder == "css_url" { body = Array("<style>".utf8) + body }
                let time = ContinuousClock().measure {
                    _ = LinkExtractor().links(in: body, url: WebURL("http://h.example/") ?? url("x:"), contentType: nil)
                }
                #expect(time < .seconds(5), "\(file)")
            }
        }
    }

    private func resolved(_ text: String, _ base: String) -> String {
        WebURL(text, base: WebURL(base))?.href ?? ""
    }
}
