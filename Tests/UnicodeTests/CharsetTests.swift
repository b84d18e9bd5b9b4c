import Testing
import Unicode

struct CharsetTests {
    @Test(arguments: [
        ("utf-8", "UTF-8"), (" UTF8\n", "UTF-8"), ("latin1", "windows-1252"), ("ISO-8859-1", "windows-1252"),
        ("us-ascii", "windows-1252"), ("euc-kr", "EUC-KR"), ("ks_c_5601-1987", "EUC-KR"), ("gb2312", "GBK"),
        ("Shift-JIS", "Shift_JIS"), ("utf-16", "UTF-16LE"), ("iso-8859-9", "windows-1254"),
        ("iso-2022-kr", "replacement"),
    ])
    func labelMeansWhatBrowsersTakeItFor(label: String, name: String) {
        #expect(Charset(label: label)?.name == name)
    }

    @Test(arguments: ["", " ", "utf-7", "utf_8", "none", "utf-8\u{0}", String(repeating: "x", count: 10_000)])
    func unknownLabelIsNone(label: String) {
        #expect(Charset(label: label) == nil)
    }

    static let bodies: [(String, [UInt8], String)] = [
        ("utf-8", Array("ünïcode 한글 🎉".utf8), "ünïcode 한글 🎉"),
        ("utf-8", [0xEF, 0xBB, 0xBF, 0x61], "a"),
        ("utf-8", [0x61, 0xFF, 0xE3, 0x81, 0x62], "a\u{FFFD}\u{FFFD}b"),
        ("utf-8", [0x61, 0xF0, 0x9F], "a\u{FFFD}"),
        ("utf-16le", [0xFF, 0xFE, 0x61, 0x00, 0x5C, 0xD5], "a한"),
        ("utf-16be", [0x00, 0x61, 0xD8, 0x3C, 0xDF, 0x89, 0xD8, 0x3C], "a🎉\u{FFFD}"),
        ("euc-kr", [0xC7, 0xD1, 0xB1, 0xDB, 0x2E, 0x8C, 0x63], "한글.똠"),
        ("shift_jis", [0x93, 0xFA, 0x96, 0x7B, 0x5C, 0xB1, 0x87, 0x40], "日本\\ｱ①"),
        ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
        ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x61], "日a"),
        ("gb2312", [0xD6, 0xD0, 0x81, 0x30, 0x81, 0x30], "中\u{80}"),
        ("big5", [0xA4, 0xA4], "中"),
        ("latin1", [0x80, 0x81, 0xE9, 0x9F], "€\u{81}éŸ"),
        ("windows-1251", [0xEF, 0xF0, 0xE8], "при"),
        ("windows-1256", [0xC7], "ا"),
        ("koi8-r", [0xD0, 0xD2, 0xC9], "при"),
        ("iso-8859-16", [0xA4, 0xAA, 0xE9], "€Șé"),
        ("x-user-defined", [0x61, 0x80, 0xFF], "a\u{F780}\u{F7FF}"),
        ("hz-gb-2312", [0x3C, 0x61, 0x3E], "\u{FFFD}"),
    ]

    @Test(arguments: bodies)
    func bodyIsDecodedWholeAndByteByByte(label: String, body: [UInt8], text: String) throws {
        let charset = try #require(Charset(label: label))
        #expect(Array(charset.decode(body).unicodeScalars) == Array(text.unicodeScalars), "\(label)")

        var decoder = CharsetDecoder(charset)
        var utf8: [UInt8] = []
        for index in body.indices { decoder.decode(body.span.extracting(index...index), into: &utf8) }
        decoder.decode(body.span.extracting(0..<0), isLast: true, into: &utf8)
        #expect(utf8 == Array(text.utf8), "\(label), byte by byte")
    }

    @Test func markupIsNotSwallowedByABrokenCharacter() throws {
        for label in ["euc-kr", "shift_jis", "gb18030", "big5", "euc-jp", "utf-8"] {
            let text = try #require(Charset(label: label)).decode([0x81] + Array("<a href=\"x\">".utf8))
            #expect(text.utf8.suffix(12).elementsEqual("<a href=\"x\">".utf8), "\(label): \(text)")
        }
    }

    @Test func byteOrderMarkTellsTheCharset() {
        #expect(Charset(byteOrderMark: [0xEF, 0xBB, 0xBF, 0x61]) == .utf8)
        #expect(Charset(byteOrderMark: [0xFE, 0xFF]) == .utf16BE)
        #expect(Charset(byteOrderMark: [0xFF, 0xFE, 0x61, 0x00]) == .utf16LE)
        #expect(Charset(byteOrderMark: [0xEF, 0xBB]) == nil)
    }

    @Test func longBodyPassesThroughTheConverterInPieces() throws {
        let body = Array(repeating: [0xC7, 0xD1] as [UInt8], count: 50_000).flatMap { $0 }
        let text = try #require(Charset(label: "euc-kr")).decode(body)
        #expect(text == String(repeating: "한", count: 50_000))
    }
}
