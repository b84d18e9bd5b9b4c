import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Retention", .timeLimit(.minutes(1)))
    struct RetentionTests {
        /// Three runs of job "r" whose item `a.pdf` changes each time, beside `b.pdf` that does not.
        private func filled(_ more: String, _ body: (NginxServer, Sandbox) async throws -> Void) async throws {
            try await NginxServer.serving { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "r",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        fetch: { retries: 0 }
                        name: { template: "{stem}.{ext}" }
                        \(more)
                        """)
                    for run in 1...3 {
                        try offer(["a.pdf": "run \(run)", "b.pdf": "same"], on: server)
                        try await sandbox.run("r")
                    }
                    try await body(server, sandbox)
                }
            }
        }

        private func offer(_ files: [String: String], on server: NginxServer) throws {
            for (name, content) in files {
                // nginx tells two versions of one second apart by their length alone.
                let padding = String(repeating: " ", count: Int(content.split(separator: " ").last ?? "") ?? 0)
                try server.site.write(name, "%PDF-1.4\n% \(content)\(padding)\n%%EOF\n")
            }
            try server.site.write("index.html", Response.links(files.keys.sorted()))
        }

        private func gc(_ sandbox: Sandbox, _ arguments: String...) async throws -> Outcome {
            try await Program.nightjar(
                ["gc", "--root", sandbox.root.path, "--jobs", sandbox.jobs.path] + arguments
            ).run()
        }

        private func checkClean(_ sandbox: Sandbox) async throws {
            let outcome = try await Program.nightjar(["verify", "--deep", "--root", sandbox.root.path]).run()
            #expect(outcome.ending == .exited(0), "\(outcome)")
            #expect(outcome.outputText.contains("nothing refers to") == false, "\(outcome)")
            #expect(try await sandbox.problems() == [])
        }

        @Test("Without keep nothing goes, and what a kill left without owner does")
        func nothing() async throws {
            try await filled("") { _, sandbox in
                let stranger = String(repeating: "ab", count: 32)
                try sandbox.root.write("objects/ab/\(stranger)", "left by a kill")
                let look = try await gc(sandbox)
                #expect(look.ending == .exited(0) && look.outputText.contains("would remove  objects/ab/"), "\(look)")
                #expect(look.outputText.contains("nothing was removed: 'nightjar gc --apply' does it"))
                #expect(sandbox.root.exists("objects/ab/\(stranger)"))
                #expect(try await gc(sandbox, "--apply", "--quiet").outputText.isEmpty)
                #expect(!sandbox.root.exists("objects/ab/\(stranger)"))
                #expect(sandbox.root.files("objects").count == 4)
                #expect(try await gc(sandbox, "--apply").outputText.contains("nothing to remove"))
                try await checkClean(sandbox)
            }
        }

        @Test(
            "keep.versions leaves so many older versions, by name or by history alone",
            arguments: ["version", "replace"])
        func versions(onChange: String) async throws {
            let more = "keep: { versions: 1 }\nname: { template: \"{stem}.{ext}\", on-change: \(onChange) }"
            try await filled("") { server, sandbox in
                try sandbox.write(
                    "r",
                    """
                    start: ["\(server.origin)/"]
                    download: { extensions: [pdf] }
                    \(more)
                    """)
                for run in 4...6 {
                    try offer(["a.pdf": "run \(run)", "b.pdf": "same"], on: server)
                    try await sandbox.run("r")
                }
                let look = try await gc(sandbox)
                let planned = look.outputText.split(separator: "\n").filter { $0.hasPrefix("would remove") }.count
                let outcome = try await gc(sandbox, "--apply")
                let removed = outcome.outputText.split(separator: "\n").filter { $0.hasPrefix("removed") }.count
                #expect(planned == removed && removed > 0, "\(look)\n\(outcome)")
                // Versions that have names of their own, from before the change of mode, count by themselves.
                let expected = onChange == "replace" ? 4 : 3
                #expect(sandbox.root.files("objects").count == expected, "\(outcome)")
                let contents = sandbox.names("r").map { (try? sandbox.root.text("files/r/\($0)")) ?? "" }
                #expect(contents.contains { $0.contains("run 6") } && contents.contains { $0.contains("same") })
                #expect(!contents.contains { $0.contains("run 4") || $0.contains("run 1") }, "\(contents)")
                try await checkClean(sandbox)
                try await sandbox.run("r")
                #expect(try sandbox.report("r").counts.unchanged == 2)
            }
        }

        @Test("keep.bundles counts bundles that were handed off, and their content stays as long as they do")
        func bundles() async throws {
            let more = """
                keep: { bundles: 2, versions: 0 }
                pack: [{ format: tar, name: "{job}-{run}.{ext}" }]
                """
            try await filled(more) { _, sandbox in
                let bundles = sandbox.root.files("bundles/r").map(\.name).filter { $0.hasSuffix(".tar") }
                for bundle in bundles {
                    for end in [".sig", ".minisig", ".asc"] { try sandbox.root.write("bundles/r/\(bundle)\(end)", "s") }
                }
                let outcome = try await gc(sandbox, "--apply")
                #expect(outcome.outputText.contains("keep.bundles keeps 2 newer ones"), "\(outcome)")
                let all = sandbox.root.files("bundles/r").map(\.name)
                #expect(all.count == 10, "what lies beside a bundle goes with it: \(all)")
                for name in all where name.hasSuffix("sig") || name.hasSuffix(".asc") {
                    unlink("\(sandbox.root.path)/bundles/r/\(name)")
                }
                let left = sandbox.root.files("bundles/r").map(\.name)
                #expect(left.filter { $0.hasSuffix(".tar") }.count == 2 && left.count == 4, "\(left)")
                // The second run's version is in a bundle that is kept, the first one's is not.
                #expect(sandbox.root.files("objects").count == 3)
                #expect(sandbox.names("r").count == 2)
                try await checkClean(sandbox)
                try await sandbox.run("r")
                #expect(sandbox.root.files("bundles/r").count == 4, "what went out once is not packed again")
            }
        }

        @Test("keep.gone counts from the first answer that something is gone; it may come again")
        func gone() async throws {
            try await filled("keep: { gone: 0s }\nexpect: { max-failed: 9 }") { server, sandbox in
                unlink("\(server.site.path)/a.pdf")
                try await sandbox.run("r")
                #expect(try sandbox.report("r").counts.gone == 1)
                #expect(try await gc(sandbox, "--apply").outputText.contains("gone for longer"))
                #expect(sandbox.names("r") == ["b.pdf"])
                #expect(sandbox.root.files("objects").count == 1)
                try await checkClean(sandbox)
                try offer(["a.pdf": "again", "b.pdf": "same"], on: server)
                try await sandbox.run("r")
                #expect(try sandbox.root.text("files/r/a.pdf").contains("again"))
            }
        }

        @Test("Old reports go, the newest stays")
        func reports() async throws {
            try await filled("keep: { reports: 1h }") { _, sandbox in
                #expect(try await gc(sandbox, "--apply").outputText.contains("nothing to remove"))
                let old = "UPDATE runs SET started = started - 9999, finished = finished - 9999"
                _ = try await Program.tool("sqlite3", ["\(sandbox.root.path)/catalog.sqlite", old]).run()
                let outcome = try await gc(sandbox, "--apply")
                #expect(outcome.outputText.contains("8 report files"), "\(outcome)")
                #expect(sandbox.root.files("reports/r").count == 4)
                #expect(try sandbox.report("r").run.status == "succeeded")
                try await checkClean(sandbox)
            }
        }

        @Test("After a run that failed, brought little, or would lose too much, nothing goes")
        func guards() async throws {
            try await filled("keep: { versions: 0, gone: 0s }\nexpect: { max-delete: 1, max-drop: 40% }") {
                server, sandbox in
                let many = try await gc(sandbox, "--apply")
                #expect(many.ending == .exited(1), "\(many)")
                #expect(many.errorText.contains("2 of its 4 files would go"), "\(many)")
                try offer(["b.pdf": "same"], on: server)
                try await sandbox.run("r", expecting: 1)
                let small = try await gc(sandbox, "--apply")
                #expect(small.errorText.contains("was no success (partial)"), "\(small)")
                #expect(sandbox.names("r").count == 4)
                #expect(sandbox.root.files("objects").count == 4)
            }
        }

        @Test("While a job runs its objects stay")
        func running() async throws {
            let handler: FaultServer.Handler = { request in
                request.path == "/" ? [.send(Response.page(["/a.pdf"]))] : [.stall]
            }
            try await FaultServer.serving(handler) { slow in
                try await filled("") { _, sandbox in
                    try sandbox.write("slow", "start: [\"\(slow.origin)/\"]\ndownload: { extensions: [pdf] }")
                    let stranger = String(repeating: "ab", count: 32)
                    try sandbox.root.write("objects/ab/\(stranger)", "on its way")
                    let running = try sandbox.runProgram(["slow"]).launch()
                    #expect(try await eventually { slow.requests.contains { $0.path == "/a.pdf" } })
                    let outcome = try await gc(sandbox, "--apply")
                    #expect(
                        outcome.ending == .exited(0) && outcome.errorText.contains("since a job runs"), "\(outcome)")
                    #expect(sandbox.root.exists("objects/ab/\(stranger)"))
                    running.send(SIGKILL)
                    _ = try await running.finish()
                }
            }
        }
    }
}
