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
            /// Fields that must be asked with, and fields that must not; an empty value stands for any.
            var expected: [(String, String)] = []
            var rejected: [(String, String)] = []

            func isRight(_ request: Request) -> Bool {
                func has(_ field: (String, String)) -> Bool {
                    // A jar may send its cookies in another order.
                    let pairs = request[field.0].map { Set($0.split(separator: ";").map { $0.trimmed }) } ?? []
                    let wanted = Set(field.1.split(separator: ";").map { $0.trimmed })
                    return !pairs.isEmpty && wanted.isSubset(of: pairs)
                }
                return expected.allSatisfy(has) && !rejected.contains(where: has)
            }
        }
        private struct Scenario {
            let name: String
            let command: String
            let urls: [String]
            var answers: [String: Answer] = [:]
            /// What wget has in the end.
            var outputs: [[UInt8]] = []
            /// Paths that it asked for, of each list one.
            var crawled: [[String]] = []
            var status: Int
            var netrc: String?
            /// The server is the proxy of other hosts.
            var isProxied: Bool { command.contains("http_proxy") }

            var isRecursive: Bool {
                command.contains("--recursive") || command.split(separator: " ").contains { $0.hasPrefix("-r") }
            }
            var login: String? {
                // A manifest's URLs hold no passwords.
                if let end = command.firstRange(of: "@localhost"),
                    let start = command.firstRange(of: "//")
                {
                    return String(command[start.upperBound..<end.lowerBound])
                }
                let words = command.split { $0 == " " || $0 == "=" }.map(String.init)
                guard let user = words.firstIndex(of: "--user"), let password = words.firstIndex(of: "--password")
                else {
                    return nil
                }
                return "\(words[user + 1]):\(words[password + 1])"
            }
        }

        /// What no manifest asks for, and why.
        private static let leftOut: [(mark: String, reason: String)] = [
            ("--method", "no GET"), ("--post-file", "no GET"), ("--spider", "nothing is to be kept"),
            ("--start-pos", "a part of a file alone"), ("/dev/full", "what is done to other files of the disk"),
            ("/foo/bar", "a start without a scheme, which the manifest's tests refuse"),
            ("--https-only", "links are left out by their scheme"), ("-k ", "content is to be changed"),
            ("--convert-links", "content is to be changed"), ("--no-iri", "URLs are to be encoded as no browser does"),
            ("--local-encoding=EUC-JP", "a command line in another encoding"),
        ]

        private func scenarios() throws -> [Scenario] {
            func rows(_ file: String) throws -> [JSONValue] {
                let data = try Data(contentsOf: URL(filePath: "\(suites)/wget-scenarios/\(file)"))
                return try JSONValue(parsing: Array(data)[...]).elements ?? []
            }
            let all = try rows("wget_perl.json").map(perl) + rows("wget_testenv.json").map(python)
            return all.filter { row in
                !Self.leftOut.contains { row.command.contains($0.mark) } && !row.urls.isEmpty
                    && !(row.netrc != nil && row.command.hasPrefix("--password"))
            }
        }

        private func members(_ value: JSONValue?) -> [JSONMember] {
            if case .object(let members)? = value { members } else { [] }
        }

        private func perl(_ row: JSONValue) -> Scenario {
            let command = row["cmdline"]?.text ?? ""
            var scenario = Scenario(
                name: row["test"]?.text ?? "", command: command, urls: urls(command), status: number(row["errcode"]))
            for member in members(row["input"]) {
                var answer = Answer(status: member.value["code"]?.text ?? "200")
                answer.content = bytes(member.value["content"])
                answer.fields = members(member.value["headers"]).map { ($0.name, $0.value.text ?? "") }
                if let user = member.value["user"]?.text, let password = member.value["passwd"]?.text {
                    answer.login = "\(user):\(password)"
                }
                // What the pattern was is not recorded.
                if member.value["request_headers"]?["Cookie"] != nil { answer.expected.append(("Cookie", "")) }
                scenario.answers[member.name] = answer
            }
            for member in members(row["output"]) where member.value["content"] != nil {
                let content = bytes(member.value["content"])
                scenario.outputs.append(content)
                // wget -r keeps what it asked for below the same path.
                scenario.crawled.append(scenario.answers.filter { $0.value.content == content }.map(\.key))
            }
            return scenario
        }

        /// URLs on a command line: paths of the server, or whole ones of hosts that it is the proxy of.
        private func urls(_ command: String) -> [String] {
            let words = command.split(separator: " ").map(String.init).filter { $0.hasPrefix("http://") }
            return words.map { word in
                let own = word.firstRange(of: "localhost:{{port}}")
                // A name that was typed in UTF-8.
                let typed = String(decoding: bytes(.string(Array(word.utf8))), as: UTF8.self)
                return own.map { String(word[$0.upperBound...]) } ?? typed
            }
        }

        /// The recorded texts are bytes, each written as one character.
        private func bytes(_ value: JSONValue?) -> [UInt8] {
            let scalars = (value?.text ?? "").unicodeScalars.map(\.value)
            return scalars.allSatisfy { $0 < 256 } ? scalars.map { UInt8($0) } : value?.bytes ?? []
        }

        private func python(_ row: JSONValue) -> Scenario {
            let files = row["pre"]?["ServerFiles"]?.elements?.first?.elements ?? []
            let urls = row["options"]?["Urls"]?.elements?.first?.elements?.compactMap(\.text) ?? []
            let command = row["options"]?["WgetCommands"]?.text ?? ""
            var scenario = Scenario(
                name: row["test"]?.text ?? "", command: command, urls: urls.map { "/" + $0 } + self.urls(command),
                status: number(row["post"]?["ExpectedRetcode"]))
            let local = row["pre"]?["LocalFiles"]?.elements ?? []
            scenario.netrc = local.first { $0["name"]?.text == ".netrc" }?["content"]?.text
            for file in files {
                let rules = file["rules"]
                var answer = Answer(content: file["content"]?.bytes ?? [])
                if case .number(let status)? = rules?["Response"] { answer.status = status }
                answer.fields = members(rules?["SendHeader"]).map { ($0.name, $0.value.text ?? "") }
                if let login = rules?["Authentication"], login["Type"]?.text == "Basic" {
                    answer.login = "\(login["User"]?.text ?? ""):\(login["Pass"]?.text ?? "")"
                }
                let secrets: Set = ["cookie", "authorization"]
                for (rule, path) in [("ExpectHeader", \Answer.expected), ("RejectHeader", \Answer.rejected)] {
                    answer[keyPath: path] = members(rules?[rule]).map { ($0.name, $0.value.text ?? "") }.filter {
                        secrets.contains($0.0.lowercased())
                    }
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
                .filter { $0.hasPrefix("GET ") }.map { [String($0.dropFirst(4))] } ?? []
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
            print("wget-scenarios: \(scenarios.count) replayed")
            #expect(scenarios.count >= 50)
            try await Sandbox.with { sandbox in
                try sandbox.folder.write("netrc", "machine 127.0.0.1 login Sauron password TheEye\n")
                let environment = ["NETRC": "\(sandbox.folder.path)/netrc"]
                try await serving(scenarios[...], in: sandbox, environment: environment) { program in
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
                try sandbox.write(job, manifest(scenario, server, login))
                try await serving(rest.dropFirst(), in: sandbox, environment: environment, run)
                try check(scenario, job, server, sandbox)
            }
        }

        private func manifest(_ scenario: Scenario, _ server: FaultServer, _ login: String) -> String {
            let words = scenario.command.split { $0 == " " || $0 == "=" }.map(String.init)
            let usesNetrc = scenario.netrc != nil && !words.contains("--no-netrc")
            let isDirect = scenario.isRecursive || scenario.isProxied || usesNetrc
            let user = usesNetrc ? words.firstIndex(of: "--user").map { words[$0 + 1] + "@" } ?? "" : ""
            let start = (isDirect ? scenario.urls : ["/nightjar-index"]).map { url in
                url.hasPrefix("/") ? "http://\(user)127.0.0.1:\(server.port)\(url)" : url
            }
            // wget goes through its URLs one after the other, and so do its cookies.
            let isInOrder = scenario.answers.values.contains { !$0.expected.isEmpty || !$0.rejected.isEmpty }
            var fetch = isInOrder ? "concurrency: 1, retries: 20\(login)" : "retries: 1\(login)"
            if scenario.isProxied { fetch += ", proxy: \"\(server.origin)\"" }
            if usesNetrc { fetch += ", auth: { netrc: true }" }
            return """
                start: [\(start.map { "\"\($0)\"" }.joined(separator: ", "))]
                crawl: { depth: \(scenario.isRecursive ? 5 : 0), scope: \(scenario.isProxied ? "any" : "host") }
                download: { \(scenario.isRecursive ? "" : "include: [\"*\"], ")reject-types: [] }
                fetch: { \(fetch) }
                name: { template: "{stem}.{ext}" }
                """
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
                // What came too early comes again.
                guard answer.isRight(request) else {
                    return [.send(Response.bytes([], status: "503 Not yet", headers: ["Retry-After: 0"]))]
                }
                let host = request["host"] ?? ""
                func expanded(_ text: String) -> String { text.replacing("localhost:{{port}}", with: host) }
                let mark = Array("localhost:{{port}}".utf8)
                var content = answer.content
                while let place = content.firstRange(of: mark) { content.replaceSubrange(place, with: host.utf8) }
                // wget takes what says nothing of itself for a page.
                let usual = path.hasSuffix(".html") ? "text/html" : "text/plain"
                let type = answer.fields.first { $0.0.lowercased() == "content-type" }?.1 ?? usual
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
                let asked = Set(server.requests.map(\.target).map { $0.hasSuffix("/") ? $0 + "index.html" : $0 })
                for paths in scenario.crawled.map({ $0.filter { scenario.answers[$0] != nil } }) {
                    guard !paths.isEmpty, !paths.contains(where: { $0.hasSuffix("/robots.txt") }) else { continue }
                    #expect(paths.contains(where: asked.contains), "\(scenario.name): \(paths) not asked for: \(asked)")
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

extension Substring {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
