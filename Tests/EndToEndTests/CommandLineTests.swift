import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The command line", .timeLimit(.minutes(1)))
    struct CommandLineTests {
        /// A site of three files, one of which is missing when `isBroken`, and a job for it.
        private func serving(isBroken: Bool = false, _ body: (NginxServer, Sandbox) async throws -> Void) async throws {
            try await NginxServer.serving { server in
                let names = ["a.pdf", "b.pdf", "c.pdf"]
                for name in names.dropLast(isBroken ? 1 : 0) { try server.site.write(name, "%PDF-1.4 \(name)") }
                try server.site.write("index.html", Response.links(names))
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "small",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        name: { template: "{stem}.{ext}" }
                        pack: [{ format: tar, name: "{job}.{ext}" }]
                        """)
                    try await body(server, sandbox)
                }
            }
        }

        @Test("--quiet says nothing when all is well, and something when not", arguments: [false, true])
        func quiet(isBroken: Bool) async throws {
            try await serving(isBroken: isBroken) { _, sandbox in
                let outcome = try await sandbox.run("--quiet", expecting: isBroken ? 1 : 0)
                #expect((outcome.output + outcome.errors).isEmpty == !isBroken, "\(outcome)")
                #expect(sandbox.names("small").count == (isBroken ? 2 : 3))
            }
        }

        @Test("Results go to stdout, the log goes to stderr, without colours or cursor moves")
        func streams() async throws {
            try await serving { _, sandbox in
                let outcome = try await sandbox.run()
                #expect(outcome.outputText.contains("small"))
                #expect(!(outcome.output + outcome.errors).contains { $0 == 0x1b || $0 == 0x0d })
            }
        }

        @Test("report shows the last run as text and as the JSON on disk")
        func report() async throws {
            try await serving { _, sandbox in
                try await sandbox.run("small")
                let arguments = ["report", "--root", sandbox.root.path, "small"]
                let text = try await Program.nightjar(arguments).run()
                #expect(text.ending == .exited(0), "\(text)")
                #expect(text.outputText.contains("small"))
                let json = try await Program.nightjar(arguments + ["--format", "json"]).run()
                #expect(json.ending == .exited(0), "\(json)")
                let shown = try RunReport(json: json.output)
                #expect(try sandbox.report("small").run.id == shown.run.id)
                #expect(shown.counts.downloaded == 3)
            }
        }

        @Test("plan says what would be fetched, and fetches nothing")
        func plan() async throws {
            try await serving { server, sandbox in
                var program = Program.nightjar(["plan", "--jobs", sandbox.jobs.path, "small"])
                program.environment["NIGHTJAR_ROOT"] = sandbox.root.path
                let outcome = try await program.run()
                #expect(outcome.ending == .exited(0), "\(outcome)")
                for name in ["a.pdf", "b.pdf", "c.pdf"] { #expect(outcome.outputText.contains(name)) }
                // Every line says why.
                let lines = outcome.outputText.split(separator: "\n").dropLast()
                #expect(lines.allSatisfy { $0.split(separator: " ").count > 2 }, "\(outcome)")
                #expect(try server.log().allSatisfy { !$0.path.hasSuffix(".pdf") })
                #expect(sandbox.root.files("files").isEmpty && sandbox.root.files("objects").isEmpty)
                #expect(sandbox.root.files("reports").isEmpty && sandbox.root.files("bundles").isEmpty)
            }
        }

        @Test("A reader that went away is a quiet end")
        func closedOutput() async throws {
            try await serving { _, sandbox in
                var run = sandbox.runProgram(["small"])
                run.closesOutput = true
                let outcome = try await run.run()
                #expect(outcome.ending == .exited(0), "\(outcome)")
                #expect(sandbox.names("small").count == 3)
                var report = Program.nightjar(["report", "--root", sandbox.root.path, "small"])
                report.closesOutput = true
                let shown = try await report.run()
                #expect(shown.ending == .exited(0), "\(shown)")
                #expect(shown.errors.isEmpty)
            }
        }

        @Test("Every command explains itself", arguments: ["run", "check", "plan", "due", "report", "explain", ""])
        func help(command: String) async throws {
            let outcome = try await Program.nightjar([command, "--help"].filter { !$0.isEmpty }).run()
            #expect(outcome.ending == .exited(0), "\(outcome)")
            #expect(outcome.outputText.contains("nightjar \(command)"))
            #expect(outcome.outputText.contains("--help"))
            #expect(outcome.errors.isEmpty)
        }

        @Test("--version")
        func version() async throws {
            let outcome = try await Program.nightjar(["--version"]).run()
            #expect(outcome.ending == .exited(0), "\(outcome)")
            #expect(outcome.outputText.hasPrefix("nightjar "))
        }

        @Test(
            "What it does not understand it refuses with status 2",
            arguments: [
                ["run", "--no-such-flag"], ["no-such-command"], [], ["check", "--jobs"], ["plan"],
                ["report", "--format", "papyrus"],
            ])
        func wrongUsage(arguments: [String]) async throws {
            try await Sandbox.with { sandbox in
                var program = Program.nightjar(arguments)
                program.environment["NIGHTJAR_ROOT"] = sandbox.root.path
                let outcome = try await program.run()
                #expect(outcome.ending == .exited(2), "\(outcome)")
                #expect(outcome.output.isEmpty)
                #expect(!outcome.errors.isEmpty)
                #expect(sandbox.root.tree().isEmpty)
            }
        }

        @Test("A job that does not exist starts nothing")
        func unknownJob() async throws {
            try await serving { server, sandbox in
                let outcome = try await sandbox.run("smal", expecting: 2)
                #expect(outcome.errorText.contains("smal"))
                #expect(try server.log().isEmpty)
            }
        }

        @Test("A manifest may be named by its path")
        func file() async throws {
            try await serving { _, sandbox in
                let path = "\(sandbox.jobs.path)/small.yaml"
                let outcome = try await Program.nightjar(["run", "--root", sandbox.root.path, path]).run()
                #expect(outcome.ending == .exited(0), "\(outcome)")
                #expect(sandbox.names("small").count == 3)
            }
        }
    }
}
