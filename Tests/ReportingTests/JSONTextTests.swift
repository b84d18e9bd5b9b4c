import Foundation
import Model
import Reporting
import Testing

@Suite struct JSONTextTests {
    @Test func everyStringComesBackAsItWent() throws {
        let texts = ["", "plain", "\"quoted\"\\", "line\nend\ttab\u{0}\u{1b}\u{7f}", "한국어 🎉 \u{202e}abc", "</script>"]
        var json = JSONText()
        json.array { list in for text in texts { list.value(text) } }
        let read = try JSONDecoder().decode([String].self, from: Data(json.bytes))
        #expect(read.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    }

    @Test func whatTurnsOrHidesTextIsEscaped() throws {
        let harmful =
            "\u{0}\u{1b}\u{7f}\u{80}\u{9b}\u{9f}\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}"
        let harmless = "\u{a0}\u{618}\u{200b}\u{2010}\u{2026}\u{2070}é한 ع🎉"
        var json = JSONText()
        json.value(harmful + harmless)
        let text = String(decoding: json.bytes, as: UTF8.self)
        #expect(!text.unicodeScalars.contains { harmful.unicodeScalars.contains($0) })
        #expect(text.hasSuffix(harmless + "\"") && text.contains("\\u202e") && text.contains("\\u009b"))
        let read = try JSONDecoder().decode([String].self, from: Data("[\(text)]".utf8))
        #expect(read.map { Array($0.utf8) } == [Array((harmful + harmless).utf8)])
    }

    @Test func valuesAreSeparatedAtEveryDepth() throws {
        var json = JSONText()
        json.object { json in
            json.field("a", Int64.min)
            json.key("b")
            json.array { list in
                list.value(1)
                list.object { $0.field("c", true) }
                list.array { _ in }
            }
            json.field("d", String?.none)
            json.field("e", seconds: -0.0015)
            json.field("f", seconds: .infinity)
        }
        #expect(
            String(decoding: json.bytes, as: UTF8.self)
                == #"{"a":-9223372036854775808,"b":[1,{"c":true},[]],"d":null,"e":-0.002,"f":null}"#)
    }
}

@Suite struct ShownTests {
    @Test func aRateOfAbsurdFiguresIsStillOne() {
        #expect(shown(bytes: 3 << 20, in: 2) == "1.5 MiB/s")
        #expect(shown(bytes: .max, in: 1e-9) == "8.0 EiB/s")
        #expect(shown(bytes: 5, in: 1e300) == "0 B/s")
        #expect(shown(bytes: 5, in: -1) == "0 B/s")
    }

    @Test(arguments: [
        ("plain 한국어 é", "plain 한국어 é"),
        ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
        ("a\u{202e}fdp.exe", "a\\u{202e}fdp.exe"),
        ("one\r\ntwo", "one\\u{d}\\ntwo"),
        ("bell\u{7}\u{9b}c1\u{85}", "bell\\u{7}\\u{9b}c1\\u{85}"),
    ])
    func nothingHarmfulReachesATerminal(text: String, expected: String) {
        #expect(shown(text) == expected)
    }

    @Test(arguments: [
        (Int64(0), "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_048_575, "1.0 MiB"),
        (3 << 30, "3.0 GiB"), (Int64.max, "8.0 EiB"),
    ])
    func bytes(count: Int64, expected: String) { #expect(shown(bytes: count) == expected) }

    @Test(arguments: [
        (0.04, "0.0 s"), (59.94, "59.9 s"), (60.0, "1 min 0 s"), (3725.0, "1 h 2 min"), (-1, "0.0 s"),
        (Double.infinity, "0.0 s"),
    ])
    func seconds(count: Double, expected: String) { #expect(shown(seconds: count) == expected) }
}
