import Crawling
import Model
import Testing
import URLs

struct FTPListingTests {
    private func entries(_ text: String, at address: String = "ftp://h.example/pub/") -> [String] {
        let page = LinkExtractor().links(in: Array(text.utf8), url: url(address), contentType: nil)
        return page.links.map { "\($0.source) \($0.url.href)" }
    }

    private let expected = [
        "ftp[folder] ftp://h.example/pub/old%20files/", "ftp[file] ftp://h.example/pub/a%20%20b.pdf",
        "ftp[file] ftp://h.example/pub/x%23y%3Fz%25.txt",
    ]

    @Test func asUnixWritesThem() {
        let text = """
            total 12
            drwxr-xr-x    2 ftp      ftp          4096 Jan 01  2026 .
            drwxr-xr-x    2 ftp      ftp          4096 Jan 01  2026 ..
            drwxr-xr-x    2 ftp      ftp          4096 Jan 01  2026 old files
            -rw-r--r--    1 ftp      ftp       2097152 Feb 28 12:30 a  b.pdf
            -rw-r--r--+   1 ftp                      3 2026-02-28 12:30 x#y?z%.txt
            """
        #expect(entries(text.replacing("\n", with: "\r\n")) == expected)
        let others = """
            lrwxrwxrwx   1 root root   11 31 Dec 2025 latest -> old files/x
            crw-rw-rw-   1 root root 1, 3 Jan  1 00:00 null
            ?rw-rw-rw-   1 root root    3 Jan  1 00:00 odd
            """
        #expect(entries(others) == ["ftp[file] ftp://h.example/pub/latest"])
    }

    @Test func asDOSWritesThem() {
        let text = """
            01-01-26  12:00AM       <DIR>          old files
            02-28-2026  12:30             2097152 a  b.pdf
            02-28-26  12:30PM                    3 x#y?z%.txt
            """
        #expect(entries(text) == expected)
    }

    @Test func asMachinesReadThem() {
        let text = """
            type=cdir;modify=20260101000000; /pub
            type=pdir;modify=20260101000000; ..
            Type=dir;modify=20260101000000;perm=el; old files
            modify=20260228123000;type=file;size=2097152; a  b.pdf
            type=file;size=3; x#y?z%.txt
            """
        #expect(entries(text) == expected)
        #expect(entries("+i8.4,m8257,/,\told files\r\n+i8.5,r,s280,\ta  b.pdf\n+r,s3,\tx#y?z%.txt") == expected)
    }

    @Test(arguments: [
        "-rw-r--r-- 1 a b 3 Jan 1 2026 ../../etc/passwd", "-rw-r--r-- 1 a b 3 Jan 1 2026 /etc/passwd",
        "type=file; ../x", "drwxr-xr-x 1 a b 3 Jan 1 2026 ..", "+r,\ta/b", "01-01-26  12:00AM 3 a/b",
        "-rw-r--r-- 1 a b 3 Jan 1 2026 ", "total 5", "", "-rw", "http://h.example/x", "<a href=x>x</a>",
        "d--------- Jan", ";", "type=dir;", "+\t",
    ])
    func whatLeadsOutOrIsNoEntryIsNone(line: String) { #expect(entries(line).isEmpty) }

    @Test func bytesComeBackAsTheyCame() {
        let line = Array("-rw-r--r-- 1 a b 3 Jan 1 2026 ".utf8) + [0xBA, 0xB8, 0x3A, 0x2E, 0x2E]
        let page = LinkExtractor().links(in: line, url: url("ftp://h.example/pub/"), contentType: nil)
        #expect(page.links.map(\.url.href) == ["ftp://h.example/pub/%BA%B8%3A.."])
    }

    @Test func onlyAFolderIsAListing() {
        #expect(entries("-rw-r--r-- 1 a b 3 Jan 1 2026 x", at: "ftp://h.example/pub/list.txt").isEmpty)
        let file = "-rw-r--r-- 1 a b 3 Jan 1 2026 x"
        #expect(entries(file, at: "sftp://h.example/~/pub/") == ["ftp[file] sftp://h.example/~/pub/x"])
    }
}
