import TestSupport
import Testing

extension EndToEnd {
    @Suite("What is printed")
    struct OutputTests {
        /// What each takes of `--root` and `--jobs`.
        private static let commands: [(words: String, flags: [String])] = [
            ("--help", []), ("report --schema", []), ("check --reference", []), ("report job", ["root", "jobs"]),
            ("report job --format json", ["root", "jobs"]), ("report job --format html", ["root", "jobs"]),
            ("status --json", ["root", "jobs"]), ("why http://x.example/", ["root"]), ("verify --json", ["root"]),
            ("plan job", ["root", "jobs"]), ("crontab", ["root", "jobs"]),
        ]

        @Test func aFullDiskIsNoSuccess() async throws {
            try await FaultServer.serving { _ in
                [.send(Response.page([]))]
            } _: { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "job", "start: \(server.origin)/\ndownload: { extensions: [pdf] }\nschedule: \"@daily\"")
                    try await sandbox.run("job", "--quiet")
                    let folders = ["root": sandbox.root.path, "jobs": sandbox.jobs.path]
                    for (words, flags) in Self.commands {
                        let program = Program.nightjar(
                            words.split(separator: " ").map(String.init)
                                + flags.flatMap { ["--\($0)", folders[$0] ?? ""] })
                        let line = ([program.path] + program.arguments).map { "'\($0)'" }.joined(separator: " ")
                        let outcome = try await Program.tool("sh", ["-c", "\(line) >/dev/full"]).run()
                        #expect(outcome.ending == .exited(3), "\(words): \(outcome)")
                        #expect(String(decoding: outcome.errors, as: UTF8.self).contains("No space left on device"))
                    }
                }
            }
        }

        /// What fails every night is told once, as long as the run counts as a success.
        @Test func whatIsNoNewsIsNotPrintedWhenQuiet() async throws {
            let handler: FaultServer.Handler = { request in
                switch request.path {
                case "/": [.send(Response.page(["a.pdf", "gone.pdf"]))]
                case "/a.pdf": [.send(Response.pdf("a"))]
                default: [.send(Response.notFound)]
                }
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "job", "start: \(server.origin)/\ndownload: { extensions: [pdf] }\nexpect: { max-failed: 1 }")
                    let first = try await sandbox.run("job", "--quiet")
                    #expect(String(decoding: first.errors, as: UTF8.self).contains("gone.pdf: http-status: "))
                    let second = try await sandbox.run("job", "--quiet")
                    #expect(second.errors.isEmpty && second.output.isEmpty, "\(second)")
                    let log = try sandbox.root.text("reports/job/\(try sandbox.report("job").run.id).log")
                    #expect(log.contains("gone.pdf: http-status: "))
                }
            }
        }

        @Test func whatTheManifestMasksStandsInNoBundleAndNoNote() async throws {
            let handler: FaultServer.Handler = { request in
                switch request.path {
                case "/": [.send(Response.page(["a.pdf?who=hidden1&x=1", "b.pdf?who=hidden2"]))]
                case "/a.pdf": [.send(Response.bytes(Array("%PDF-1.4 a".utf8), type: "application/pdf"))]
                default: [.send(Response.page([]))]
                }
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "job",
                        "start: \(server.origin)/\ndownload: { extensions: [pdf] }\npack: [{ format: tar }]\nlog: { mask: [who] }"
                    )
                    try await sandbox.run("job", expecting: 1)
                    let bundle = try #require(sandbox.root.files("bundles/job").first { $0.name.hasSuffix(".tar") })
                    let inside = try await Program.tool(
                        "bsdtar", ["-xOf", "\(sandbox.root.path)/bundles/job/\(bundle.name)", "*MANIFEST.json"]
                    ).run()
                    #expect(String(decoding: inside.output, as: UTF8.self).contains("a.pdf?who=***&x=1"))
                    let note = try #require(sandbox.root.files("quarantine/job").first { $0.name.hasSuffix(".txt") })
                    let text = try sandbox.root.text("quarantine/job/\(note.name)")
                    #expect(text.contains("b.pdf?who=***") && !text.contains("hidden"))
                    let plan = try await Program.nightjar(
                        ["plan", "job", "--root", sandbox.root.path, "--jobs", sandbox.jobs.path]
                    ).run()
                    let told = String(decoding: plan.output, as: UTF8.self)
                    #expect(told.contains("a.pdf?who=***") && !told.contains("hidden"))
                }
            }
        }
    }
}
