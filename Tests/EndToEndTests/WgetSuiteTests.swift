import FoundationEssentials
import JSON
import TestSupport
import Testing

private let suites =
    ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"]
    ?? URL(filePath: #filePath).appending(path: "../../../../shared/suites").standardized.path

extension EndToEnd {
    /// wget's own scenarios, their options put into manifests.
    @Suite("wget's scenarios", .timeLimit(.minutes(2)))
    struct WgetSuiteTests {
        /// What one path answers.
        private struct Answer {
            var status = "200"
            var content: [UInt8] = []
            var fields: [(String, String)] = []
            /// `user:password`.
            var login: String?
        }
        private struct Scenario {
            let name: String
            let command: String
            let urls: [String]
            var answers: [String: Answer] = [:]
            /// What wget has in the end.
            var outputs: [[UInt8]] = []
            /// Paths that it asked for.
            var crawled: [String] = []
            var status: Int

            var isRecursive: Bool {
                command.contains("--recursive") || command.split(separator: " ").contains { $0.hasPrefix("-r") }
            }
            var login: String? {
                let words = command.split { $0 == " " || $0 == "=" }.map(String.init)
                guard let user = words.firstIndex(of: "--user"), let password = words.firstIndex(of: "--password")
                else {
                    return nil
                }
                return "\(words[user + 1]):\(words[password + 1])"
            }
        }

        /// What no manifest says, since it is no mirroring, or is held by other tests.
        private static let others = [
            "--method", "--post-file", "--start-pos", "http_proxy", "/dev/full", "cookie", "netrc", "--spider ",
            "Spider",
            "missing-scheme", "--https-only", "auth-no-challenge-url", "-k ", "--convert-links", "iri", "204",
            "with-content-disposition", "password=TheEye", "user=Sauron\"",
        ]

        private func scenarios() throws -> [Scenario] {
            func rows(_ file: String) throws -> [JSONValue] {
                let data = try Data(contentsOf: URL(filePath: "\(suites)/wget-scenarios/\(file)"))
                return try JSONValue(parsing: Array(data)[...]).elements ?? []
            }
            let all = try rows("wget_perl.json").map(perl) + rows("wget_testenv.json").map(python)
            return all.filter { row in
                !Self.others.contains { row.name.contains($0) || row.command.contains($0) } && !row.urls.isEmpty
            }
        }

        private func members(_ value: JSONValue?) -> [JSONMember] {
            if case .object(let members)? = value { members } else { [] }
        }

        private func perl(_ row: JSONValue) -> Scenario {
            let command = row["cmdline"]?.text ?? ""
            let words = command.split(separator: " ").map(String.init)
            let prefix = "http://localhost:{{port}}"
            var scenario = Scenario(
                name: row["test"]?.text ?? "", command: command,
                urls: words.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) },
                status: number(row["errcode"]))
            for member in members(row["input"]) {
                var answer = Answer(status: member.value["code"]?.text ?? "200")
                answer.content = member.value["content"]?.bytes ?? []
                answer.fields = members(member.value["headers"]).map { ($0.name, $0.value.text ?? "") }
                scenario.answers[member.name] = answer
            }
            for member in members(row["output"]) {
                guard let content = member.value["content"]?.bytes else { continue }
                scenario.outputs.append(content)
                // wget -r keeps what it asked for below the same path.
                scenario.crawled += scenario.answers.filter { $0.value.content == content }.map(\.key).prefix(1)
            }
            return scenario
        }

        private func python(_ row: JSONValue) -> Scenario {
            let files = row["pre"]?["ServerFiles"]?.elements?.first?.elements ?? []
            let urls = row["options"]?["Urls"]?.elements?.first?.elements?.compactMap(\.text) ?? []
            var scenario = Scenario(
                name: row["test"]?.text ?? "", command: row["options"]?["WgetCommands"]?.text ?? "",
                urls: urls.map { "/" + $0 }, status: number(row["post"]?["ExpectedRetcode"]))
            for file in files {
                let rules = file["rules"]
                var answer = Answer(content: file["content"]?.bytes ?? [])
                if case .number(let status)? = rules?["Response"] { answer.status = status }
                answer.fields = members(rules?["SendHeader"]).map { ($0.name, $0.value.text ?? "") }
                if let login = rules?["Authentication"], login["Type"]?.text == "Basic" {
                    answer.login = "\(login["User"]?.text ?? ""):\(login["Pass"]?.text ?? "")"
                }
                let name = file["name"]?.text ?? ""
                if !answer.fields.contains(where: { $0.0.lowercased() == "content-type" }) {
                    answer.fields.append(("Content-Type", name.hasSuffix(".html") ? "text/html" : "text/plain"))
                }
                scenario.answers["/" + name] = answer
            }
            scenario.outputs = row["post"]?["ExpectedFiles"]?.elements?.compactMap { $0["content"]?.bytes } ?? []
            scenario.crawled =
                row["post"]?["FilesCrawled"]?.elements?.first?.elements?.compactMap(\.text)
                .filter { $0.hasPrefix("GET ") }.map { String($0.dropFirst(4)) } ?? []
            return scenario
        }

        private func number(_ value: JSONValue?) -> Int {
            if case .number(let text)? = value { Int(text) ?? -1 } else { 0 }
        }

        @Test(
            "Each brings what wget brings, and asks for what wget asks for",
            .enabled(if: FileManager.default.fileExists(atPath: "\(suites)/wget-scenarios/wget_perl.json")))
        func scenariosAgree() async throws {
            let scenarios = try scenarios()
            #expect(scenarios.count >= 25)
            try await Sandbox.with { sandbox in
                try await serving(scenarios[...], in: sandbox, environment: [:]) { program in
                    _ = try await program.run(timeout: .seconds(100))
                }
            }
        }

        /// Serves each scenario from a server of its own, runs all jobs at once, and looks at what came of them.
        private func serving(
            _ rest: ArraySlice<Scenario>, in sandbox: Sandbox, environment: [String: String],
            _ run: (Program) async throws -> Void
        ) async throws {
            guard let scenario = rest.first else {
                var program = sandbox.runProgram([])
                program.environment.merge(environment) { _, new in new }
                return try await run(program)
            }
            let job = "row-\(rest.startIndex)"
            try await FaultServer.serving(handler(scenario)) { server in
                var environment = environment
                environment["LOGIN_\(rest.startIndex)"] = scenario.login
                let login = scenario.login == nil ? "" : ", auth: { basic: { env: LOGIN_\(rest.startIndex) } }"
                let start = scenario.isRecursive ? scenario.urls : ["/nightjar-index"]
                try sandbox.write(
                    job,
                    """
                    start: [\(start.map { "\"\(server.origin)\($0)\"" }.joined(separator: ", "))]
                    crawl: { depth: \(scenario.isRecursive ? 5 : 0), scope: host }
                    download: { \(scenario.isRecursive ? "" : "include: [\"*\"], ")reject-types: [] }
                    fetch: { retries: 1\(login) }
                    name: { template: "{stem}.{ext}" }
                    """)
                try await serving(rest.dropFirst(), in: sandbox, environment: environment, run)
                try check(scenario, job, server, sandbox)
            }
        }

        private func handler(_ scenario: Scenario) -> FaultServer.Handler {
            let (answers, index) = (scenario.answers, Response.page(scenario.urls))
            return { request in
                if request.target == "/nightjar-index" { return [.send(index)] }
                let path = request.target.hasSuffix("/") ? request.target + "index.html" : request.target
                guard let answer = answers[request.target] ?? answers[path] else { return [.send(Response.notFound)] }
                if let login = answer.login, request["authorization"] != "Basic " + base64(Array(login.utf8)) {
                    return [.send(Response.bytes([], status: "401 Who"))]
                }
                let host = request["host"] ?? ""
                func expanded(_ text: String) -> String { text.replacing("localhost:{{port}}", with: host) }
                let content = Array(expanded(String(decoding: answer.content, as: UTF8.self)).utf8)
                let type = answer.fields.first { $0.0.lowercased() == "content-type" }?.1 ?? "text/plain"
                let fields = answer.fields.filter { !["content-type", "content-length"].contains($0.0.lowercased()) }
                return [
                    .send(
                        Response.bytes(
                            content, status: "\(answer.status) X", type: type,
                            headers: fields.map { "\($0.0): \(expanded($0.1))" }))
                ]
            }
        }

        private func check(_ scenario: Scenario, _ job: String, _ server: FaultServer, _ sandbox: Sandbox) throws {
            if scenario.isRecursive {
                let asked = Set(server.requests.map(\.path).map { $0.hasSuffix("/") ? $0 + "index.html" : $0 })
                for path in scenario.crawled where path != "/robots.txt" && scenario.answers[path] != nil {
                    #expect(asked.contains(path), "\(scenario.name): \(path) was not asked for")
                }
                return
            }
            let files = sandbox.root.files("files/\(job)").map(\.name)
            let contents = try files.map { try sandbox.root.read("files/\(job)/\($0)") }
            // What was there before, or is another server's, is not for this job to bring.
            let served = scenario.answers.values.filter { $0.status == "200" }.map(\.content)
            for output in scenario.outputs where served.contains(output) {
                #expect(contents.contains(output), "\(scenario.name): \(files)")
            }
            // What wget fails on is a failure here too, and nothing of it is kept.
            if scenario.outputs.isEmpty { #expect(files.isEmpty, "\(scenario.name)") }
            if scenario.status != 0 { #expect(try sandbox.report(job).run.exit_status != 0, "\(scenario.name)") }
        }
    }
}

private func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
