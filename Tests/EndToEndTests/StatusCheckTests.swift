import TestSupport
import Testing

extension EndToEnd {
    @Suite("status --check", .timeLimit(.minutes(1)))
    struct StatusCheckTests {
        private func check(_ sandbox: Sandbox, _ arguments: String..., expecting status: Int32) async throws -> Outcome
        {
            let folders = ["--root", sandbox.root.path, "--jobs", sandbox.jobs.path]
            let outcome = try await Program.nightjar(["status", "--check"] + arguments + folders).run()
            #expect(outcome.ending == .exited(status), "\(outcome)")
            return outcome
        }

        @Test(
            "Each job without a success in time is named, jobs that never ran too",
            .enabled(if: Program.isInstalled("sqlite3")))
        func overdue() async throws {
            try await NginxServer.serving { server in
                try server.site.write("a.pdf", "%PDF-1.4 a")
                try await Sandbox.with { sandbox in
                    try sandbox.write("good", "start: [\"\(server.origin)/a.pdf\"]")
                    try sandbox.write("new", "start: [\"\(server.origin)/a.pdf\"]")
                    let first = try await check(sandbox, "26h", expecting: 1)
                    #expect(first.outputText == "good: never succeeded\nnew: never succeeded\n")
                    try await sandbox.run("good")
                    let second = try await check(sandbox, "26h", expecting: 1)
                    #expect(second.outputText == "new: never succeeded\n")
                    #expect(try await check(sandbox, "26h", "good", expecting: 0).output.isEmpty)

                    func shift(_ seconds: String) async throws {
                        let script = "UPDATE runs SET started = started + \(seconds), finished = finished + \(seconds)"
                        _ = try await Program.tool("sqlite3", ["\(sandbox.root.path)/catalog.sqlite", script]).run()
                    }
                    try await shift("-100000")
                    let late = try await check(sandbox, "26h", "good", expecting: 1)
                    #expect(late.outputText.hasPrefix("good: last succeeded at "))
                    #expect(try await check(sandbox, "2d", "good", expecting: 0).output.isEmpty)
                    // A clock that was years ahead keeps no alarm silent.
                    try await shift("100000000")
                    let future = try await check(sandbox, "2d", "good", expecting: 1)
                    #expect(future.outputText == "good: its last success lies in the future\n")

                    // A job whose manifest is broken is still one.
                    try sandbox.write("broken", "colour: red")
                    let broken = try await check(sandbox, "26h", expecting: 1)
                    #expect(broken.outputText.contains("broken: never succeeded\n"))
                    _ = try await check(sandbox, "soon", expecting: 2)
                }
            }
        }
    }
}
