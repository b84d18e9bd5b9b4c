import TestSupport
import Testing

@testable import Manifests

/// Manifests that nobody wrote by hand: whatever they hold, an answer comes soon.
@Suite struct HostileManifestTests {
    @Test(arguments: [
        ("pack: [", "{format: zip, id: a#}, ", "]"), ("start: [", "'https://a#.example/{n:1..9}', ", "]"),
        ("fetch: {headers: {", "X-#: 1, ", "}}"), ("name: {types: [", "{match: a#, extension: b}, ", "]}"),
        ("download: {include: [", "'/*a*#*/', ", "]}"), ("", "keey-#: {a: b}\n", ""),
    ])
    func manyEntries(_ head: String, _ unit: String, _ tail: String) {
        var text = head
        var number = 0
        // An eighth of the largest file, for a debug build's sake.
        while text.utf8.count < 1 << 17 {
            text += unit.replacing("#", with: String(number))
            number += 1
        }
        text += tail
        let took = ContinuousClock().measure {
            let read = ManifestReader.read(text: Array(text.utf8), path: "a.yaml")
            #expect(!read.diagnostics.contains { $0.message.contains("was expected here") })
        }
        #expect(took < .seconds(20), "\(head) took \(took)")
    }

    /// Changes bytes of a good manifest at random: an answer or errors with places inside the text, never a trap.
    @Test func mutations() throws {
        let jobs = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/jobs"
        let original = try Folder(jobs).read("download-page.yaml")
        let signs = Array("{}[]:,'\"*&!|>#%@-~ \n\t0aé${".utf8)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<400 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[place] = signs.randomElement(using: &random) ?? 0
                } else {
                    bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &random)))
                }
            }
            let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).count
            let read = ManifestReader.read(text: bytes, path: "a.yaml")
            #expect((read.job == nil) == !read.diagnostics.isEmpty)
            #expect(read.diagnostics.allSatisfy { (1...lines + 1).contains($0.line) && $0.column >= 1 })
        }
    }
}
