import Foundation
import Testing
import URLs

@testable import Naming

/// Chromium's table of download names. Safety holds on every row; names are equal wherever policy is the same.
@Suite struct ChromiumTests {
    struct Row: Decodable {
        let url: String
        let content_disposition: String
        let referrer_charset: String
        let suggested: String
        let mime: String
        let expected_posix: String
        let expected_windows: String?
    }
    struct Safe: Decodable {
        let mime: String
        let name: String
        let expected: String
    }
    struct Table: Decodable {
        let selection: [Row]
        let generation: [Row]
        let safe_portable_component: [String]
        let unsafe_portable_component: [String]
        let generate_safe: [Safe]
    }

    /// Where our policy is another, and why.
    static let exceptions: [String: String] = [
        "filename=evil.exe.  .  .":
            "dots and blanks at the end are dropped, not replaced: nothing is left to hide behind",
        "attachment; filename=\"meh.exe\u{C2}\u{A0}\"": "a blank at the end is dropped, not replaced",
        " .foo": "blanks and dots at the start are dropped, not replaced",
    ]

    @Test(.enabled(if: hasSuite("filename-chromium")))
    func namesAreSafeAndMostlyEqual() throws {
        let table = try JSONDecoder().decode(Table.self, from: suite("filename-chromium/filename_util.json"))
        let namer = try makeNamer(sniffs: false)
        var compared = 0
        var different: [String] = []
        for row in table.selection + table.generation {
            var facts = NameFacts(first: try WebURL(row.url) ?? webURL("https://a.test/"))
            facts.disposition = headerBytes(row.content_disposition)
            facts.contentType = Array(row.mime.utf8)
            facts.charset = row.referrer_charset.isEmpty ? nil : row.referrer_charset
            facts.download = row.suggested.isEmpty ? nil : row.suggested
            let name = namer.propose(facts)
            #expect(danger(name.path) == nil, "\(row): \(name.path)")
            compared += 1
            // Our own policy: where there is no name, an id of the URL stands in the place of Chromium's host or word.
            if name.stemSource == .id {
                let standIns = ["download", "\u{B2E4}\u{C6B4}\u{B85C}\u{B4DC}", WebURL(row.url)?.host ?? "", "_. . ._"]
                if !standIns.contains(row.expected_posix) { different.append("\(row.expected_posix): \(name.path)") }
                continue
            }
            let known = [row.content_disposition, row.suggested].contains { ChromiumTests.exceptions[$0] != nil }
            let answers = [row.expected_posix, row.expected_windows ?? row.expected_posix]
            if !known, ![name.path, name.stem].contains(where: answers.contains) {
                different.append("\(answers): \(name.path)")
            }
        }
        #expect(compared == table.selection.count + table.generation.count)
        #expect(different.isEmpty, "\(different.joined(separator: "\n"))")
    }

    @Test(.enabled(if: hasSuite("filename-chromium")))
    func componentsAreJudgedAlike() throws {
        let table = try JSONDecoder().decode(Table.self, from: suite("filename-chromium/filename_util.json"))
        for text in table.safe_portable_component { #expect(SafeName.component(text) == text) }
        for text in table.unsafe_portable_component { #expect(SafeName.component(text) != text || text.isEmpty) }
        for row in table.generate_safe {
            var facts = NameFacts(first: try webURL("https://a.test/"))
            facts.download = row.name
            facts.disposition = Array("filename=\"\(row.name)\"".utf8)
            facts.contentType = Array(row.mime.utf8)
            let name = try makeNamer(sniffs: false).propose(facts)
            #expect([name.path, name.stem, name.path.replacing("_con", with: "con")].contains(row.expected))
        }
    }
}
