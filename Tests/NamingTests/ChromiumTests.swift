import Foundation
import Testing

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
    struct Table: Decodable {
        let selection: [Row]
        let generation: [Row]
        let safe_portable_component: [String]
        let unsafe_portable_component: [String]
    }

    @Test(.enabled(if: hasSuite("filename-chromium")))
    func namesAreSafeAndMostlyEqual() throws {
        let table = try JSONDecoder().decode(Table.self, from: suite("filename-chromium/filename_util.json"))
        let namer = try makeNamer(sniffs: false)
        var compared = 0
        var different: [String] = []
        for row in table.selection + table.generation {
            let url = (try? webURL(row.url.isEmpty ? "https://a.test/" : row.url)) ?? (try webURL("https://a.test/"))
            var facts = NameFacts(first: url)
            facts.disposition = headerBytes(row.content_disposition)
            facts.contentType = Array(row.mime.utf8)
            facts.charset = row.referrer_charset.isEmpty ? nil : row.referrer_charset
            facts.download = row.suggested.isEmpty ? nil : row.suggested
            let name = namer.propose(facts)
            #expect(danger(name.path) == nil, "\(row): \(name.path)")
            // Our own policy: without a name there is an id, and every name has an extension.
            if name.stemSource == .id { continue }
            compared += 1
            let answers = [row.expected_posix, row.expected_windows ?? row.expected_posix]
            let ours = [name.path, name.stem]
            if !answers.contains(where: ours.contains) { different.append("\(answers): \(name.path)") }
        }
        #expect(compared > 30)
        #expect(different.isEmpty, "\(different.joined(separator: "\n"))")
        for text in table.safe_portable_component { #expect(SafeName.component(text) == text) }
        for text in table.unsafe_portable_component { #expect(SafeName.component(text) != text || text.isEmpty) }
    }
}
