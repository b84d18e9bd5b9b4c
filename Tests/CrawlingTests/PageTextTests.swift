import Crawling
import Model
import Testing
import URLs

struct PageTextTests {
    private func link(_ body: [UInt8], _ contentType: String?) -> String? {
        LinkExtractor().links(in: body, url: url("https://h.example/"), contentType: contentType).links.first?.url.href
    }

    private let accented: [UInt8] = Array("<a href='".utf8) + [0xE9] + Array("?".utf8) + [0xE9] + Array("'>".utf8)

    @Test func theCharsetIsFoundInTheStandardsOrder() {
        let meta = Array("<meta charset=iso-8859-2>".utf8)
        // Without a sign the page is windows-1252, and its queries go back in it.
        #expect(link(accented, nil) == "https://h.example/%C3%A9?%E9")
        let polish: [UInt8] = Array("<a href='".utf8) + [0xB1] + Array("'>".utf8)
        #expect(link(polish, nil) == "https://h.example/%C2%B1")
        #expect(link(meta + polish, nil) == "https://h.example/%C4%85")
        #expect(link(meta + polish, "text/html; charset=windows-1252") == "https://h.example/%C2%B1")
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        #expect(link(mark + Array("<a href=é>".utf8), "text/html; charset=windows-1252") == "https://h.example/%C3%A9")
        #expect(link(Array("<a href=é>".utf8), "application/xhtml+xml") == "https://h.example/%C3%A9")
    }

    @Test(
        arguments: [
            ("euc-kr", [0xC7, 0xD1], "%ED%95%9C"), ("shift_jis", [0x8E, 0xD0], "%E7%A4%BE"),
            ("gb2312", [0xC9, 0xE7], "%E7%A4%BE"), ("big5", [0xAA, 0xC0], "%E7%A4%BE"),
            ("windows-1251", [0xD0], "%D0%A0"), ("latin1", [0x80], "%E2%82%AC"),
        ] as [(String, [UInt8], String)])
    func oldCharsetsAreReadAndWrittenBack(charset: String, bytes: [UInt8], path: String) {
        let body = Array("<a href='".utf8) + bytes + Array("?q=".utf8) + bytes + Array("'>".utf8)
        let query = bytes.map { byte in
            let isPlain = byte < 0x80
            return isPlain
                ? String(Unicode.Scalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }.joined()
        #expect(link(body, "text/html; charset=\(charset)") == "https://h.example/\(path)?q=\(query)")
    }

    @Test func brokenBytesAndWideTextGiveLinks() {
        let wide: [UInt8] = "<a href=x>".utf8.flatMap { [$0, 0] }
        #expect(link([0xFF, 0xFE] + wide, nil) == "https://h.example/x")
        #expect(link(Array("<a href=a".utf8) + [0xFF, 0xC3] + Array(">".utf8), "text/html; charset=utf-8") != nil)
        #expect(link(Array("\0<a\0 href=x><a href='y\0'>".utf8), nil) == "https://h.example/y%EF%BF%BD")
    }
}
