import Model
import Testing

@testable import Naming

@Suite struct ExtensionTests {
    static let zip = "PK\u{3}\u{4}\u{14}\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    static let docx =
        zip + "\u{11}\0\0\0word/document.xml<w/>" + String(repeating: "\0", count: 20)
    static let png = "\u{89}PNG\r\n\u{1A}\n\0\0\0\u{D}IHDR\0\0\0\u{1}\0\0\0\u{1}\u{8}\u{6}\0\0\0"
    static let html = "<!DOCTYPE html><html><head><title>Sign in</title></head></html>"

    struct Case: CustomTestStringConvertible, Sendable {
        var url: String
        var type: String?
        var disposition: String?
        var content: String?
        var expected: String
        var testDescription: String {
            "\(url) \(type ?? "-") \(disposition ?? "-") \(content?.count ?? 0): \(expected)"
        }

        init(_ url: String, _ type: String?, _ content: String?, _ expected: String, disposition: String? = nil) {
            self.url = url
            self.type = type
            self.content = content
            self.expected = expected
            self.disposition = disposition
        }
    }

    @Test(arguments: [
        // The header.
        Case(
            "https://a.test/x.pdf", "application/pdf", nil, "y.DOCX disposition",
            disposition: "attachment; filename=y.DOCX"),
        Case("https://a.test/x", "application/pdf", nil, "setup.exe disposition", disposition: "filename=setup.exe"),
        Case("https://a.test/x", "application/pdf", nil, "y.pdf type", disposition: "filename=y.php"),
        Case(
            "https://a.test/x", "application/pdf", nil, "Report v1.2.pdf type", disposition: "filename=\"Report v1.2\""),
        Case("https://a.test/x.zip", "application/zip", nil, "y.zip url", disposition: "filename=y"),
        // URL and type that fit.
        Case("https://a.test/x.PDF", "application/pdf", nil, "x.PDF url"),
        Case("https://a.test/x.jpeg", "image/jpeg", nil, "x.jpeg url"),
        Case("https://a.test/x.jpe", "image/jpg; q=1", nil, "x.jpe url"),
        Case("https://a.test/x.tar.gz", "application/gzip", nil, "x.tar.gz url"),
        Case("https://a.test/x.tar.gz", "application/x-tar", nil, "x.tar.gz url"),
        Case("https://a.test/x.tgz", "application/x-tar", nil, "x.tgz url"),
        Case("https://a.test/x.tar.zst", "application/zstd", nil, "x.tar.zst url"),
        Case("https://a.test/x.csv.gz", "text/csv", nil, "x.csv.gz url"),
        Case("https://a.test/x.warc.gz", "application/octet-stream", nil, "x.warc.gz url"),
        Case("https://a.test/x.docx", "application/zip", nil, "x.docx url"),
        Case("https://a.test/x.svg", "text/xml", nil, "x.svg url"),
        Case("https://a.test/x.m4a", "video/mp4", nil, "x.m4a url"),
        Case("https://a.test/setup.exe", "application/octet-stream", nil, "setup.exe url"),
        Case("https://a.test/x.deb", "application/octet-stream", nil, "x.deb url"),
        Case("https://a.test/model.safetensors", "application/octet-stream", nil, "model.safetensors url"),
        Case("https://a.test/pkg.whl", "application/zip", zip, "pkg.whl url"),
        Case("https://a.test/x.md", "text/plain", html, "x.md url"),
        // Contradictions.
        Case("https://a.test/x.html", "application/pdf", nil, "x.pdf type"),
        Case("https://a.test/x.png", "image/jpeg", nil, "x.jpg type"),
        Case("https://a.test/x.png", "image/jpeg", png, "x.png url"),
        Case("https://a.test/x.pdf", "text/html", html, "x.html type"),
        Case("https://a.test/x.pdf", "text/html", "%PDF-1.7", "x.pdf url"),
        Case("https://a.test/x.csv", "application/vnd.ms-excel", "a,b\n1,2\n3,4\n", "x.csv url"),
        Case("https://a.test/john.smith", "application/pdf", nil, "john.smith.pdf type"),
        Case("https://a.test/x.pdf", "application/x-nobody-knows", nil, "x.pdf url"),
        Case("https://a.test/x.pdf", "application/octet-stream", png, "x.png content"),
        Case("https://a.test/x.pdf", nil, html, "x.html content"),
        Case("https://a.test/x.docx", "application/octet-stream", zip, "x.docx url"),
        // Scripts.
        Case("https://a.test/get.php", "application/pdf", nil, "get.pdf type"),
        Case("https://a.test/get.aspx", "application/octet-stream", "%PDF-1.7", "get.pdf content"),
        Case("https://a.test/get.do", nil, nil, "get.bin default"),
        Case("https://a.test/get.jsp", "text/html", nil, "get.html type"),
        Case("https://a.test/get.php", "text/html; charset=utf-8", "%PDF-1.7", "get.pdf content"),
        // Without an extension.
        Case("https://a.test/x", "application/vnd.ms-excel", nil, "x.xls type"),
        Case("https://a.test/x", "application/x-msdownload", "%PDF-1.7", "x.pdf content"),
        Case("https://a.test/x", "application/zip", docx, "x.docx content"),
        Case("https://a.test/x", "application/octet-stream", docx, "x.docx content"),
        Case("https://a.test/x", "text/plain", "hello\n", "x.txt type"),
        Case("https://a.test/x", "text/plain", "%PDF-1.7", "x.pdf content"),
        Case("https://a.test/x", nil, "hello\n", "x.txt content"),
        Case("https://a.test/x", nil, nil, "x.bin default"),
        Case("https://a.test/x", "nonsense", nil, "x.bin default"),
        Case("https://a.test/x", "application/haansofthwp", nil, "x.hwp type"),
        Case("https://a.test/x.bin", "application/octet-stream", "%PDF-1.7", "x.pdf content"),
        Case("https://a.test/x.dat", "application/octet-stream", nil, "x.dat url"),
        // Never an executable kind by inference.
        Case("https://a.test/x", "application/x-sh", "#!/bin/sh\necho\n", "x.txt content"),
        Case("https://a.test/x", "application/x-desktop", nil, "x.bin default"),
        Case("https://a.test/x", "application/x-ms-dos-executable", "MZ\u{90}\0\u{3}\0\0\0", "x.bin default"),
        Case("https://a.test/x", "application/x-mswinurl", nil, "x.bin default"),
        Case("https://a.test/x", "application/x-php", "<?php echo 1;", "x.txt content"),
    ])
    func decides(row: Case) throws {
        let name = try makeNamer().propose(
            facts(row.url, type: row.type, disposition: row.disposition, content: row.content))
        #expect("\(name.path) \(name.extensionSource.rawValue)" == row.expected, "\(name.extensionRule)")
    }

    @Test func theUsersTableComesFirst() throws {
        let namer = try makeNamer(types: [("MS-Excel", "xls"), ("pdf", "document")])
        let header = "attachment; filename=y.csv"
        let name = try namer.propose(facts("https://a.test/x", type: "Application/Vnd.MS-EXCEL", disposition: header))
        #expect(name.path == "y.xls")
        #expect(name.extensionSource == .types)
        #expect(try namer.propose(facts("https://a.test/x.pdf", type: "application/pdf")).path == "x.document")
    }

    @Test(arguments: [
        ("https://a.test/x.pdf", "application/pdf", html, true), ("https://a.test/x.csv", "text/csv", html, true),
        ("https://a.test/x.pdf", "application/pdf", "%PDF-1.7", false),
        ("https://a.test/x.html", "text/html", html, false),
        ("https://a.test/x.xls", "application/vnd.ms-excel", html, false),
        ("https://a.test/x.md", "text/plain", html, false),
        ("https://a.test/x.zip", "application/octet-stream", html, true),
    ])
    func noticesPagesInsteadOfDocuments(url: String, type: String, content: String, isPage: Bool) throws {
        #expect(try makeNamer().propose(facts(url, type: type, content: content)).isPageInstead == isPage)
    }
}
