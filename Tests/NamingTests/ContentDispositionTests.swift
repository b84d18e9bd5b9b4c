import Foundation
import Testing

@testable import Naming

@Suite struct ContentDispositionTests {
    @Test(arguments: [
        ("attachment; filename=\"report.pdf\"", "report.pdf"), ("attachment; filename=report.pdf", "report.pdf"),
        ("attachment;filename = report 2026.pdf ; size=5", "report 2026.pdf"),
        ("attachment; filename=\"a.pdf\"; filename*=UTF-8''%EB%B3%B4%EA%B3%A0%EC%84%9C.pdf", "보고서.pdf"),
        ("attachment; filename*=UTF-8''%ff.pdf; filename=plain.pdf", "plain.pdf"),
        ("attachment; filename*=EUC-KR''%BA%B8%B0%ED%BC%AD.hwp", "보고서.hwp"),
        ("attachment; filename=\"%EB%B3%B4%EA%B3%A0%EC%84%9C.hwp\"", "보고서.hwp"),
        ("attachment; filename=\"caf\u{E9}.pdf\"", "café.pdf"),
        ("attachment; filename=\"caf\u{C3}\u{A9}.pdf\"", "café.pdf"),
        ("attachment; filename=\"=?UTF-8?B?67O06rOg7IScLnBkZg==?=\"", "보고서.pdf"),
        ("attachment; filename=\"=?UTF-8?Q?a=5Fb?= =?UTF-8?Q?_c.txt?=\"", "a_b c.txt"),
        ("attachment; filename=\"a\\\"b;c.txt\"", "a\"b;c.txt"), ("attachment; filename=\"open.pdf", "open.pdf"),
        ("filename=bare.txt", "bare.txt"), ("attachment; filename=\"100%.txt\"", "100%.txt"),
        ("attachment; filename*0*=UTF-8''a%20; filename*1=\"b.\"; filename*3=x", "a b."),
        ("attachment; filename=\"C:\\docs\\new\\a.pdf\"", "C:\\docs\\new\\a.pdf"),
        ("attachment; filename=\"../../etc/passwd\"", "../../etc/passwd"),
    ])
    func gives(header: String, name: String) {
        #expect(ContentDisposition.filename(headerBytes(header)).map { Array($0.utf8) } == Array(name.utf8))
    }

    @Test(arguments: [
        "", ";", "attachment", "attachment; name=x", "attachment; filename=", "attachment; filename=\"  \"", "=", "=;=",
        "attachment; filename*=''", "attachment; filename*=utf-8''", "attachment; filename*0=a; filename*1=b",
        "attachment; filename==?UTF-8?X?abc?=", "attachment; filename==?UTF-8?B?!?=", "attachment; filename*1*=x",
        "attachment; filename=a.html, attachment; filename=b.html", "attachment; filename=a,b.html",
    ])
    func givesNone(header: String) { #expect(ContentDisposition.filename(headerBytes(header)) == nil) }

    @Test(arguments: [
        ("EUC-KR", [0xBA, 0xB8, 0xB0, 0xED, 0xBC, 0xAD] as [UInt8], "보고서"),
        ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B], "日本"), ("windows-1251", [0xC4, 0xE0], "Да"),
        ("nonsense", [0x63, 0x61, 0x66, 0xE9], "café"), ("euc-kr", [0xC3, 0xA9], "é"),
    ])
    func asksThePagesCharset(charset: String, bytes: [UInt8], name: String) {
        let header = Array("attachment; filename=\"".utf8) + bytes + Array(".txt\"".utf8)
        #expect(ContentDisposition.filename(header, charset: charset) == name + ".txt")
    }

    /// Time is linear in a hostile header.
    @Test func hostileHeadersCostLittle() {
        for unit in ["; filename", ";a=b", "\"", "\\", "%", "=?UTF-8?Q?x?= ", "; filename*1*=UTF-8''x"] {
            let header = Array(("attachment; filename*0*=UTF-8''x" + String(repeating: unit, count: 20_000)).utf8)
            _ = ContentDisposition.filename(header)
            _ = ContentDisposition.filename(Array(("filename=" + String(repeating: unit, count: 20_000)).utf8))
        }
    }

    struct Row: Decodable {
        let header: String
        let by_source: [String: String?]
    }

    /// Where we differ from every source, and why.
    static let exceptions: [String: String] = [
        "attachment; filename=foo-\u{E4}.html": "aiohttp refuses Latin-1 outside quotes; every browser takes it",
        "attachment; filename==?ISO-8859-1?Q?foo-=E4.html?=": "RFC 2047 is decoded, as Chromium does",
        "attachment; filename=\"=?ISO-8859-1?Q?foo-=E4.html?=\"": "RFC 2047 is decoded, as Chromium does",
    ]

    @Test(.enabled(if: hasSuite("content-disposition")))
    func anySourceAgrees() throws {
        let rows = try JSONDecoder().decode([Row].self, from: suite("content-disposition/merged.json"))
        var wrong: [String] = []
        var excused = 0
        for row in rows {
            let charset = row.header.contains("caf\u{E5}") ? "windows-1253" : nil
            let name = ContentDisposition.filename(headerBytes(row.header), charset: charset) ?? ""
            let answers = row.by_source.values.map { $0 ?? "" }
            if answers.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { continue }
            if ContentDispositionTests.exceptions[row.header] != nil {
                excused += 1
            } else {
                wrong.append("\(row.header): \(name), not \(answers)")
            }
        }
        #expect((wrong.count + excused) * 100 <= rows.count * 2, "at least 98 % must be as a source has it")
        #expect(rows.count > 100)
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }
}
