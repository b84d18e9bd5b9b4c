import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("What is lost, blocked or foreign", .timeLimit(.minutes(1)))
    struct LossTests {
        /// A store with two files of job "v", run once.
        private func filled(_ body: (NginxServer, Sandbox) async throws -> Void) async throws {
            try await NginxServer.serving { server in
                try await Sandbox.with { sandbox in
                    try server.offer(["a.pdf", "d/b.pdf"])
                    try sandbox.write(
                        "v",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        name: { template: "{path}/{stem}.{ext}" }
                        pack: [{ format: tar, contents: all }]
                        """)
                    try await sandbox.run("v")
                    try await body(server, sandbox)
                }
            }
        }

        private func packed(_ sandbox: Sandbox) async throws -> [String] {
            let path = try #require(try sandbox.report("v").bundles.first).path
            let listing = try await Program.tool("bsdtar", ["-tf", "\(sandbox.root.path)/\(path)"]).run()
            return listing.outputText.split(separator: "\n").map(String.init).filter { $0.hasSuffix(".pdf") }.sorted()
        }

        @Test(
            "Content that is lost is told until it is back or let go, and stands in no bundle's way",
            arguments: ["verify", "pack"], ["damaged", "gone"])
        func lost(finder: String, how: String) async throws {
            try await filled { server, sandbox in
                let path = "\(sandbox.root.path)/files/v/a.pdf"
                let inode = sandbox.root.files("files/v").first { $0.name == "a.pdf" }?.inode
                let object = try #require(sandbox.root.files("objects").first { $0.inode == inode }).name
                chmod(path, 0o644)
                try sandbox.root.write("files/v/a.pdf", "%PDF-1.4\n% X.pdf\n%%EOF\n")
                if how == "gone" { unlink("\(sandbox.root.path)/objects/\(object)") }
                try server.offer(["d/b.pdf"])
                if finder == "verify" {
                    let outcome = try await sandbox.nightjar("verify", "--deep")
                    #expect(outcome.ending == .exited(1), "\(outcome)")
                    #expect(outcome.outputText.contains("files/v/a.pdf is lost; the next run of 'v'"), "\(outcome)")
                    try await sandbox.run("v")
                } else {
                    let outcome = try await sandbox.run("v", expecting: 1)
                    #expect(outcome.errorText.contains("object-damaged"), "\(outcome)")
                }
                #expect(try await packed(sandbox) == ["d/b.pdf"])
                #expect(sandbox.names("v") == ["d/b.pdf"], "nothing damaged stands under a name")
                for _ in 1...2 {
                    let outcome = try await sandbox.nightjar("verify", "--deep")
                    #expect(outcome.ending == .exited(1), "\(outcome)")
                    #expect(outcome.outputText.contains("files/v/a.pdf: its content is lost"), "\(outcome)")
                }
                let again = try await sandbox.run("v")
                #expect(again.errorText.contains("object-lost"), "\(again)")
                if how == "damaged" {
                    let gc = try await sandbox.nightjar("gc", "--apply", "--jobs", sandbox.jobs.path)
                    #expect(gc.outputText.contains("files/v/a.pdf") && gc.outputText.contains("lost"), "\(gc)")
                    #expect(try await sandbox.nightjar("verify", "--deep").ending == .exited(0))
                }
                try server.offer(["a.pdf", "d/b.pdf"])
                try await sandbox.run("v")
                #expect(try await packed(sandbox) == ["a.pdf", "d/b.pdf"])
                #expect(try await sandbox.nightjar("verify", "--deep").ending == .exited(0))
                #expect(try await sandbox.problems() == [])
            }
        }

        @Test("A file where a folder of objects belongs is set aside, and the rest is looked at")
        func strayShelf() async throws {
            try await filled { _, sandbox in
                let object = try #require(sandbox.root.files("objects").first).name
                unlink("\(sandbox.root.path)/objects/\(object)")
                rmdir("\(sandbox.root.path)/objects/\(object.prefix(2))")
                try sandbox.root.write("objects/\(object.prefix(2))", "mine")
                let look = try await sandbox.nightjar("verify", "--dry-run")
                #expect(look.ending == .exited(1), "\(look)")
                #expect(look.outputText.contains("objects/\(object.prefix(2)): it is no folder"), "\(look)")
                let outcome = try await sandbox.nightjar("verify")
                #expect(outcome.outputText.contains("repaired from a copy"), "\(outcome)")
                #expect(try sandbox.root.text("quarantine/_objects/\(object.prefix(2)).stray") == "mine")
                #expect(try await sandbox.nightjar("verify", "--deep").ending == .exited(0))
            }
        }

        @Test("A file without its name is a failed item")
        func blockedName() async throws {
            try await filled { _, sandbox in
                unlink("\(sandbox.root.path)/files/v/d/b.pdf")
                rmdir("\(sandbox.root.path)/files/v/d")
                try sandbox.root.write("files/v/d", "mine")
                let outcome = try await sandbox.run("v", expecting: 1)
                #expect(outcome.errorText.contains("files/v/d/b.pdf is missing or changed"), "\(outcome)")
                #expect(try sandbox.report("v").counts.failed == 1)
                #expect(try sandbox.root.text("files/v/d") == "mine")
                unlink("\(sandbox.root.path)/files/v/d")
                try await sandbox.run("v")
                #expect(sandbox.names("v") == ["a.pdf", "d/b.pdf"])
            }
        }

        @Test("What somebody wrote into the catalog is found, and nothing loops or traps on it")
        func foreign() async throws {
            try await filled { _, sandbox in
                let catalog = "\(sandbox.root.path)/catalog.sqlite"
                let whole = try sandbox.root.read("catalog.sqlite")
                for sql in [
                    "UPDATE runs SET started = 1e300", "UPDATE runs SET started = -1e300, finished = 1e300",
                    "UPDATE names SET name = x'ff00'", "DROP TABLE packed", "DROP VIEW latest_files",
                    "ALTER TABLE bundles DROP COLUMN companions",
                ] {
                    try sandbox.root.write("catalog.sqlite", whole)
                    #expect(try await Program.tool("sqlite3", [catalog, sql]).run().ending == .exited(0))
                    let verify = try await sandbox.nightjar("verify")
                    #expect(verify.ending == .exited(1), "\(sql): \(verify)")
                    #expect(verify.outputText.contains("--rebuild"), "\(sql): \(verify)")
                    for command in [["run", "-q"], ["report", "--format", "html", "v"], ["status"]] {
                        let place = ["--root", sandbox.root.path, "--jobs", sandbox.jobs.path]
                        let outcome = try await Program.nightjar(command + place).run()
                        guard case .exited = outcome.ending else {
                            Issue.record("\(sql): \(command): \(outcome)")
                            continue
                        }
                    }
                }
                let rebuild = try await sandbox.nightjar("verify", "--rebuild", "--deep")
                #expect(rebuild.ending == .exited(0), "\(rebuild)")
            }
        }
    }
}
