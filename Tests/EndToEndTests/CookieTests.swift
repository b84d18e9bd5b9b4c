import Glibc
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Cookies that pages and downloads share", .timeLimit(.minutes(2)))
    struct CookieTests {
        static let page = "text/html; charset=utf-8"

        static func has(_ request: Request, _ pair: String) -> Bool {
            (request["cookie"] ?? "").split(separator: ";").contains { $0.drop { $0 == " " } == pair }
        }

        static let refused: [Action] = [.send(Response.bytes([], status: "403 Forbidden"))]

        @Test("A page's cookie goes with the next download, and a download's with the next page")
        func bothWays() async throws {
            let handler: FaultServer.Handler = { request in
                switch request.path {
                case "/":
                    return [
                        .send(
                            Response.bytes(
                                Array(Response.links(["one.pdf", "hop"]).utf8), type: Self.page,
                                headers: ["Set-Cookie: a=1"]))
                    ]
                case "/one.pdf":
                    guard Self.has(request, "a=1") else { return Self.refused }
                    return [.send(Response.pdf("one", headers: ["Set-Cookie: b=2"]))]
                case "/hop":
                    // As consent pages do: back to the same URL once the cookie is there.
                    if Self.has(request, "c=3") { return [.send(Response.page(["/two/"]))] }
                    let headers = ["Set-Cookie: c=3; Path=/", "Location: /hop"]
                    return [.send(Response.bytes([], status: "302 Found", type: "text/plain", headers: headers))]
                case "/two/":
                    guard Self.has(request, "a=1"), Self.has(request, "c=3") else { return Self.refused }
                    return [.send(Response.page(["two.pdf"]))]
                default:
                    guard Self.has(request, "b=2") else { return Self.refused }
                    return [.send(Response.pdf("two"))]
                }
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "both",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        fetch: { concurrency: 1, retries: 0 }
                        """)
                    try await sandbox.run("both")
                    #expect(try sandbox.report("both").counts.downloaded == 2)
                    #expect(!sandbox.root.files("cookies").contains { $0.name.hasPrefix("job.both") && $0.bytes == 0 })
                }
            }
        }

        /// A server of two names that remembers which cookies came to which.
        private static func names(_ server: FaultServer) -> String {
            "[\"www.one.test:\(server.port):127.0.0.1\", \"two.test:\(server.port):127.0.0.1\"]"
        }

        @Test("Neither the jar's cookies nor the manifest's own header follow a redirect to another site (C3)")
        func otherSite() async throws {
            let port = Mutex<UInt16>(0)
            let handler: FaultServer.Handler = { request in
                let host = (request["host"] ?? "").split(separator: ":").first
                if host == "two.test" { return [.send(Response.pdf("elsewhere"))] }
                switch request.path {
                case "/":
                    let headers = ["Set-Cookie: jar=SECRET-J; Domain=one.test", "Set-Cookie: evil=1; Domain=two.test"]
                    return [
                        .send(
                            Response.bytes(Array(Response.links(["a.pdf"]).utf8), type: Self.page, headers: headers))
                    ]
                default:
                    return [.send(Response.redirect(to: "http://two.test:\(port.withLock { $0 })/b.pdf"))]
                }
            }
            try await FaultServer.serving(handler) { server in
                port.withLock { $0 = server.port }
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "sites",
                        """
                        start: ["http://www.one.test:\(server.port)/"]
                        download: { extensions: [pdf] }
                        fetch: { resolve: \(Self.names(server)), headers: { Cookie: "own=SECRET-M" } }
                        """)
                    try await sandbox.run("sites")
                    let cookies = server.requests.map { "\($0["host"] ?? "") \($0.path): \($0["cookie"] ?? "-")" }
                    #expect(
                        cookies == [
                            "www.one.test:\(server.port) /: own=SECRET-M",
                            "www.one.test:\(server.port) /a.pdf: own=SECRET-M; jar=SECRET-J",
                            "two.test:\(server.port) /b.pdf: -",
                        ])
                    #expect(try sandbox.filesHolding("SECRET-") == [])
                }
            }
        }

        /// Sets a cookie that tells jobs apart: the job's start is `/<job>`.
        private static let telling: FaultServer.Handler = { request in
            let name = request.path.dropFirst()
            let headers = ["Set-Cookie: who=\(name); Path=/; Max-Age=600", "Set-Cookie: short=\(name); Path=/"]
            return [.send(Response.bytes(Array("<p>x".utf8), type: Self.page, headers: headers))]
        }

        @Test("Jars: a job's own is seen by nobody else, a pool's by all that name it, one in memory by no later run")
        func jars() async throws {
            try await FaultServer.serving(Self.telling) { server in
                try await Sandbox.with { sandbox in
                    func write(_ name: String, _ cookies: String) throws {
                        try sandbox.write(name, "start: [\"\(server.origin)/\(name)\"]\ncookies: \(cookies)")
                    }
                    try sandbox.write("own", "start: [\"\(server.origin)/own\"]")
                    try write("also-own", "{ isolated: true, keep-session: true }")
                    try write("pool-a", "{ pool: shared }")
                    try write("pool-b", "{ pool: shared }")
                    try write("memory", "{ ephemeral: true }")
                    for job in ["own", "also-own", "pool-a", "pool-b", "memory", "own", "also-own", "memory"] {
                        try await sandbox.run(job)
                    }
                    #expect(
                        server.requests.map { "\($0.path): \($0["cookie"] ?? "-")" } == [
                            "/own: -", "/also-own: -", "/pool-a: -", "/pool-b: who=pool-a", "/memory: -",
                            "/own: who=own", "/also-own: who=also-own; short=also-own", "/memory: -",
                        ])
                    let files = sandbox.root.files("cookies").filter { !$0.name.hasPrefix(".") }
                    #expect(files.map(\.name) == ["job.also-own.txt", "job.own.txt", "shared.txt"])
                    #expect(files.allSatisfy { $0.mode & 0o777 == 0o600 })
                }
            }
        }

        @Test("Two jobs at once that share a pool never lose a session that changes with every answer")
        func rotation() async throws {
            let sessions = Rotation(window: 16)
            let handler: FaultServer.Handler = { request in
                // Some requests take much longer than others to reach what looks at the session.
                if Int.random(in: 0..<8) == 0 { usleep(60_000) }
                guard let next = sessions.next(request["cookie"] ?? "") else { return Self.refused }
                let headers = ["Set-Cookie: sid=\(next); Path=/"]
                let pause = Action.pause(.milliseconds(Int.random(in: 0..<8)))
                if request.path.hasSuffix(".pdf") {
                    return [pause, .send(Response.pdf(request.path, headers: headers))]
                }
                let names = (0..<100).map { "\(request.path)\($0).pdf" }
                return [
                    pause, .send(Response.bytes(Array(Response.links(names).utf8), type: Self.page, headers: headers)),
                ]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    for job in ["left", "right"] {
                        try sandbox.write(
                            job,
                            """
                            start: ["\(server.origin)/\(job)/"]
                            download: { extensions: [pdf] }
                            fetch: { retries: 0 }
                            cookies: { pool: rotating }
                            """)
                    }
                    try sandbox.folder.write("c.txt", "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t0\n")
                    let imported = try await sandbox.cookies("import", "rotating", "\(sandbox.folder.path)/c.txt")
                    #expect(imported.ending == .exited(0), "\(imported)")
                    async let left = sandbox.run("left")
                    async let right = sandbox.run("right")
                    _ = try await (left, right)
                    #expect(sessions.refusals == 0)
                    for job in ["left", "right"] { #expect(try sandbox.report(job).counts.downloaded == 100) }
                    #expect(
                        try sandbox.root.text("cookies/rotating.txt").contains("sid") == false, "the session is over")
                }
            }
        }

        @Test("Killed while the jar is written, the old or the new one is there, whole", arguments: 0..<6)
        func killed(moment: Int) async throws {
            let count = Counter()
            let handler: FaultServer.Handler = { request in
                let number = count.next()
                let headers = (0..<40).map { "Set-Cookie: n\($0)=\(number); Path=/; Max-Age=6000" }
                if request.path != "/" { return [.send(Response.pdf(request.path, headers: headers))] }
                let names = (0..<60).map { "\($0).pdf" }
                return [.send(Response.bytes(Array(Response.links(names).utf8), type: Self.page, headers: headers))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "kill",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        cookies: { pool: kill }
                        """)
                    let running = try sandbox.runProgram(["kill"]).launch()
                    _ = try await eventually { !running.isRunning || server.requests.count >= 2 + moment * 9 }
                    try await Task.sleep(for: .microseconds(moment * 300))
                    running.send(SIGKILL)
                    _ = try await running.finish()
                    if sandbox.root.exists("cookies/kill.txt") {
                        let lines = try sandbox.root.text("cookies/kill.txt").split(separator: "\n")
                        let cookies = lines.filter { !$0.hasPrefix("#") }
                        #expect(cookies.count == 40)
                        #expect(cookies.allSatisfy { $0.split(separator: "\t").count == 7 })
                        // All of one answer, or of several that were merged: never half a line, never half a jar.
                        #expect(lines.first == "# Netscape HTTP Cookie File")
                    }
                    let listing = try await sandbox.cookies("list", "kill")
                    #expect(
                        listing.errorText.contains("no jar") || listing.outputText.split(separator: "\n").count == 40)
                    try await sandbox.run("kill")
                    #expect(
                        sandbox.root.files("cookies").map(\.name) == [
                            ".kill.lock", ".kill.turn", ".kill.use", "kill.txt",
                        ])
                }
            }
        }

        @Test("cookies import, list, export, clear")
        func command() async throws {
            try await Sandbox.with { sandbox in
                try sandbox.folder.write(
                    "browser.txt",
                    """
                    # Netscape HTTP Cookie File
                    .example.org\tTRUE\t/\tTRUE\t4102444800\tsid\tSECRET-1
                    broken line
                    #HttpOnly_www.example.org\tFALSE\t/x\tFALSE\t0\tshort\tSECRET-2
                    .co.uk\tTRUE\t/\tFALSE\t0\twide\tSECRET-3

                    """)
                let path = "\(sandbox.folder.path)/browser.txt"
                let imported = try await sandbox.cookies("import", "news", path)
                #expect(imported.ending == .exited(0))
                #expect(imported.outputText == "2 cookies imported into news\n")
                #expect(imported.errorText.contains("browser.txt:3: warning"))
                #expect(imported.errorText.contains("browser.txt:5: warning"))
                #expect(!imported.errorText.contains("SECRET"))
                let list = try await sandbox.cookies("list", "news")
                #expect(
                    list.outputText == """
                        .example.org  /  sid  until 2100-01-01T00:00:00Z  Secure
                        www.example.org  /x  short  session  HttpOnly

                        """)
                #expect(try await sandbox.cookies("list", "news", "--json").outputText.contains("SECRET") == false)
                #expect(try await sandbox.cookies("list", "news", "--show-values").outputText.contains("sid=SECRET-1"))
                #expect(try await sandbox.cookies("list").outputText.hasPrefix("news: 2 cookies\n"))
                let exported = try await sandbox.cookies("export", "news")
                try sandbox.folder.write("again.txt", exported.output)
                #expect(
                    try await sandbox.cookies("import", "other", "\(sandbox.folder.path)/again.txt").outputText
                        == "2 cookies imported into other\n")
                #expect(try await sandbox.cookies("export", "other").output == exported.output)
                #expect(try await sandbox.cookies("clear", "news").outputText == "2 cookies removed from news\n")
                #expect(try await sandbox.cookies("list", "news").outputText.isEmpty)
                for wrong in [
                    ["list", "nobody"], ["list", "../x"], ["import", "a/b", path], ["export"], ["eat", "x"],
                ] {
                    let outcome = try await sandbox.cookies(wrong)
                    #expect(outcome.ending == .exited(2), "\(wrong): \(outcome)")
                }
                #expect(sandbox.root.files("cookies").allSatisfy { $0.mode & 0o777 == 0o600 })
            }
        }

        @Test("A browser's cookies.txt is taken at each run if it is newer; its broken lines are warnings")
        func importing() async throws {
            let handler: FaultServer.Handler = { _ in [.send(Response.page([]))] }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("import", "start: [\"\(server.origin)/\"]\ncookies: { import: browser.txt }")
                    func browser(_ value: String) throws {
                        try sandbox.jobs.write(
                            "browser.txt", "127.0.0.1\tFALSE\t/\tFALSE\t4102444800\tp\t\(value)\nSECRET\n")
                    }
                    try browser("SECRET-1")
                    try await sandbox.run("import")
                    #expect(try sandbox.report("import").warnings.map(\.code) == ["cookie-line"])
                    #expect(try sandbox.report("import").warnings.first?.message.contains("browser.txt:2: ") == true)
                    _ = try await sandbox.cookies("clear", "job.import")
                    try await sandbox.run("import")
                    try await Task.sleep(for: .milliseconds(20))
                    try browser("SECRET-2")
                    try await sandbox.run("import")
                    let sent = server.requests.map { $0["cookie"] ?? "-" }
                    #expect(sent == ["p=SECRET-1", "-", "p=SECRET-2"])
                    #expect(try sandbox.filesHolding("SECRET") == [])
                }
            }
        }
    }
}

/// A server's session that has a new value with every answer.
private final class Rotation: Sendable {
    private let state = Mutex((next: 1, refusals: 0))
    private let window: Int

    /// - Parameter window: how many of the last values are taken.
    init(window: Int) { self.window = window }

    var refusals: Int { state.withLock { $0.refusals } }

    /// The value to set; nil for a session that is lost.
    func next(_ cookie: String) -> Int? {
        state.withLock { state in
            guard cookie.hasPrefix("sid="), let value = Int(cookie.dropFirst(4)), value >= state.next - window else {
                state.refusals += 1
                return nil
            }
            defer { state.next += 1 }
            return state.next
        }
    }
}

extension Sandbox {
    func cookies(_ arguments: String...) async throws -> Outcome { try await cookies(arguments) }

    func cookies(_ arguments: [String]) async throws -> Outcome {
        try await Program.nightjar(["cookies"] + arguments + ["--root", root.path]).run()
    }

    /// Files below the root that hold a text, but for the jars, whose purpose it is.
    func filesHolding(_ text: String) throws -> [String] {
        try root.files("").filter { !$0.name.hasPrefix("cookies/") }.filter { file in
            try root.read(file.name).firstRange(of: Array(text.utf8)) != nil
        }.map(\.name)
    }
}
