import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Logging in", .timeLimit(.minutes(2)))
    struct LoginTests {
        /// A site whose pages are for those who are logged in; it can end all sessions.
        private final class Site: Sendable {
            private let state = Mutex((session: 0, logins: [String](), served: 0))
            /// After so many answers the session ends, once.
            let endsAfter: Int?

            init(endsAfter: Int? = nil) { self.endsAfter = endsAfter }

            var logins: [String] { state.withLock { $0.logins } }

            func answer(_ request: Request) -> [Action] {
                if request.path == "/login", request.method == "POST" { return [.send(logIn(request))] }
                if request.path == "/login" {
                    let form = """
                        <!doctype html><form id=login method=post><input type=hidden name=csrf value="t&amp;k=1 ü">
                        <input type=hidden name=_next value="/"><input name=user></form>
                        """
                    return [
                        .send(
                            Response.bytes(
                                Array(form.utf8), type: "text/html; charset=utf-8",
                                headers: ["Set-Cookie: pre=SECRET-PRE; Path=/"]))
                    ]
                }
                let isKnown = state.withLock { state in
                    state.served += 1
                    if let endsAfter, state.served == endsAfter { state.session += 1 }
                    return CookieTests.has(request, "sid=SECRET-S\(state.session)") && state.session > 0
                }
                guard isKnown else {
                    return [.send(Response.redirect(to: "/login?next=\(request.path)"))]
                }
                if request.path.hasSuffix(".pdf") { return [.send(Response.pdf(request.path))] }
                return [.send(Response.page((0..<30).map { "/f/\($0).pdf" } + ["/login?out"]))]
            }

            private func logIn(_ request: Request) -> [UInt8] {
                let body = String(decoding: request.body, as: UTF8.self)
                let good = [
                    "user=me&password=SECRET+P%26&csrf=t%26k%3D1+%C3%BC&_next=%2F",
                    #"{"user":"me","password":"SECRET P&","stay":true}"#,
                ]
                let isGood = good.contains(body) && (body.hasPrefix("{") || CookieTests.has(request, "pre=SECRET-PRE"))
                return state.withLock { state in
                    state.logins.append(body)
                    guard isGood else {
                        return Response.bytes(Array("<form id=login>wrong password</form>".utf8), type: "text/html")
                    }
                    state.session += 1
                    return Response.bytes(
                        [], status: "303 See Other", type: "text/plain",
                        headers: ["Set-Cookie: sid=SECRET-S\(state.session); Path=/; HttpOnly", "Location: /"])
                }
            }
        }

        private static let form = """
            form: { user: me, password: { file: password } }
                hidden: "form#login input[type=hidden]"
            """

        private func with(
            _ site: Site, login: String = form, more: String = "", password: String = "SECRET P&",
            _ body: (Sandbox, FaultServer) async throws -> Void
        ) async throws {
            try await FaultServer.serving({ site.answer($0) }) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.jobs.write("password", password + "\n")
                    try sandbox.write(
                        "job",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        fetch: { retries: 0, concurrency: 4 }
                        cookies:
                          login:
                            url: \(server.origin)/login
                            \(login)
                          \(more)
                        """)
                    try await body(sandbox, server)
                    #expect(try sandbox.filesHolding("SECRET") == [])
                }
            }
        }

        @Test(
            "A form with hidden fields, or JSON; success by status, cookie, selector or by itself",
            arguments: [
                form, form + "\n    success: { status: 303, cookie: sid }",
                form + "\n    success: { status: 200, selector: \"a[href$='.pdf']\" }",
                "json: { user: me, password: { file: password }, stay: true }",
                """
                form: { user: me, password: { file: password } }
                    hidden: { csrf: "input[name=csrf]", _next: "input[name=_next]" }
                """,
            ])
        func success(login: String) async throws {
            let site = Site()
            try await with(site, login: login) { sandbox, _ in
                let outcome = try await sandbox.run("job")
                #expect(!outcome.description.contains("SECRET"))
                #expect(try sandbox.report("job").counts.downloaded == 30)
                #expect(site.logins.count == 1)
            }
        }

        @Test(
            "A login that fails ends the job with status 3, and nothing is asked for",
            arguments: [
                (form, "no cookie was set"), (form + "\n    success: { cookie: sid }", "the cookie sid was not set"),
                (form + "\n    success: { status: 303 }", "303 was expected"),
                (form + "\n    success: { selector: \"a.logout\" }", "a.logout matches nothing"),
                ("form: { user: me }\n    hidden: { x: \"input.none\" }", "holds nothing that input.none matches"),
            ])
        func failure(login: String, reason: String) async throws {
            let site = Site()
            try await with(site, login: login, password: "SECRET-wrong") { sandbox, server in
                let outcome = try await sandbox.run("job", expecting: 3)
                let report = try sandbox.report("job")
                #expect(report.run.status == "failed" && report.counts.downloaded == 0)
                #expect(report.failures.map { $0.error?.code } == ["login"])
                #expect(report.failures.first?.error?.message.contains(reason) == true, "\(report.failures)")
                #expect(!outcome.description.contains("SECRET"))
                #expect(server.requests.allSatisfy { $0.path == "/login" })
            }
        }

        @Test(
            "A session that ends in the middle of a run is renewed once, and nothing is lost",
            arguments: [
                "expired: { redirects-to: \"*/login*\" }", "expired: { selector: \"form#login\" }",
            ])
        func expired(rule: String) async throws {
            let site = Site(endsAfter: 15)
            try await with(site, more: rule) { sandbox, _ in
                try await sandbox.run("job")
                let report = try sandbox.report("job")
                #expect(report.counts.downloaded == 30 && report.counts.failed == 0)
                #expect(site.logins.count == 2)
                #expect(report.warnings.map(\.code) == ["session-expired"])
            }
        }

        @Test("A form that is shown again is no success, whatever cookies come with it")
        func shownAgain() async throws {
            let handler: FaultServer.Handler = { request in
                let body = Array("<form><input type=password name=p></form>".utf8)
                return [.send(Response.bytes(body, type: "text/html", headers: ["Set-Cookie: n=1"]))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "job",
                        """
                        start: ["\(server.origin)/"]
                        cookies: { login: { url: "\(server.origin)/login", form: { user: me } } }
                        """)
                    try await sandbox.run("job", expecting: 3)
                    let message = try sandbox.report("job").failures.first?.error?.message
                    #expect(message?.contains("asks for the login again") == true)
                }
            }
        }

        @Test("What stays forbidden after a new login fails, and does not have the job log in for ever")
        func forbidden() async throws {
            let site = Site()
            let handler: FaultServer.Handler = { request in
                if request.path == "/f/3.pdf" || request.path.hasSuffix("9.pdf") {
                    return [.send(Response.redirect(to: "/login"))]
                }
                return site.answer(request)
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.jobs.write("password", "SECRET P&")
                    try sandbox.write(
                        "job",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        fetch: { retries: 0, concurrency: 1 }
                        cookies:
                          login: { url: "\(server.origin)/login", json: { user: me, password: { file: password }, stay: true } }
                          expired: { redirects-to: "/login*" }
                        """)
                    try await sandbox.run("job", expecting: 1)
                    let report = try sandbox.report("job")
                    #expect(report.counts.downloaded == 26)
                    #expect(report.failures.allSatisfy { $0.error?.code == "login" } && report.counts.failed == 4)
                    #expect((2...4).contains(site.logins.count))
                }
            }
        }
    }
}
