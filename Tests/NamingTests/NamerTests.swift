import Foundation
import Testing
import Times

@testable import Naming

@Suite struct NamerTests {
    @Test(arguments: [
        ("{date:yyyyMMddHHmmss}-{stem}.{ext}", "20261130170000-a.pdf"), ("{date}-{stem}.{ext}", "20261130170000-a.pdf"),
        ("{modified:yyyy-MM-dd}_{item-date:HHmm}", "2001-09-09_0959"),
        ("{host}/{path}/{stem}.{ext}", "www.a.test/b/c d/a.pdf"),
        ("{query}", "q=1&r=_x"), ("{job}-{run}-{seq:0000}", "job-20261130T080000Z-abc123-0007"), ("{seq}", "7"),
        ("{sha256:12}.{ext}", "000102030405.pdf"), ("{text}.{ext}", "The report_ 1.pdf"),
        ("{date:yyyy/MM}/{stem}.{ext}", "2026/11/a.pdf"),
        ("{{{stem}}}", "{a}"), ("{date:yyyy:MM}", "2026_11"), ("{path}", "b/c d"), ("..{stem}", "a"),
        ("a/../{stem}", "a/a"),
    ])
    func fillsTemplates(template: String, expected: String) throws {
        var facts = try facts("https://www.a.test/b/c%20d/a.pdf?q=1&r=/x", text: "The report: 1")
        facts.modified = 1_000_000_000
        facts.downloaded = 1_000_000_780
        facts.sha256 = (0..<32).map { $0 }
        facts.sequence = 7
        let zone = try Zone(named: "Asia/Seoul")
        #expect(try makeNamer(template, zone: zone).propose(facts).path == expected.replacing("0959", with: "1059"))
    }

    @Test func aFileAndAFolderOfOneNameAreBothKept() throws {
        let namer = try makeNamer("{path}/{stem}.{ext}")
        #expect(try namer.propose(facts("https://a.test/a.zip")).path == "a.zip")
        #expect(try namer.propose(facts("https://a.test/a.zip/b.pdf")).path == "a.zip_/b.pdf")
        #expect(try namer.propose(facts("https://a.test/v1.2/b.pdf")).path == "v1.2/b.pdf")
        #expect(try namer.propose(facts("https://a.test/%2e%2e%2f/x/%2e%2e%5c/b.pdf")).path == "_/x/_/b.pdf")
    }

    @Test func longNamesKeepStampAndExtension() throws {
        let namer = try makeNamer("{date:yyyyMMdd}-{stem}.{ext}")
        let long = String(repeating: "보고서", count: 100)
        let first = try namer.propose(facts("https://a.test/x", disposition: "filename=\"\(long)1.tar.gz\""))
        let second = try namer.propose(facts("https://a.test/x", disposition: "filename=\"\(long)2.tar.gz\""))
        #expect(first.path.hasPrefix("20261130-보고서") && first.path.hasSuffix(".tar.gz"))
        #expect(first.path != second.path)
        #expect(first.path.utf8.count <= SafeName.limit && first.path.utf8.count > 225)
        #expect(danger(first.path) == nil)
        #expect(
            try namer.propose(facts("https://a.test/\(String(repeating: "x", count: 5000)).pdf")).path.hasSuffix(".pdf")
        )
        let folders = try makeNamer("{path}/{stem}").propose(
            facts("https://a.test/\(String(repeating: "y", count: 900))/b"))
        #expect(danger(folders.path) == nil)
    }

    @Test func aLongTextOrFixedPartIsCutToo() throws {
        let literal = String(repeating: "z", count: 300)
        for template in ["\(literal){stem}.{ext}", "{query}-{stem}.{ext}", "{text}{text}{text}-{stem}.{ext}"] {
            let name = try makeNamer(template).propose(
                facts("https://a.test/x.pdf?\(literal)", text: String(repeating: "w", count: 200)))
            #expect(danger(name.path) == nil, "\(name.path)")
            #expect(name.path.utf8.count <= SafeName.limit)
            #expect(name.path.hasSuffix(".pdf"))
        }
    }

    @Test func collisionsAreNumberedBeforeTheExtension() throws {
        let name = try makeNamer("{path}/{stem}.{ext}").propose(facts("https://a.test/d/X.tar.gz"))
        #expect(name.alternative(1).name == "d/X.tar.gz")
        #expect(name.alternative(1).folded == "d/x.tar.gz")
        #expect(name.alternative(2).name == "d/X-2.tar.gz")
        var taken: Set = ["d/x.tar.gz", "d/x-2.tar.gz"]
        let free = name.resolved { taken.contains($0) }
        #expect(free.name == "d/X-3.tar.gz")
        taken.insert(free.folded)
        #expect(name.resolved { taken.contains($0) }.name == "d/X-4.tar.gz")
        let long = try makeNamer().propose(facts("https://a.test/\(String(repeating: "x", count: 300)).pdf"))
        #expect(long.alternative(1_234_567).name.utf8.count <= 255)
        #expect(try makeNamer("{stem}").propose(facts("https://a.test/x.pdf")).alternative(2).name == "x-2")
    }

    @Test func emptyNamesFallBackToTheId() throws {
        let id = urlID(try webURL("https://a.test/"))
        #expect(try makeNamer().propose(facts("https://a.test/", disposition: "filename=...")).path == "\(id).bin")
        #expect(try makeNamer("{text}").propose(facts("https://a.test/")).path == id)
        #expect(
            try makeNamer("{path}").propose(facts("https://a.test/x")).path == urlID(try webURL("https://a.test/x")))
    }
}
