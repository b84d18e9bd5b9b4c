import Foundation
import Glibc
import Testing
import URLs

@testable import Naming

/// A generator that gives the same numbers in every run.
struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite struct FuzzTests {
    static let pieces: [String] = [
        "a", "Report", ".", "..", "/", "\\", "\0", "\r\n", " ", "-", "%2e", "%00", "%2F", "%EB%B3%B4", "%FF", "보고서",
        "e\u{301}", "\u{202E}", "\u{200B}", ":", "*", "?", "\"", "<", ">", "|", "CON", "nul", "COM1", ".pdf", ".tar.gz",
        ".php", ".exe", ".lnk", "\u{FEFF}", "\u{1F468}\u{200D}\u{1F469}", String(repeating: "x", count: 120),
        String(repeating: "\u{301}", count: 90), String(repeating: "한", count: 60), "~", "$", "`", "'", ";", "=",
        "=?UTF-8?Q?",
        "?=", "UTF-8''", "\u{7F}", "\u{85}", "\u{AD}", ".part", "desktop.ini", "{", "}", "#", "&", "\u{E0041}",
        "\u{FFFF}",
    ]

    private func text(_ random: inout Seeded, _ most: Int) -> String {
        (0..<Int.random(in: 0...most, using: &random)).map { _ in FuzzTests.pieces.randomElement(using: &random) ?? "" }
            .joined()
    }

    /// 10,000 hostile names: each path is safe by our rules, can be made below a folder, and lies below it.
    @Test func everyNameCanBeCreated() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("naming-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let templates = [
            "{stem}.{ext}", "{date:yyyyMMdd}-{stem}.{ext}", "{path}/{stem}", "{text}{query}.{ext}", "{stem}",
        ]
        let namers = try templates.map { try makeNamer($0, sniffs: false) }
        var random = Seeded(state: 20_261_130)
        for round in 0..<10_000 {
            var url = "https://a.test/"
            if Bool.random(using: &random) { url += text(&random, 6) }
            guard let parsed = WebURL(url) else { continue }
            var facts = NameFacts(first: parsed)
            if Bool.random(using: &random) {
                facts.disposition = Array("attachment; filename=\"\(text(&random, 8))".utf8)
            }
            if round % 7 == 0 { facts.disposition = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) } }
            if Int.random(in: 0..<4, using: &random) == 0 { facts.download = text(&random, 5) }
            facts.text = text(&random, 5)
            facts.contentType = Array(["application/pdf", "text/html", "x", ""][round % 4].utf8)
            let name = namers[round % namers.count].propose(facts)
            if let danger = danger(name.path) {
                Issue.record("\(danger): \(name.path.debugDescription) from \(url.debugDescription)")
                return
            }
            guard danger(name.alternative(12_345).name) == nil else {
                Issue.record("alternative of \(name.path.debugDescription)")
                return
            }
            // A path may be a folder of another one, so those with folders get a place of their own.
            let folder = root.path + (name.path.contains("/") ? "/own\(round)" : "/all")
            mkdir(folder, 0o700)
            guard create(name.path, in: folder) else {
                Issue.record("cannot create \(name.path.debugDescription)")
                return
            }
        }
    }

    @Test func namesDoNotDependOnTheirOrder() throws {
        let namer = try makeNamer()
        var random = Seeded(state: 5)
        let all = (0..<500).compactMap { number -> NameFacts? in
            guard var facts = try? facts("https://a.test/\(number)") else { return nil }
            facts.disposition = Array("filename=\"\(text(&random, 4))\"".utf8)
            return facts
        }
        let forwards = all.map { namer.propose($0).path }
        let backwards = all.reversed().map { namer.propose($0).path }
        #expect(forwards == backwards.reversed())
    }
}
