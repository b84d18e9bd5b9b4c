import Foundation
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct ReportTests {
        private static let python = "/usr/bin/python3"
        private static let hasJSONSchema = FileManager.default.fileExists(
            atPath: "/usr/lib/python3/dist-packages/jsonschema")

        /// Validates every report and every line of every items file of a job; gives the statuses of the runs, and of the
        /// items and hand-offs of all of them.
        private func validate(_ job: String, in sandbox: Sandbox) async throws -> [String] {
            let schema = try await Program.nightjar(["report", "--schema"]).run()
            try sandbox.folder.write("schema.json", String(decoding: schema.output, as: UTF8.self))
            try sandbox.folder.write(
                "validate.py",
                """
                import glob, json, jsonschema, sys
                schema = json.load(open(sys.argv[1]))
                jsonschema.Draft202012Validator.check_schema(schema)
                whole = jsonschema.Draft202012Validator(schema)
                item = jsonschema.Draft202012Validator(
                    {"$schema": schema["$schema"], "$ref": "#/$defs/item", "$defs": schema["$defs"]})
                seen = set()
                started = lambda path: json.load(open(path))["run"]["started"]
                for path in sorted(glob.glob(sys.argv[2] + "/2*Z-*.json"), key=started):
                    report = json.load(open(path))
                    whole.validate(report)
                    lines = open(path[:-5] + ".items.jsonl").read().splitlines()
                    for line in lines: item.validate(json.loads(line))
                    seen |= {json.loads(line)["status"] for line in lines}
                    seen |= {h["status"] for b in report["bundles"] for h in b["handoffs"]}
                    counts = report["counts"]
                    assert sum(counts[k] for k in counts if k not in ("pages", "links")) == len(lines)
                    print(report["run"]["status"])
                print(*sorted(seen))
                """)
            let outcome = try await Program(
                path: Self.python,
                [
                    "\(sandbox.folder.path)/validate.py", "\(sandbox.folder.path)/schema.json",
                    "\(sandbox.root.path)/reports/\(job)",
                ]
            ).run()
            #expect(outcome.ending == .exited(0), "\(outcome)")
            return String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        /// Pages by path, which may change while the server runs.
        private final class Pages: Sendable {
            private let pages: Mutex<[String: String]>

            init(_ root: String) { pages = Mutex(["/": root]) }

            subscript(path: String) -> String? {
                get { pages.withLock { $0[path] } }
                set { pages.withLock { $0[path] = newValue } }
            }
        }

        private static func site(_ pages: Pages) -> FaultServer.Handler {
            { request in
                if request.path == "/stall.pdf" { return [.stall] }
                if request.path.hasPrefix("/same"), let body = pages[request.path] {
                    return [.send(Response.bytes(Array(body.utf8), type: "application/pdf"))]
                }
                if request.path.hasSuffix(".pdf"), !request.path.contains("none"), !request.path.contains("same") {
                    return [.send(Response.pdf(request.path))]
                }
                guard let page = pages[request.path] else { return [.send(Response.notFound)] }
                return [.send(Response.bytes(Array(page.utf8), type: "text/html; charset=utf-8"))]
            }
        }

        @Test(.enabled(if: hasJSONSchema, "no python3-jsonschema"))
        func everyKindOfReportIsByTheSchema() async throws {
            let pages = Pages("<a href=a.pdf>a</a>")
            try await FaultServer.serving(Self.site(pages)) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "job",
                        """
                        start: "\(server.origin)/"
                        download: { extensions: [pdf] }
                        fetch: { retries: 0 }
                        pack: [{ format: zip }]
                        handoff: [{ to: "file://\(sandbox.folder.path)/out" }, { to: "file:///proc/nowhere/out" }]
                        """)
                    pages["/same-1.pdf"] = "%PDF-1.4 same"
                    pages["/same-2.pdf"] = "%PDF-1.4 same"
                    pages["/"] =
                        "<a href=a.pdf>a</a><a href=same-1.pdf>b</a><a href=same-2.pdf>c</a><a href=x.exe>d</a>"
                    try await sandbox.run("job", expecting: 1)
                    pages["/same-2.pdf"] = nil
                    pages["/"] = "<a href=a.pdf>a</a><a href=none.pdf>b</a><a href=same-2.pdf>c</a>"
                    try await sandbox.run("job", expecting: 1)
                    pages["/"] = "nothing"
                    try await sandbox.run("job", expecting: 1)
                    pages["/"] = "<a href=stall.pdf>a</a>"
                    let stopped = try sandbox.runProgram(["job"]).launch()
                    _ = try await eventually { server.requests.last?.path == "/stall.pdf" }
                    stopped.send(SIGTERM)
                    _ = try await stopped.finish()
                    pages["/"] = nil
                    try await sandbox.run("job", expecting: 3)
                    let told = try await validate("job", in: sandbox)
                    #expect(
                        told == [
                            "partial", "partial", "partial", "interrupted", "failed",
                            "delivered downloaded duplicate failed gone pending skipped unchanged",
                        ])
                }
            }
        }

        /// What is left out has a report when its need failed. While its last run goes on it has none: the newest report
        /// is that run's.
        @Test(.enabled(if: hasJSONSchema, "no python3-jsonschema"))
        func aSkippedRunIsByTheSchemaAsWell() async throws {
            let pages = Pages("<a href=stall.pdf>a</a>")
            try await FaultServer.serving(Self.site(pages)) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("bad", "start: \"\(server.origin)/none\"")
                    try sandbox.write(
                        "job", "start: \"\(server.origin)/\"\ndownload: { extensions: [pdf] }\nneeds: [bad]")
                    try sandbox.write("alone", "start: \"\(server.origin)/\"\ndownload: { extensions: [pdf] }")
                    try sandbox.write("empty", "start: \"\(server.origin)/empty\"\ndownload: { extensions: [pdf] }")
                    pages["/empty"] = "nothing"
                    try await sandbox.run("bad", "job", "empty", expecting: 3)
                    #expect(try await validate("job", in: sandbox) == ["skipped"])
                    #expect(try await validate("empty", in: sandbox) == ["succeeded"])
                    let first = try sandbox.runProgram(["alone", "--quiet"]).launch()
                    _ = try await eventually { server.requests.last?.path == "/stall.pdf" }
                    let second = try await sandbox.run("alone", "--log-format", "json", expecting: 4)
                    let lines = second.errorText.split(separator: "\n")
                    let skipped = try lines.map {
                        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
                    }
                    #expect(skipped.compactMap { $0?["event"] as? String } == ["run-skipped"])
                    #expect(skipped.first??["job"] as? String == "alone" && skipped.first??["run"] is NSNull)
                    #expect(!sandbox.root.exists("reports/alone/latest.json"))
                    first.send(SIGTERM)
                    _ = try await first.finish()
                    #expect(try await validate("alone", in: sandbox) == ["interrupted", "skipped"])
                }
            }
        }

        @Test(.enabled(if: hasJSONSchema, "no python3-jsonschema"))
        func aKilledRunHasItsReportByTheNextOne() async throws {
            let pages = Pages("<a href=a.pdf>a</a><a href=stall.pdf>b</a>")
            try await FaultServer.serving(Self.site(pages)) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("job", "start: \"\(server.origin)/\"\ndownload: { extensions: [pdf] }")
                    let killed = try sandbox.runProgram(["job", "--quiet"]).launch()
                    _ = try await eventually { server.requests.count == 3 && sandbox.root.files("objects").count == 1 }
                    killed.send(SIGKILL)
                    _ = try await killed.finish()
                    pages["/"] = "<a href=a.pdf>a</a>"
                    try await sandbox.run("job")
                    let told = try await validate("job", in: sandbox)
                    #expect(told == ["interrupted", "succeeded", "downloaded skipped"])
                }
            }
        }

        @Test func pagesStandBesideReports() async throws {
            let pages = Pages("<a href='%3Cscript%3E.pdf'>a</a>")
            try await FaultServer.serving(Self.site(pages)) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "job", "start: \"\(server.origin)/\"\ndownload: { extensions: [pdf] }\nschedule: '@daily'")
                    try await sandbox.run("job")
                    let first = try sandbox.report("job").run.id
                    let page = try sandbox.root.text("reports/job/latest.html")
                    #expect(page.contains("%3Cscript%3E.pdf") && page.contains("succeeded"))
                    let shown = try await report("job", "--format", "html", in: sandbox)
                    #expect(shown == page)
                    let index = try sandbox.root.text("reports/index.html")
                    #expect(index.contains("job/latest.html") && index.contains("00:00:00 UTC"))
                    #expect(try await report("--format", "html", in: sandbox).contains("job/latest.html"))
                    pages["/"] = "<a href='new.pdf'>a</a>"
                    try await sandbox.run("job")
                    let diff = try await report("job", "--diff", first, in: sandbox)
                    #expect(diff.contains("1 new, 0 changed, 1 gone, 0 failing-again"))
                    #expect(diff.contains("gone          \(server.origin)/%3Cscript%3E.pdf"))
                }
            }
        }

        private func report(_ arguments: String..., in sandbox: Sandbox) async throws -> String {
            let outcome = try await Program.nightjar(
                ["report", "--root", sandbox.root.path, "--jobs", sandbox.jobs.path] + arguments
            ).run()
            #expect(outcome.ending == .exited(0), "\(outcome)")
            return String(decoding: outcome.output, as: UTF8.self)
        }

        /// A terminal that the program drew on is left without a view, with lines wrapping and the cursor shown.
        @Test func theTerminalIsLeftClean() async throws {
            let pages = Pages("<a href=a.pdf>a</a><a href=none.pdf>b</a>")
            try await FaultServer.serving(Self.site(pages)) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write("job", "start: \"\(server.origin)/\"\ndownload: { extensions: [pdf] }")
                    let outcome = try await sandbox.run("job", "--progress", "always", expecting: 1)
                    let drawn = String(decoding: outcome.errors, as: UTF8.self)
                    let parts = drawn.components(separatedBy: "\u{1b}[?7l")
                    #expect(parts.count > 1 && parts.count == drawn.components(separatedBy: "\u{1b}[?7h").count)
                    #expect(!drawn.contains("\u{1b}[?25l") && drawn.contains("none.pdf: http-status"))
                    let last = try #require(drawn.components(separatedBy: "\u{1b}[J").last)
                    #expect(!last.contains("\u{1b}"))
                }
            }
        }

        @Test func theLogTellsHowFarALongRunIs() async throws {
            let handler: FaultServer.Handler = { request in
                request.path == "/"
                    ? [.send(Response.page(["slow.bin"]))]
                    : [
                        .trickle(
                            Response.bytes([UInt8](repeating: 1, count: 50_000)), size: 2000, pause: .milliseconds(100))
                    ]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "job",
                        "start: \"\(server.origin)/\"\ndownload: { extensions: [bin] }\nlog: { interval: 1s, mask: [who] }"
                    )
                    let outcome = try await sandbox.run("job")
                    let lines = String(decoding: outcome.errors, as: UTF8.self).split(separator: "\n")
                    #expect(lines.contains { $0.contains("0 items fetched") && $0.hasSuffix("1 under way") })
                }
            }
        }
    }
}
