import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Telling of runs", .timeLimit(.minutes(1)))
    struct NotifyTests {
        /// A site with one file under `/`, which is broken while `isBroken`; whatever else is asked is answered with 200,
        /// but for `/down`.
        private func serving(
            _ isBroken: Switch, _ body: (FaultServer, Sandbox) async throws -> Void
        ) async throws {
            let handler: FaultServer.Handler = { request in
                switch request.path {
                case "/": [.send(Response.page(["a;$(id) -x.pdf"]))]
                case "/down": [.send(Response.bytes([], status: "500 Down"))]
                case _ where request.path.hasSuffix(".pdf"):
                    [.send(isBroken.isOn ? Response.notFound : Response.pdf("a"))]
                default: [.send(Response.bytes(Array("OK".utf8), type: "text/plain"))]
                }
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.folder.write(
                        "tell", "#!/bin/sh\n{ cat; printf '%s|' \"$@\"; env | grep ^NIGHTJAR_ | sort; } >>\"$OUT\"\n")
                    chmod("\(sandbox.folder.path)/tell", 0o755)
                    try await body(server, sandbox)
                }
            }
        }

        private func write(_ sandbox: Sandbox, _ server: FaultServer, _ notify: String, _ more: String = "") throws {
            let rest = "download: { extensions: [pdf] }\nfetch: { retries: 0 }\n\(more)"
            try sandbox.write("job", "start: [\"\(server.origin)/\"]\n\(rest)\nnotify:\n\(notify)")
        }

        private func run(_ sandbox: Sandbox, _ arguments: String..., expecting status: Int32) async throws -> Outcome {
            var program = sandbox.runProgram(arguments)
            program.environment["OUT"] = "\(sandbox.folder.path)/out"
            program.environment["PATH"] = "\(sandbox.folder.path)/bin:/usr/bin:/bin"
            let outcome = try await program.run()
            #expect(outcome.ending == .exited(status), "\(outcome)")
            return outcome
        }

        @Test("A command gets words and the report's path, by no shell")
        func command() async throws {
            let isBroken = Switch(true)
            try await serving(isBroken) { server, sandbox in
                let words = "[\"\(sandbox.folder.path)/tell\", \"$(id)\", \"; exit 1\", \"-n\"]"
                try write(sandbox, server, "  - command: \(words)")
                _ = try await run(sandbox, "--quiet", expecting: 1)
                let run = try sandbox.report("job").run.id
                let path = "\(sandbox.root.path)/reports/job/\(run).json"
                let lines = try sandbox.folder.text("out").split(separator: "\n").map(String.init)
                #expect(
                    lines == [
                        path, "$(id)|; exit 1|-n|NIGHTJAR_EXIT_STATUS=1", "NIGHTJAR_JOB=job", "NIGHTJAR_REPORT=\(path)",
                        "NIGHTJAR_RUN=\(run)", "NIGHTJAR_STATUS=partial",
                    ])
                // It is for failures only.
                isBroken.isOn = false
                _ = try await self.run(sandbox, "--quiet", expecting: 0)
                #expect(try sandbox.folder.text("out").split(separator: "\n").count == lines.count)
            }
        }

        @Test("A change is something new, something gone, or another status")
        func change() async throws {
            let isBroken = Switch(false)
            try await serving(isBroken) { server, sandbox in
                try write(sandbox, server, "  - { on: change, command: [\"\(sandbox.folder.path)/tell\"] }")
                func told() -> Int {
                    ((try? sandbox.folder.text("out")) ?? "").split(separator: "\n").filter { $0.hasPrefix("/") }.count
                }
                _ = try await run(sandbox, expecting: 0)
                #expect(told() == 1)
                _ = try await run(sandbox, expecting: 0)
                #expect(told() == 1)
                isBroken.isOn = true
                _ = try await run(sandbox, expecting: 0)
                #expect(told() == 2, "what answers 404 now is gone")
            }
        }

        @Test("JSON is posted, and a health check asked at start and end")
        func web() async throws {
            let isBroken = Switch(false)
            try await serving(isBroken) { server, sandbox in
                let notify = """
                      - { on: always, post: { env: HOOK } }
                      - ping: \(server.origin)/check/?id=7
                    """
                try write(sandbox, server, notify)
                var program = sandbox.runProgram(["--quiet"])
                let missing = try await program.run()
                #expect(missing.ending == .exited(2), "\(missing)")
                program.environment["HOOK"] = "\(server.origin)/hook/secret-token"
                #expect(try await program.run().ending == .exited(0))
                let requests = server.requests
                #expect(requests.map(\.target).contains("/check/start?id=7"))
                #expect(requests.last?.target == "/check/?id=7")
                let post = try #require(requests.first { $0.method == "POST" })
                #expect(post.target == "/hook/secret-token" && post["content-type"] == "application/json")
                let json = try #require(
                    try JSONSerialization.jsonObject(with: Data(post.body)) as? [String: Any])
                #expect(json["job"] as? String == "job" && json["status"] as? String == "succeeded")
                #expect((json["counts"] as? [String: Any])?["downloaded"] as? Int == 1)
                #expect((json["text"] as? String)?.hasPrefix("job: succeeded") == true)
                isBroken.isOn = true
                try sandbox.root.write("marker", "")
                try write(sandbox, server, "  - ping: \(server.origin)/check", "crawl: { depth: 0 }")
                program.environment["HOOK"] = nil
                try sandbox.write(
                    "other", "start: [\"\(server.origin)/gone.pdf\"]\nnotify: [{ ping: \(server.origin)/b }]")
                _ = try await run(sandbox, "--quiet", "other", expecting: 3)
                #expect(server.requests.map(\.target).suffix(1) == ["/b/fail"])
            }
        }

        @Test("A mail goes through sendmail")
        func mail() async throws {
            try await serving(Switch(true)) { server, sandbox in
                try sandbox.folder.write("bin/sendmail", "#!/bin/sh\n{ echo \"$@\"; cat; } >\"$OUT\"\n")
                chmod("\(sandbox.folder.path)/bin/sendmail", 0o755)
                try write(sandbox, server, "  - mail: [ops@example.org, \"o'x+y@example.org\"]")
                _ = try await run(sandbox, "--quiet", expecting: 1)
                let mail = try sandbox.folder.text("out")
                let parts = mail.components(separatedBy: "\n\n")
                #expect(
                    parts[0].hasPrefix("-i -t\nTo: ops@example.org, o'x+y@example.org\nSubject: nightjar: job partial"))
                #expect(parts[0].contains("\nAuto-Submitted: auto-generated"))
                #expect(mail.contains("http-status") && mail.contains(sandbox.root.path))
            }
        }

        @Test("A notifier that fails is a warning in report and log, and fails nothing")
        func failing() async throws {
            try await serving(Switch(false)) { server, sandbox in
                let notify = """
                      - { on: always, command: [/nowhere/tell] }
                      - { on: always, command: [/bin/sh, -c, "echo broken >&2; exit 9"] }
                      - { on: always, command: [/bin/sleep, "60"], timeout: 1s }
                      - { on: always, post: "\(server.origin)/down", timeout: 1s }
                    """
                try write(sandbox, server, notify)
                let outcome = try await run(sandbox, "--quiet", expecting: 0)
                let warnings = try sandbox.report("job").warnings
                #expect(warnings.map(\.code) == ["notify-failed", "notify-failed", "notify-failed", "notify-failed"])
                let messages = warnings.map(\.message).joined(separator: "\n")
                for word in ["/nowhere/tell cannot be started", "status 9; it said: broken", "was killed after 1.0 s"] {
                    #expect(messages.contains(word), "\(messages)")
                }
                #expect(messages.contains("127.0.0.1 answered with status 500"))
                #expect(outcome.errorText.split(separator: "\n").count == 4, "nobody else would be told: \(outcome)")
                let run = try sandbox.report("job").run.id
                #expect(try sandbox.root.text("reports/job/\(run).log").contains("notify-failed"))
                #expect(sandbox.root.files("reports").allSatisfy { !$0.name.contains("tmp") })
            }
        }

        @Test("Metrics are written whole, for one job and for all", .enabled(if: Program.isInstalled("python3")))
        func metrics() async throws {
            try await serving(Switch(true)) { server, sandbox in
                let folder = sandbox.folder.path
                let lines = "start: [\"\(server.origin)/\"]\ndownload: { extensions: [pdf] }\nfetch: { retries: 0 }"
                try sandbox.write("a", "\(lines)\nmetrics: \(folder)/a.prom")
                try sandbox.write("b", "start: [\"\(server.origin)/x\"]")
                _ = try await run(sandbox, "--quiet", "--metrics", "\(folder)/all.prom", "a", expecting: 1)
                _ = try await run(sandbox, "--quiet", "--metrics", "\(folder)/all.prom", "b", expecting: 0)
                let all = try Metrics(sandbox.folder.text("all.prom"))
                #expect(all["nightjar_last_run_exit_status{job=\"a\"}"] == 1)
                #expect(all["nightjar_last_run_exit_status{job=\"b\"}"] == 0)
                #expect(all["nightjar_last_run_status{job=\"a\",status=\"partial\"}"] == 1)
                #expect(all["nightjar_last_run_status{job=\"a\",status=\"succeeded\"}"] == 0)
                #expect(all["nightjar_last_run_items{job=\"a\",status=\"failed\"}"] == 1)
                #expect(all["nightjar_last_success_timestamp_seconds{job=\"a\"}"] == nil)
                let success = try #require(all["nightjar_last_success_timestamp_seconds{job=\"b\"}"])
                #expect(abs(success - Date().timeIntervalSince1970) < 60)
                let own = try Metrics(sandbox.folder.text("a.prom"))
                #expect(own.samples.keys.allSatisfy { $0.contains("job=\"a\"") } && !own.samples.isEmpty)
                #expect(sandbox.folder.names.filter { $0.contains(".tmp") }.isEmpty)
                if Program.isInstalled("promtool") {
                    var promtool = try Program.tool("promtool", ["check", "metrics"])
                    promtool.inputFile = "\(folder)/all.prom"
                    let outcome = try await promtool.run()
                    #expect(outcome.ending == .exited(0) && outcome.errors.isEmpty, "\(outcome)")
                }
                // A place that cannot be written to is a warning.
                let outcome = try await run(
                    sandbox, "--quiet", "--metrics", "\(folder)/nowhere/x.prom", "b", expecting: 0)
                #expect(outcome.errorText.contains("the metrics were not written"))
            }
        }
    }
}

/// The text format of Prometheus, read strictly: each family has its help and type first and stands in one piece, no
/// sample comes twice, and no line has a time.
private struct Metrics {
    private(set) var samples: [String: Double] = [:]

    struct Wrong: Error { let line: String }

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Wrong(line: "no end") }
        var families: Set<String> = []
        var family = ""
        for line in text.dropLast().components(separatedBy: "\n") {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# HELP ") {
                guard words.count == 4, families.insert(words[2]).inserted else { throw Wrong(line: line) }
                family = words[2]
            } else if line.hasPrefix("# TYPE ") {
                guard words == ["#", "TYPE", family, "gauge"] else { throw Wrong(line: line) }
            } else {
                guard words.count == 2, let value = Double(words[1]), words[0].hasPrefix(family + "{"),
                    words[0].range(
                        of: #"^[a-z_]+\{[a-z_]+="[^"\\]*"(,[a-z_]+="[^"\\]*")*\}$"#, options: .regularExpression)
                        != nil, samples.updateValue(value, forKey: words[0]) == nil
                else { throw Wrong(line: line) }
            }
        }
    }

    subscript(name: String) -> Double? { samples[name] }
}
