import Cookies
import Testing

@Suite("cookies.txt")
struct CookieTextTests {
    private static func read(_ lines: String...) -> CookieText.Content {
        CookieText.read(Array(lines.joined(separator: "\n").utf8), now: fixedNow)
    }

    @Test("What browsers and curl write is read")
    func reading() throws {
        var content = Self.read(
            "\u{feff}# Netscape HTTP Cookie File\r", "# a comment", "", "   ",
            ".example.org\tTRUE\t/\tFALSE\t1999999999\ta\t1\r",
            "#HttpOnly_www.example.org\tFALSE\t/x\tTRUE\t0\tb\t2=3",
            "www.example.org\tFALSE\t/\tFALSE\t1999999999.5\tempty\t",
            "old.example.org\tFALSE\t/\tFALSE\t1000\tc\t4")
        #expect(content.problems.isEmpty)
        #expect(pairs(content.jar) == ["a=1", "b=2=3", "empty="], "the expired one is left out without a word")
        #expect(content.jar.cookies.map(\.isHTTPOnly) == [false, true, false])
        #expect(content.jar.cookies.map(\.expires) == [1_999_999_999, nil, 1_999_999_999])
        #expect(try content.jar.header("http://www.example.org/x") == "a=1; empty=")
        #expect(try content.jar.header("https://www.example.org/x") == "b=2=3; a=1; empty=")
    }

    @Test(
        "A broken line is told by its number, never by what it holds, and the rest is read (C16)",
        arguments: [
            "a.org\tFALSE\t/\tFALSE\t0\tSECRET", "a.org\tFALSE\t/\tFALSE\t1.7e308\tn\tSECRET",
            "a.org\tFALSE\t/\tFALSE\t0\tn\tSECRET\tb", "co.uk\tTRUE\t/\tFALSE\t0\tn\tSECRET",
            ".com\tTRUE\t/\tFALSE\t0\tn\tSECRET", "a.org\tMAYBE\t/\tFALSE\t0\tn\tSECRET",
            "a.org\tFALSE\t/\tyes\t0\tn\tSECRET", "a.org\tFALSE\tx\tFALSE\t0\tn\tSECRET",
            "a.org\tFALSE\t/\tFALSE\t-1\tn\tSECRET", "\tFALSE\t/\tFALSE\t0\tn\tSECRET",
            "a.org/../b\tFALSE\t/\tFALSE\t0\tn\tSECRET", "a@b.org\tFALSE\t/\tFALSE\t0\tn\tSECRET",
            "a.org\tFALSE\t/\tFALSE\t0\t\tSECRET", "a.org\tFALSE\t/\tFALSE\t0\tn\tSECRET; other=1",
            "a.org\tFALSE\t/\tFALSE\t0\tn\tSECRET\u{1b}[2J", "a.org\tFALSE\t/\tFALSE\t0\tn\tSECRET\rX",
            "a.org\tFALSE\t/\tFALSE\t0\t__Host-n\tSECRET", "a.org\tTRUE\t/\tTRUE\t0\t__Host-n\tSECRET",
            "a.org\tFALSE\t/\tFALSE\t0\tn\tSECRET" + String(repeating: "x", count: 100_000),
            "a.org\tFALSE\t/\tFALSE\t0\tn\tSECRET" + String(repeating: "x", count: 5000), "SECRET",
        ])
    func broken(line: String) throws {
        let content = Self.read("# first", line, "b.org\tFALSE\t/\tFALSE\t0\tgood\t1")
        #expect(pairs(content.jar) == ["good=1"])
        #expect(content.problems.map(\.line) == [2])
        #expect(content.problems.first?.message.contains("SECRET") == false)
    }

    @Test("What is written is read again as it was, and nothing can slip in a line")
    func roundTrip() throws {
        var jar = CookieJar()
        for field in ["a=1", "b=2; Domain=example.org; Path=/p; HttpOnly; Max-Age=500", "c=\u{fc}=\"x\"", "#d=e", "v="]
        {
            _ = try jar.receive(field, from: "http://www.example.org/")
        }
        _ = try jar.receive("s=1; Secure", from: "https://www.example.org/")
        let text = CookieText.write(jar.cookies, isUnderWay: true, imported: "1.5 /x y")
        let content = CookieText.read(text, now: fixedNow)
        #expect(content.problems.isEmpty && content.isUnderWay && content.imported == "1.5 /x y")
        #expect(content.jar.cookies == jar.cookies)
        #expect(String(decoding: text, as: UTF8.self).hasPrefix("# Netscape HTTP Cookie File\n"))
        for field in ["x=1\nevil.org\tTRUE\t/\tFALSE\t0\ta\tb", "x=1; Path=/\nevil.org\tTRUE\t/\tFALSE\t0\ta\tb"] {
            #expect(try jar.receive(field, from: "http://www.example.org/") == .none)
        }
    }

    @Test("Bytes of any kind are read in linear time, and end")
    func garbage() {
        var bytes: [UInt8] = []
        var state: UInt64 = 1
        for _ in 0..<2_000_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes.append([0, 9, 10, 13, 0x23, 0x2e, 0x61, 0xff][Int(state >> 60) & 7])
        }
        let content = CookieText.read(bytes, now: fixedNow)
        #expect(content.jar.isEmpty && content.problems.count == 1000)
    }
}
