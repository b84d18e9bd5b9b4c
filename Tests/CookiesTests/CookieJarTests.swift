@testable import Cookies
import Testing
import URLs

@Suite("A jar of cookies")
struct CookieJarTests {
    /// A cookie that a server sets, and whether it is kept.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let from, field: String
        let isKept: Bool
        var testDescription: String { "\(field.prefix(60)) from \(from)" }

        init(_ from: String, _ field: String, _ isKept: Bool) {
            self.from = from
            self.field = field
            self.isKept = isKept
        }
    }

    @Test(
        "What nobody may set is not kept",
        arguments: [
            // C10: public suffixes, in any case and with dots.
            Refusal("http://a.co.uk/", "n=v; Domain=co.uk", false),
            Refusal("http://a.co.uk/", "n=v; Domain=co.UK", false),
            Refusal("http://a.com/", "n=v; Domain=com.", false),
            Refusal("http://a.com./", "n=v; Domain=com.", false),
            Refusal("http://me.blogspot.com/", "n=v; Domain=blogspot.com", false),
            Refusal("http://a.nowhere/", "n=v; Domain=.nowhere", false),
            Refusal("http://blogspot.com/", "n=v; Domain=blogspot.com", true),
            Refusal("http://localhost/", "n=v; Domain=localhost", true),
            Refusal("http://b.a.co.uk/", "n=v; Domain=a.co.uk", true),
            // C11: whole labels, and addresses only as they are.
            Refusal("http://example.com/", "n=v; Domain=ample.com", false),
            Refusal("http://ample.com/", "n=v; Domain=example.com", false),
            Refusal("http://127.0.0.1/", "n=v; Domain=27.0.0.1", false),
            Refusal("http://127.0.0.1/", "n=v; Domain=0.0.1", false),
            Refusal("http://127.0.0.1/", "n=v; Domain=127.0.0.1", true),
            Refusal("http://[::1]/", "n=v; Domain=1]", false),
            Refusal("http://[::1]/", "n=v", true),
            Refusal("http://xn--bcher-kva.example/", "n=v; Domain=bücher.example", false),
            // C12 and the prefixes.
            Refusal("http://a.com/", "n=v; Secure", false),
            Refusal("https://a.com/", "n=v; Secure", true),
            Refusal("https://a.com/", "__Secure-n=v", false),
            Refusal("https://a.com/", "__SECURE-n=v", false),
            Refusal("https://a.com/", "__Secure-n=v; Secure", true),
            Refusal("https://a.com/", "__Host-n=v; Secure; Path=/", true),
            Refusal("https://a.com/x/y", "__Host-n=v; Secure", false),
            Refusal("https://a.com/", "__Host-n=v; Secure; Path=/; Domain=a.com", false),
            Refusal("https://a.com/", "__hOST-n=v; Path=/", false),
            // C14: control characters, also where they might begin a second line or column.
            Refusal("http://a.com/", "n=v\u{1}", false),
            Refusal("http://a.com/", "n=v\r\nX: y", false),
            Refusal("http://a.com/", "n=a\tb", false),
            Refusal("http://a.com/", "n=v; Path=/\u{7f}", false),
            Refusal("http://a.com/", "n=v; Path=/a\tb", false),
            Refusal("http://a.com/", "n=\u{0}", false),
            // Without a name there is nothing to find it by, and it could pass for one with a prefix.
            Refusal("http://a.com/", "=__Host-x=v", false),
            Refusal("http://a.com/", "alone", false),
            // C15: sizes.
            Refusal("http://a.com/", "n=" + String(repeating: "v", count: 4095), true),
            Refusal("http://a.com/", "n=" + String(repeating: "v", count: 4096), false),
            Refusal("http://a.com/", "n=v; Max-Age=60; Path=/" + String(repeating: "p", count: 2000), true),
            Refusal("http://a.com/", "n=v; Expires=Thu, 01 Jan 1970 00:00:00 GMT", false),
            Refusal("http://a.com/", "n=v; Max-Age=0; Expires=Thu, 01 Jan 2037 00:00:00 GMT", false),
            Refusal("http://a.com/", "n=v; Max-Age=-99999999999999999999999", false),
            Refusal("http://a.com/", "n=v; Max-Age=99999999999999999999999999", true),
            Refusal("http://a.com/", "n=v; SameSite=Strict; Priority=High; Partitioned", true),
        ])
    func refusals(row: Refusal) throws {
        var jar = CookieJar()
        let effect = try jar.receive(row.field, from: row.from)
        #expect(jar.count == (row.isKept ? 1 : 0))
        #expect(effect == (row.isKept ? .changed : .none))
    }

    /// A cookie that is set, and whether another URL gets it.
    struct Sending: Sendable, CustomTestStringConvertible {
        let from, field, to: String
        let isSent: Bool
        var testDescription: String { "\(field) from \(from) to \(to)" }

        init(_ from: String, _ field: String, _ to: String, _ isSent: Bool) {
            self.from = from
            self.field = field
            self.to = to
            self.isSent = isSent
        }
    }

    @Test(
        "A cookie goes where it belongs and nowhere else",
        arguments: [
            Sending("http://a.com/", "n=v", "http://a.com/x", true),
            Sending("http://a.com/", "n=v", "http://a.com:8080/x", true),
            Sending("http://a.com/", "n=v", "http://b.a.com/", false),
            Sending("http://b.a.com/", "n=v; Domain=a.com", "http://a.com/", true),
            Sending("http://b.a.com/", "n=v; Domain=.A.com", "http://c.a.com/", true),
            Sending("http://b.a.com/", "n=v; Domain=a.com", "http://xa.com/", false),
            Sending("http://127.0.0.1/", "n=v; Domain=127.0.0.1", "http://1.127.0.0.1.example/", false),
            Sending("http://a.com/d/e", "n=v", "http://a.com/d", true),
            Sending("http://a.com/d/e", "n=v", "http://a.com/d/", true),
            Sending("http://a.com/d/e", "n=v", "http://a.com/dd", false),
            Sending("http://a.com/d/e", "n=v; Path=/", "http://a.com/dd", true),
            Sending("http://a.com/d", "n=v; Path=/d/", "http://a.com/d", false),
            Sending("https://a.com/", "n=v; Secure", "http://a.com/", false),
            Sending("https://a.com/", "n=v; Secure", "https://a.com/", true),
            Sending("https://a.com/", "n=v", "http://a.com/", true),
            Sending("http://a.com/", "n=v; HttpOnly", "http://a.com/", true),
        ])
    func sending(row: Sending) throws {
        var jar = CookieJar()
        _ = try jar.receive(row.field, from: row.from)
        #expect(try jar.header(row.to) == (row.isSent ? "n=v" : nil))
    }

    @Test("Plain http neither replaces, removes nor hides what came over https (C12)")
    func overlay() throws {
        var jar = CookieJar()
        _ = try jar.receive("n=good; Secure; Domain=a.com; Path=/login", from: "https://a.com/login")
        for field in [
            "n=evil; Path=/login", "n=evil; Path=/login/en", "n=evil; Domain=a.com; Path=/login",
            "n=; Max-Age=0; Domain=a.com; Path=/login",
        ] {
            #expect(try jar.receive(field, from: "http://b.a.com/login/x") == .none, "\(field)")
        }
        #expect(try jar.header("https://a.com/login") == "n=good")
        #expect(try jar.receive("n=other; Path=/", from: "http://a.com/") == .changed, "another path hides nothing")
    }

    @Test("A new value takes the old one's place, and keeps its turn")
    func update() throws {
        var jar = CookieJar()
        for field in ["a=1", "b=2", "a=3"] { _ = try jar.receive(field, from: "http://a.com/") }
        #expect(try jar.header("http://a.com/") == "a=3; b=2")
        #expect(try jar.receive("a=3", from: "http://a.com/") == .none)
        #expect(try jar.receive("a=3; Max-Age=50", from: "http://a.com/") == .prolonged)
        #expect(try jar.header("http://a.com/", now: fixedNow + 60) == "b=2")
        #expect(try jar.receive("b=; Max-Age=0", from: "http://a.com/") == .changed)
        #expect(pairs(jar) == ["a=3"])
    }

    @Test("Nobody fills the memory, or makes a request too long (C15)")
    func bounds() throws {
        var jar = CookieJar()
        let fields = (0..<200).map { Array("n\($0)=v; Max-Age=\(1000 + $0)".utf8) }
        _ = jar.receive(fields, from: try url("http://a.com/"), now: fixedNow)
        #expect(jar.count == Bounds.perAnswer)
        for number in 0..<10_000 {
            _ = try jar.receive("m\(number)=\(String(repeating: "x", count: 100))", from: "http://h\(number % 40).org/")
        }
        #expect((Bounds.inJar * 9 / 10...Bounds.inJar).contains(jar.count))
        for number in 0..<1000 { _ = try jar.receive("k\(number)=v", from: "http://a.com/") }
        #expect(pairs(jar).contains("k999=v"), "the newest stay")
        #expect((150...Bounds.perDomain).contains(jar.cookies.count { $0.identity.domain == "a.com" }))
        #expect(try jar.header("http://a.com/")?.split(separator: ";").count == Bounds.perRequest)
        for number in 0..<10 {
            _ = try jar.receive("l\(number)=\(String(repeating: "x", count: 4000))", from: "http://l.com/")
        }
        let header = try #require(try jar.header("http://l.com/"))
        #expect(header.utf8.count <= Bounds.header && header.utf8.count > 4000)
    }

    @Test("No cookie lives longer than 400 days")
    func longestLife() throws {
        var jar = CookieJar()
        _ = try jar.receive("a=1; Max-Age=999999999", from: "http://a.com/")
        _ = try jar.receive("b=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT", from: "http://a.com/")
        #expect(jar.cookies.map(\.expires) == [fixedNow + 400 * 86400, fixedNow + 400 * 86400])
    }

    @Test("Two that changed one jar lose nothing: the newest wins where both changed the same cookie")
    func merge() throws {
        var base = CookieJar()
        for field in ["kept=0", "mine=0", "theirs=0", "both=0", "gone=0", "revived=0"] {
            _ = try base.receive(field, from: "http://a.com/")
        }
        base.settle()
        var (mine, theirs) = (base, base)
        for field in ["mine=1", "both=1", "gone=; Max-Age=0", "new=1"] {
            _ = try mine.receive(field, from: "http://a.com/", now: fixedNow + 10)
        }
        _ = try mine.receive("revived=; Max-Age=0", from: "http://a.com/", now: fixedNow + 10)
        for field in ["theirs=2", "both=2", "revived=2", "other=2"] {
            _ = try theirs.receive(field, from: "http://a.com/", now: fixedNow + 20)
        }
        theirs.settle()
        let merged = mine.merged(into: theirs, base: base, written: fixedNow + 20, now: fixedNow + 30)
        #expect(Set(pairs(merged)) == ["kept=0", "mine=1", "theirs=2", "both=2", "revived=2", "new=1", "other=2"])
        let earlier = mine.merged(into: theirs, base: base, written: fixedNow + 5, now: fixedNow + 30)
        #expect(Set(pairs(earlier)) == ["kept=0", "mine=1", "theirs=2", "both=1", "new=1", "other=2"])
    }
}
