import Model
import Testing
import URLs

@Suite("The keys of cookies")
struct CookieKeyTests {
    @Test("Jars, and what is told of a login")
    func reading() throws {
        #expect(try #require(readJob(below: "")).cookies.jar == .isolated)
        #expect(try #require(readJob(below: "cookies: { isolated: true }")).cookies.jar == .isolated)
        #expect(try #require(readJob(below: "cookies: { ephemeral: true }")).cookies.jar == .ephemeral)
        #expect(try #require(readJob(below: "cookies: { pool: a-1, isolated: false }")).cookies.jar == .pool("a-1"))
        let cookies = try #require(
            readJob(
                below: """
                    cookies:
                      import: c.txt
                      keep-session: true
                      login:
                        url: https://a.org/login#x
                        page: https://a.org/form
                        json: { user: "1", n: 1, stay: true, password: { env: P } }
                        hidden: { csrf: "input[name=csrf]" }
                        success: { status: 302, cookie: sid, selector: a }
                      expired: { redirects-to: "*/login*", selector: form }
                    """)
        ).cookies
        #expect(cookies.keepsSession && cookies.importPath?.hasSuffix("c.txt") == true)
        let login = try #require(cookies.login)
        #expect(login.url.href == "https://a.org/login" && login.page?.href == "https://a.org/form")
        #expect(login.form == .json)
        #expect(
            login.fields.map(\.value) == [.text("1"), .literal("1"), .literal("true"), .secret(.environment("P"))])
        #expect(login.hidden == [HiddenField(name: "csrf", selector: "input[name=csrf]")])
        #expect(login.success.status == 302 && login.success.cookie == "sid" && login.success.selector == "a")
        #expect(cookies.expired.redirectsTo != nil && cookies.expired.selector == "form")
    }

    @Test(
        "What is wrong is told at its place",
        arguments: [
            ("cookies: { pool: a, ephemeral: true }", "a job has one jar"),
            ("cookies: { isolated: true, pool: b }", "a job has one jar"),
            ("cookies: { isolated: false }", "what else?"), ("cookies: { pool: ../x }", "a name of a-z"),
            ("cookies: { login: { form: { a: b } } }", "this key is required"),
            ("cookies: { login: { url: 'https://a.org/' } }", "it needs form or json"),
            ("cookies: { login: { url: 'ftp://a.org/', form: { a: b } } }", "a URL that begins with https://"),
            ("cookies: { login: { url: 'https://u:p@a.org/', form: { a: b } } }", "a password must not stand"),
            ("cookies: { login: { url: 'https://a.org/', form: { a: b }, json: { a: b } } }", "a form or JSON"),
            ("cookies: { login: { url: 'https://a.org/', form: { Password: hunter2 } } }", "a secret must not stand"),
            ("cookies: { login: { url: 'https://a.org/', form: { a: b }, hidden: 'a[' } }", "a name was expected"),
            (
                "cookies: { login: { url: 'https://a.org/', form: { a: b }, success: { cookie: 'a=b' } } }",
                "a cookie's name"
            ),
            ("cookies: { expired: { redirects-to: '/[/' } }", "redirects-to"),
        ])
    func wrong(line: String, message: String) {
        let found = problems(below: line)
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
        #expect(found.first?.contains("hunter2") != true)
    }
}
