import TestSupport
import Testing

extension EndToEnd {
    @Suite("Clocks that are set", .timeLimit(.minutes(1)), .enabled(if: Program.isInstalled("faketime")))
    struct ClockTests {
        /// `nightjar run --due` by a clock that is ahead or behind; `+1d`, `-1h`.
        private func runDue(_ sandbox: Sandbox, _ shift: String) async throws {
            let words = ["run", "--due", "--quiet", "--root", sandbox.root.path, "--jobs", sandbox.jobs.path]
            var program = try Program.tool("faketime", ["-f", shift, Program.nightjar([]).path] + words)
            program.environment["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
            let outcome = try await program.run()
            #expect(outcome.ending == .exited(0) && outcome.errors.isEmpty, "\(outcome)")
        }

        @Test("A day ahead makes up once, and neither going back nor an hour behind does any harm")
        func aheadAndBack() async throws {
            try await NginxServer.serving { server in
                try server.site.write("a.pdf", "%PDF-1.4 a")
                try await Sandbox.with { sandbox in
                    try sandbox.write("hourly", "schedule: \"@hourly\"\nstart: [\"\(server.origin)/a.pdf\"]")
                    func runs() -> Int {
                        sandbox.root.files("reports/hourly")
                            .filter { $0.name.hasSuffix(".items.jsonl") }.count
                    }
                    try await sandbox.run("hourly")
                    #expect(runs() == 1)
                    for _ in 0..<2 { try await runDue(sandbox, "+1d") }
                    #expect(runs() == 2, "twenty-four hours that were missed are made up for once")
                    for shift in ["+0", "-1h", "-1d"] { try await runDue(sandbox, shift) }
                    #expect(runs() == 2)
                    // The start that lies in the future keeps nothing from running when an hour has really passed.
                    for _ in 0..<2 { try await runDue(sandbox, "+1h") }
                    #expect(runs() == 3)
                }
            }
        }
    }
}
