import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A catalog that is made again", .timeLimit(.minutes(1)))
    struct RebuildTests {
        /// A store with two files of job "v", run once, its bundles handed to `share`.
        private func filled(
            _ more: String = "", _ body: (NginxServer, Sandbox) async throws -> Void
        ) async throws {
            try await NginxServer.serving { server in
                try await Sandbox.with { sandbox in
                    try server.offer(["a.pdf", "b.pdf"])
                    try sandbox.write(
                        "v",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        name: { template: "{stem}.{ext}" }
                        pack: [{ format: tar, name: "{job}-{run}.{ext}" }]
                        handoff: [{ to: "file://\(sandbox.folder.path)/share/in" }]
                        \(more)
                        """)
                    try await body(server, sandbox)
                }
            }
        }

        private func gc(_ sandbox: Sandbox) async throws -> Outcome {
            try await sandbox.nightjar("gc", "--jobs", sandbox.jobs.path, "--apply")
        }

        private func mountShare(_ sandbox: Sandbox) { mkdir("\(sandbox.folder.path)/share", 0o777) }

        private func delivered(_ sandbox: Sandbox) -> [String] { sandbox.folder.files("share/in").map(\.name) }

        private func loseCatalog(_ sandbox: Sandbox) {
            for suffix in ["-wal", "-shm", ""] { unlink("\(sandbox.root.path)/catalog.sqlite\(suffix)") }
        }

        private func reports(_ sandbox: Sandbox, ending: String) -> [String] {
            sandbox.root.files("reports/v").map(\.name).filter { $0.hasPrefix("2") && $0.hasSuffix(ending) }.sorted()
        }

        @Test("Killed at any moment it leaves no catalog or a whole one, and gc nothing to remove")
        func killed() async throws {
            try await filled { server, sandbox in
                mountShare(sandbox)
                try server.offer((1...30).map { "\($0).pdf" })
                try await sandbox.run("v")
                let objects = sandbox.root.files("objects").count
                for wait in [4, 20, 60] {
                    loseCatalog(sandbox)
                    let rebuild = try Program.nightjar(["verify", "--rebuild", "--root", sandbox.root.path]).launch()
                    try await Task.sleep(for: .milliseconds(wait))
                    rebuild.send(SIGKILL)
                    _ = try await rebuild.finish()
                    _ = try await gc(sandbox)
                    #expect(sandbox.root.files("objects").count == objects, "after \(wait) ms")
                    let outcome = try await sandbox.nightjar("verify", "--rebuild")
                    #expect(outcome.ending == .exited(0), "\(outcome)")
                    #expect(outcome.outputText.contains("30 objects, 30 names, 1 bundle"), "\(wait) ms: \(outcome)")
                }
                #expect(sandbox.root.names.allSatisfy { !$0.contains("rebuild") }, "\(sandbox.root.names)")
            }
        }

        @Test("A run does not begin from nothing where a catalog was lost", arguments: [false, true])
        func lost(isEmpty: Bool) async throws {
            try await filled { _, sandbox in
                mountShare(sandbox)
                try await sandbox.run("v")
                let before = sandbox.root.tree("").map(\.name).filter { !$0.hasPrefix("catalog") }
                loseCatalog(sandbox)
                if isEmpty { try sandbox.root.write("catalog.sqlite", "") }
                let outcome = try await sandbox.run("v", expecting: 3)
                #expect(outcome.errorText.contains("was lost") && outcome.errorText.contains("verify --rebuild"))
                for command in ["status", "verify"] {
                    let outcome = try await sandbox.nightjar(command)
                    #expect(outcome.ending != .exited(0) && outcome.errorText.contains("--rebuild"), "\(outcome)")
                }
                _ = try await gc(sandbox)
                #expect(sandbox.root.tree("").map(\.name).filter { !$0.hasPrefix("catalog") } == before)
                #expect(try await sandbox.nightjar("verify", "--rebuild").ending == .exited(0))
                try await sandbox.run("v")
                #expect(try sandbox.report("v").bundles.isEmpty)
                #expect(try sandbox.report("v").counts.unchanged == 2 && delivered(sandbox).count == 2)
            }
        }

        @Test("An older catalog that was put back gets what reports tell beside, and no object goes before")
        func older() async throws {
            try await filled("keep: { versions: 0 }") { server, sandbox in
                mountShare(sandbox)
                try await sandbox.run("v")
                #expect(!sandbox.root.exists("catalog.sqlite-wal"), "whoever closes it last leaves no log")
                let old = try sandbox.root.read("catalog.sqlite")
                try server.offer(["b.pdf", "c.pdf"])
                try await sandbox.run("v")
                loseCatalog(sandbox)
                try sandbox.root.write("catalog.sqlite", old)
                try await sandbox.run("v")
                let refused = try await gc(sandbox)
                #expect(refused.ending == .exited(1), "\(refused)")
                #expect(refused.errorText.contains("the catalog does not know the run that reports/v/"), "\(refused)")
                #expect(sandbox.root.files("objects").count == 3)
                let outcome = try await sandbox.nightjar("verify", "--rebuild", "--deep")
                #expect(outcome.ending == .exited(0), "\(outcome)")
                #expect(outcome.outputText.contains("added 1 report and 2 items"), "\(outcome)")
                let order = try await Program.tool(
                    "sqlite3", ["\(sandbox.root.path)/catalog.sqlite", "SELECT id FROM runs ORDER BY number"]
                ).run()
                let ids = order.outputText.split(separator: "\n").map(String.init)
                let told = reports(sandbox, ending: ".items.jsonl").map { String($0.prefix(23)) }
                #expect(ids.sorted() == told)
                #expect(ids.map { $0.prefix(16) } == told.map { $0.prefix(16) }, "in the order of their times")
                #expect(try await gc(sandbox).ending == .exited(0))
                try await sandbox.run("v")
                #expect(try sandbox.report("v").counts.unchanged == 2)
                #expect(try sandbox.report("v").bundles.isEmpty)
                #expect(sandbox.names("v") == ["a.pdf", "b.pdf", "c.pdf"])
                #expect(try await sandbox.problems() == [])
                let again = try await sandbox.nightjar("verify", "--rebuild")
                #expect(again.ending == .exited(0) && again.errorText.contains("the catalog is sound"), "\(again)")
            }
        }

        @Test("What is owed is owed still, once, with what lies beside it")
        func owed() async throws {
            try await filled { server, sandbox in
                try await sandbox.run("v", expecting: 1)
                try server.offer(["a.pdf", "b.pdf", "c.pdf"])
                try await sandbox.run("v", expecting: 1)
                loseCatalog(sandbox)
                #expect(try await sandbox.nightjar("verify", "--rebuild").ending == .exited(0))
                mountShare(sandbox)
                try await sandbox.run("v")
                #expect(delivered(sandbox).count == 4, "two bundles and their digests: \(delivered(sandbox))")
                loseCatalog(sandbox)
                let outcome = try await sandbox.nightjar("verify", "--rebuild")
                #expect(outcome.outputText.contains("3 names, 2 bundles"), "told by two reports each: \(outcome)")
                try await sandbox.run("v")
                #expect(try sandbox.report("v").bundles.isEmpty)
            }
        }

        @Test("What an alarm holds back is held still, and goes once it is let go")
        func held() async throws {
            try await filled("expect: { min-items: 2 }") { server, sandbox in
                mountShare(sandbox)
                try await sandbox.run("v")
                try server.offer(["c.pdf"])
                try await sandbox.run("v", expecting: 1)
                loseCatalog(sandbox)
                #expect(try await sandbox.nightjar("verify", "--rebuild").ending == .exited(0))
                #expect(try await sandbox.nightjar("status").outputText.contains("hand-off held"))
                #expect(delivered(sandbox).count == 2)
                let jobs = ["handoff", "--jobs", sandbox.jobs.path, "v"]
                _ = try await sandbox.nightjar(jobs[0], jobs[1], jobs[2], jobs[3])
                #expect(delivered(sandbox).count == 2, "held")
                let release = try await sandbox.nightjar(jobs[0], "--release", jobs[1], jobs[2], jobs[3])
                #expect(release.ending == .exited(0) && delivered(sandbox).count == 4, "\(release)")
            }
        }

        @Test("A copied, cut or missing report is told and passed over")
        func reportsGone() async throws {
            try await filled { _, sandbox in
                mountShare(sandbox)
                for _ in 0..<2 {
                    // Runs of one second have no order by their names.
                    try await Task.sleep(for: .milliseconds(1100))
                    try await sandbox.run("v")
                }
                let whole = reports(sandbox, ending: ".json")
                for end in [".json", ".items.jsonl"] {
                    let content = try sandbox.root.read("reports/v/\(whole[0].dropLast(5))\(end)")
                    try sandbox.root.write("reports/v/20200101T000000Z-aaaaaa\(end)", content)
                }
                let cut = try sandbox.root.read("reports/v/\(whole[1])")
                try sandbox.root.write("reports/v/\(whole[1])", Array(cut.prefix(cut.count - 30)))
                let items = "reports/v/\(whole[1].dropLast(5)).items.jsonl"
                let lines = try sandbox.root.text(items).split(separator: "\n")
                try sandbox.root.write(items, "\(lines[0])\n")
                loseCatalog(sandbox)
                let outcome = try await sandbox.nightjar("verify", "--rebuild")
                #expect(outcome.ending == .exited(0), "\(outcome)")
                for warning in [
                    "20200101T000000Z-aaaaaa.json is no report of the run",
                    "\(whole[1]) is no run report: it ends in the middle",
                ] {
                    #expect(outcome.errorText.contains(warning), "\(outcome)")
                }
                #expect(outcome.outputText.contains("2 objects, 2 reports and 3 items"), "\(outcome)")
                #expect(outcome.outputText.contains("2 objects, 2 names, 1 bundle"), "\(outcome)")
                try sandbox.root.write("reports/v/\(whole[1])", cut)
                loseCatalog(sandbox)
                let counted = try await sandbox.nightjar("verify", "--rebuild")
                #expect(counted.errorText.contains("tells of 1 items and the report of 2"), "\(counted)")
            }
        }

        @Test("Objects that are gone come back from files, and what is gone for good is told")
        func objectsGone() async throws {
            try await filled { _, sandbox in
                mountShare(sandbox)
                try await sandbox.run("v")
                for file in sandbox.root.tree("objects").reversed() {
                    unlink("\(sandbox.root.path)/\(file.name)")
                    rmdir("\(sandbox.root.path)/\(file.name)")
                }
                unlink("\(sandbox.root.path)/files/v/b.pdf")
                loseCatalog(sandbox)
                let outcome = try await sandbox.nightjar("verify", "--rebuild", "--deep")
                #expect(outcome.ending == .exited(0), "\(outcome)")
                #expect(outcome.outputText.contains("1 object came back from files"), "\(outcome)")
                #expect(outcome.errorText.contains("1 contents that reports tell of, such as of files/v/b.pdf"))
                #expect(try await sandbox.problems() == [])
                try await sandbox.run("v")
                #expect(sandbox.names("v") == ["a.pdf", "b.pdf"])
            }
        }
    }
}
