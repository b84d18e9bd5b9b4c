import Glibc
import JSON
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Bundles go out, once", .timeLimit(.minutes(2)))
    struct HandoffTests {
        private func manifest(_ server: NginxServer, _ sandbox: Sandbox, _ rest: String = "") -> String {
            """
            start: ["\(server.origin)/"]
            download: { extensions: [txt] }
            name: { template: "{stem}.{ext}" }
            pack: [{ format: tar.gz, name: "b-{run}.{ext}" }]
            handoff: [{ to: "file://\(sandbox.folder.path)/out" }]
            \(rest)
            """
        }

        private func serving(_ body: (NginxServer, Sandbox) async throws -> Void) async throws {
            try await NginxServer.serving { server in
                try server.site.write("index.html", "<a href=a.txt>a</a> <a href=b.txt>b</a>")
                try server.site.write("a.txt", "first")
                try await Sandbox.with { sandbox in try await body(server, sandbox) }
            }
        }

        /// `(path, status)` of every hand-off that the newest report tells of.
        private func handoffs(_ sandbox: Sandbox) throws -> [String] {
            let json = try JSONValue(parsing: sandbox.root.read("reports/go/latest.json"))
            return (json["bundles"]?.elements ?? []).flatMap { bundle in
                (bundle["handoffs"]?.elements ?? []).map { $0["status"]?.text ?? "" }
            }
        }

        @Test func whatFailedIsRepeatedBeforeWhatIsNew() async throws {
            try await serving { server, sandbox in
                // A file stands where the folder is to be.
                try sandbox.folder.write("out", "in the way")
                try sandbox.write("go", manifest(server, sandbox, "expect: { max-failed: 5 }"))
                try await sandbox.run("go", expecting: 1)
                #expect(try handoffs(sandbox) == ["failed"])
                try server.site.write("b.txt", "second")
                unlink("\(sandbox.folder.path)/out")
                try await sandbox.run("go")
                #expect(try handoffs(sandbox).sorted() == ["delivered", "delivered"])
                let delivered = sandbox.folder.files("out").filter { $0.name.hasSuffix(".tar.gz") }
                #expect(delivered.count == 2)
                // Nothing is owed any more, so nothing goes a second time.
                for file in delivered { unlink("\(sandbox.folder.path)/out/\(file.name)") }
                try await sandbox.run("go")
                #expect(try handoffs(sandbox) == [])
                #expect(sandbox.folder.files("out").allSatisfy { $0.name.hasSuffix(".sha256") })

                let again = Program.nightjar([
                    "handoff", "go", "--again", delivered[0].name, "--root", sandbox.root.path, "--jobs",
                    sandbox.jobs.path,
                ])
                let outcome = try await again.run()
                #expect(outcome.ending == .exited(0), "\(outcome)")
                #expect(outcome.outputText.contains("bundles/go/\(delivered[0].name)  delivered  file://"))
                #expect(sandbox.folder.exists("out/\(delivered[0].name)"))
                #expect(!sandbox.folder.exists("out/\(delivered[1].name)"))
            }
        }

        @Test func whatACollapseHoldsGoesWhenItIsReleased() async throws {
            try await serving { server, sandbox in
                try server.site.write("b.txt", "second")
                try sandbox.write("go", manifest(server, sandbox, "expect: { min-items: 5 }"))
                try await sandbox.run("go", expecting: 1)
                #expect(try handoffs(sandbox) == ["held"])
                #expect(sandbox.folder.files("out").isEmpty)
                let arguments = ["handoff", "go", "--root", sandbox.root.path, "--jobs", sandbox.jobs.path]
                #expect(try await Program.nightjar(arguments).run().outputText.contains("  held  "))
                let outcome = try await Program.nightjar(arguments + ["--release"]).run()
                #expect(outcome.ending == .exited(0), "\(outcome)")
                #expect(outcome.outputText.contains("  delivered  "))
                #expect(sandbox.folder.files("out").count == 2)
            }
        }

        @Test func packPacksFromTheStoreAlone() async throws {
            try await serving { server, sandbox in
                try server.site.write("b.txt", "second")
                try sandbox.write("go", manifest(server, sandbox))
                try await sandbox.run("go")
                try sandbox.write(
                    "go",
                    """
                    start: ["http://127.0.0.1:9/"]
                    pack: [{ format: zip, contents: all, include: ["a*"], name: "again.{ext}" }, { format: tar.gz, contents: run, name: "r.{ext}" }]
                    """)
                let pack = Program.nightjar(["pack", "go", "--root", sandbox.root.path, "--jobs", sandbox.jobs.path])
                let outcome = try await pack.run()
                #expect(outcome.ending == .exited(0), "\(outcome)")
                #expect(outcome.outputText.contains("bundles/go/again.zip  3 entries"))
                #expect(outcome.outputText.contains("bundles/go/r.tar.gz  4 entries"))
                #expect(try await sandbox.problems() == [])
            }
        }

        @Test func whatSomebodyPutBesideTheFilesIsNotPacked() async throws {
            try await serving { server, sandbox in
                try server.site.write("b.txt", "second")
                try sandbox.write(
                    "go", manifest(server, sandbox).replacing("tar.gz, name", with: "tar.gz, contents: all, name"))
                try await sandbox.run("go")
                let files = "\(sandbox.root.path)/files/go"
                symlink("/etc/passwd", "\(files)/link.txt")
                mkfifo("\(files)/pipe.txt", 0o644)
                mkdir("\(files)/folder", 0o755)
                try sandbox.root.write("files/go/folder/mine.txt", "mine")
                try await sandbox.run("go")
                let names = try await sandbox.bundledNames("go")
                #expect(names == ["a.txt", "a.txt", "b.txt", "b.txt"])
            }
        }
    }
}
