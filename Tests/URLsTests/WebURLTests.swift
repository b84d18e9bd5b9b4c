import Testing
import URLs

struct WebURLTests {
    @Test func partsAreWhereTheyBelong() throws {
        let url = try #require(WebURL("HTTPS://User:P%20w@Example.ORG:8443/a/../b c?q=1#f"))
        #expect(url.href == "https://User:P%20w@example.org:8443/b%20c?q=1#f")
        #expect(url.scheme == "https")
        #expect(url.username == "User")
        #expect(url.password == "P%20w")
        #expect(url.host == "example.org")
        #expect(url.port == 8443)
        #expect(url.path == "/b%20c")
        #expect(url.query == "q=1")
        #expect(url.fragment == "f")
        #expect(url.pathAndQuery == "/b%20c?q=1")
        #expect(url.origin == "https://example.org:8443")
        #expect(url.withoutFragment.href == "https://User:P%20w@example.org:8443/b%20c?q=1")
        #expect(url.withoutUserinfo.href == "https://example.org:8443/b%20c?q=1#f")
        #expect(url.withoutUserinfo.query == "q=1")
        #expect(url.withoutUserinfo.fragment == "f")
        #expect(url.key == "https://example.org:8443/b%20c?q=1")
    }

    @Test(
        arguments: [
            ("http://h", 80, nil), ("http://h:80", 80, nil), ("https://h:80", 80, 80), ("ftp://h", 21, nil),
            ("foo://h", nil, nil), ("file:///x", nil, nil),
        ] as [(String, UInt16?, UInt16?)])
    func port(_ input: String, effective: UInt16?, written: UInt16?) throws {
        let url = try #require(WebURL(input))
        #expect(url.effectivePort == effective)
        #expect(url.port == written)
    }

    /// FAULTS H12: one resource under five spellings is one key; B10: what looks like another host is not.
    @Test(arguments: [
        ("HTTP://EXAMPLE.org:80/a/./b/../c#x", "http://example.org/a/c"),
        ("http://example.org/%7Ea", "http://example.org/%7Ea"),
        ("http://good.com#@127.0.0.1/", "http://good.com/"), ("http://good.com\\@evil/", "http://good.com/@evil/"),
        ("http://u@example.org/", "http://example.org/"), ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"), ("http://例え。テスト/", "http://xn--r8jz45g.xn--zckzah/"),
        ("http:\\\\h\\a", "http://h/a"), ("ht\ntp://h/\ta", "http://h/a"), ("  http://h/a b ", "http://h/a%20b"),
        ("http://h/a?", "http://h/a?"), ("http://h/\u{0}a", "http://h/%00a"), ("http://h/\r\nX: y", "http://h/X:%20y"),
        ("file:///C|/x", "file:///C:/x"), ("data:text/plain,a b", "data:text/plain,a b"),
    ])
    func key(of input: String, is key: String) {
        #expect(WebURL(input)?.key == key)
    }

    @Test(arguments: [
        ("https://h/a?utm_source=x&id=1#f", "https://h/a?id=1"), ("https://h/a?utm_source=x", "https://h/a"),
        ("https://h/a?", "https://h/a?"), ("https://h/a?id=1&&x", "https://h/a?id=1&&x"),
        ("https://h/a?%73id=3&b", "https://h/a?b"), ("https://h/a", "https://h/a"), ("https://h/a?sid", "https://h/a"),
    ])
    func namedParametersDoNotCount(in input: String, key: String) throws {
        let filter = ParameterFilter(["utm_*", "sid"])
        #expect(try #require(WebURL(input)).key(ignoring: filter) == key)
    }

    @Test(arguments: [
        "", "/x", "http://", "http://h:99999/", "http://h:a/", "http://a b/", "http://xn--a/", "http://[1::2::3]/",
        "http://256.1.1.1/", "http://1.2.3.4.5/", "http://%zz/", "http://u@/", "http:///", "https://:80/", "//h/",
        "http://h<a/", "http://a%00b/", "http://[::1", "http://[::1%25eth0]/",
    ])
    func noURL(_ input: String) {
        #expect(WebURL(input) == nil)
    }

    @Test(arguments: [
        ("b", "http://h/x/b"), ("../b", "http://h/b"), ("?q", "http://h/x/a?q"), ("#f", "http://h/x/a?o#f"),
        ("", "http://h/x/a?o"), ("//g/y", "http://g/y"), ("/y", "http://h/y"), ("http:y", "http://h/x/y"),
        ("https:y", "https://y/"), ("\\y", "http://h/y"), ("mailto:a@b", "mailto:a@b"), (".", "http://h/x/"),
        ("%2E%2e/b", "http://h/b"), ("/..//../a", "http://h/a"), ("javascript:alert(1)", "javascript:alert(1)"),
        ("localhost:8080/x", "localhost:8080/x"),
    ])
    func relative(_ input: String, gives href: String) throws {
        let base = try #require(WebURL("http://h/x/a?o#g"))
        #expect(WebURL(input, base: base)?.href == href)
    }

    @Test func bytesThatAreNotUTF8CountAsReplacement() {
        #expect(WebURL(utf8: Array("http://h/".utf8) + [0xFF])?.href == "http://h/%EF%BF%BD")
        #expect(WebURL(utf8: Array("http://h".utf8) + [0xFF]) == nil)
    }

    @Test(arguments: [
        ("https://u:p@h/a?b=c#d", "https://h/a?b=c#d"), ("https://h/a?token=abc&x=1", "https://h/a?token=***&x=1"),
        ("https://h/?X-Amz-Signature=ab&X-Amz-Date=1", "https://h/?X-Amz-Signature=***&X-Amz-Date=1"),
        ("https://h/?access_token=a&sig=b#f", "https://h/?access_token=***&sig=***#f"),
        ("https://h/?%70assword=a", "https://h/?%70assword=***"),
        ("https://h/?monkey=1&design=2", "https://h/?monkey=1&design=2"),
        ("https://h/?API-KEY=1", "https://h/?API-KEY=***"), ("https://h/?a", "https://h/?a"),
    ])
    func shownWithoutSecrets(_ input: String, as shown: String) throws {
        let url = try #require(WebURL(input))
        #expect(url.displayed == shown)
        #expect("\(url)" == shown)
    }

    @Test(
        arguments: [
            ("https://www.bbc.co.uk/", "bbc.co.uk"), ("https://a.b.example.org./", "example.org"),
            ("https://co.uk/", nil),
            ("https://a.github.io/", "a.github.io"), ("http://127.0.0.1/", nil), ("http://[::1]/", nil),
            ("http://localhost/", nil), ("https://www.食狮.公司.cn/", "xn--85x722f.xn--55qx5d.cn"), ("data:,x", nil),
        ] as [(String, String?)])
    func registrableDomain(of input: String, is domain: String?) throws {
        #expect(try #require(WebURL(input)).registrableDomain(PublicSuffixes()) == domain)
    }

    @Test func publicSuffixIsKnown() {
        let suffixes = PublicSuffixes()
        #expect(suffixes.isPublicSuffix("co.uk"))
        #expect(suffixes.isPublicSuffix("com."))
        #expect(!suffixes.isPublicSuffix("bbc.co.uk"))
        #expect(!suffixes.isPublicSuffix("127.0.0.1"))
    }

    @Test func hostileLengthsCostLinearTime() {
        let dots = String(repeating: "a/", count: 100_000) + String(repeating: "../", count: 100_000)
        #expect(WebURL("http://h/" + dots)?.href == "http://h/")
        #expect(WebURL("http://" + String(repeating: "@", count: 200_000) + "h/")?.host == "h")
        #expect(WebURL("http://" + String(repeating: "1.", count: 200_000) + "/") == nil)
        #expect(WebURL("http://" + String(repeating: "[", count: 200_000) + "/") == nil)
        #expect(WebURL("http://h:" + String(repeating: "9", count: 200_000) + "/") == nil)
        #expect(WebURL(String(repeating: "/", count: 200_000) + "h", base: WebURL("http://g/"))?.href == "http://h/")
    }
}
