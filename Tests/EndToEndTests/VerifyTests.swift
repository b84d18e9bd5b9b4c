import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Verification, and what is known", .timeLimit(.minutes(1)))
    struct VerifyTests {
        /// A store with three files of job "v", of which two have the same content, and one bundle.
        private func filled(
            dedupe: String = "link", _ body: (NginxServer, Sandbox) async throws -> Void
        ) async throws {
            try await NginxServer.serving { server in
                for (name, content) in [("a.pdf", "same"), ("b.pdf", "same"), ("c.pdf", "other")] {
                    try server.site.write(name, "%PDF-1.4\n% \(content)\n%%EOF\n")
                }
                try server.site.write("index.html", Response.links(["a.pdf", "b.pdf", "c.pdf", "missing.pdf"]))
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "v",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        fetch: { retries: 0 }
                        expect: { max-failed: 1 }
                        dedupe: \(dedupe)
                        name: { template: "{stem}.{ext}" }
                        pack: [{ format: tar, name: "{job}.{ext}" }]
                        """)
                    try await sandbox.run("v")
                    try await body(server, sandbox)
                }
            }
        }

        private func object(_ sandbox: Sandbox, of name: String) throws -> String {
            let inode = sandbox.root.files("files/v").first { $0.name == name }?.inode
            return "objects/" + (try #require(sandbox.root.files("objects").first { $0.inode == inode })).name
        }

        /// Changes content without changing its length.
        private func spoil(_ path: String, in sandbox: Sandbox) throws {
            chmod("\(sandbox.root.path)/\(path)", 0o644)
            var bytes = try sandbox.root.read(path)
            bytes[bytes.count / 2] ^= 1
            try sandbox.root.write(path, bytes)
        }

        @Test("A whole store is clean, deep or not")
        func clean() async throws {
            try await filled { _, sandbox in
                for arguments in [["verify"], ["verify", "--deep"]] {
                    let outcome = try await Program.nightjar(arguments + ["--root", sandbox.root.path]).run()
                    #expect(outcome.ending == .exited(0), "\(outcome)")
                    #expect(outcome.outputText.contains("all is well: 2 objects, 3 names, 1 bundle"), "\(outcome)")
                }
                let quiet = try await sandbox.nightjar("verify", "--quiet")
                #expect(quiet.ending == .exited(0) && quiet.outputText.isEmpty && quiet.errorText.isEmpty)
            }
        }

        @Test("A damaged object of the same length is found by --deep, set aside, and fetched again")
        func damaged() async throws {
            try await filled { _, sandbox in
                let object = try object(sandbox, of: "c.pdf")
                try spoil(object, in: sandbox)
                #expect(try await sandbox.nightjar("verify").ending == .exited(0), "it reads nothing")
                let look = try await sandbox.nightjar("verify", "--deep", "--dry-run")
                #expect(look.ending == .exited(1) && look.outputText.contains("\(object): damaged"), "\(look)")
                #expect(sandbox.root.exists(object))
                let outcome = try await sandbox.nightjar("verify", "--deep")
                #expect(outcome.ending == .exited(1), "\(outcome)")
                #expect(outcome.outputText.contains("the next run of 'v' fetches it again"), "\(outcome)")
                #expect(!sandbox.root.exists(object))
                #expect(sandbox.names("v") == ["a.pdf", "b.pdf"], "nothing damaged stands under a name")
                try await sandbox.run("v")
                #expect(try sandbox.root.text("files/v/c.pdf") == "%PDF-1.4\n% other\n%%EOF\n")
                #expect(try await sandbox.nightjar("verify", "--deep").ending == .exited(0))
                #expect(try await sandbox.problems() == [])
            }
        }

        @Test("An object that is lost comes back from a copy")
        func lostObject() async throws {
            try await filled(dedupe: "off") { _, sandbox in
                for object in sandbox.root.files("objects") { unlink("\(sandbox.root.path)/objects/\(object.name)") }
                let outcome = try await sandbox.nightjar("verify")
                #expect(outcome.ending == .exited(1), "\(outcome)")
                #expect(outcome.outputText.contains("repaired from a copy"), "\(outcome)")
                #expect(try await sandbox.nightjar("verify", "--deep").ending == .exited(0))
            }
        }

        @Test("A name that is missing, or was changed, is its content's again")
        func names() async throws {
            try await filled { _, sandbox in
                unlink("\(sandbox.root.path)/files/v/a.pdf")
                unlink("\(sandbox.root.path)/files/v/c.pdf")
                try sandbox.root.write("files/v/c.pdf", "notes of somebody")
                let outcome = try await sandbox.nightjar("verify")
                #expect(outcome.ending == .exited(1))
                #expect(outcome.outputText.contains("files/v/a.pdf: missing; repaired"), "\(outcome)")
                #expect(outcome.outputText.contains("lies in quarantine/v"), "\(outcome)")
                #expect(try sandbox.root.text("files/v/c.pdf") == "%PDF-1.4\n% other\n%%EOF\n")
                let set = sandbox.root.files("quarantine/v").map { try? sandbox.root.text("quarantine/v/\($0.name)") }
                #expect(set.contains("notes of somebody"))
                #expect(try await sandbox.nightjar("verify", "--deep").ending == .exited(0))
                for round in 1...3 {
                    unlink("\(sandbox.root.path)/files/v/c.pdf")
                    try sandbox.root.write("files/v/c.pdf", "notes \(round)")
                    _ = try await sandbox.nightjar("verify")
                }
                let all = sandbox.root.files("quarantine/v").map { try? sandbox.root.text("quarantine/v/\($0.name)") }
                #expect(all.count == 4 && Set(all).count == 4, "nothing that was set aside is overwritten")
            }
        }

        @Test("Bundles are held against their checksums")
        func bundles() async throws {
            try await filled { _, sandbox in
                try sandbox.root.write("bundles/v/v.tar.sha256", "nothing")
                let beside = try await sandbox.nightjar("verify")
                #expect(beside.outputText.contains("bundles/v/v.tar.sha256: it names another"), "\(beside)")
                #expect(try await sandbox.nightjar("verify").ending == .exited(0))
                try spoil("bundles/v/v.tar", in: sandbox)
                #expect(try await sandbox.nightjar("verify").ending == .exited(0))
                let deep = try await sandbox.nightjar("verify", "--deep")
                #expect(deep.ending == .exited(1) && deep.outputText.contains("bundles/v/v.tar: damaged"), "\(deep)")
                #expect(deep.outputText.contains("'nightjar pack v', packs what it held again"), "\(deep)")
                let pack = try await sandbox.nightjar("pack", "--jobs", sandbox.jobs.path, "v")
                #expect(pack.ending == .exited(0), "what verify says is so: \(pack)")
                #expect(try await sandbox.bundledNames("v") == ["a.pdf", "b.pdf", "c.pdf"])
                #expect(try await sandbox.nightjar("verify", "--deep").ending == .exited(0))
                #expect(sandbox.root.files("quarantine/v").map(\.name) == ["v.tar.damaged"])
            }
        }

        @Test("Without a catalog, or with a damaged one, the way out is told")
        func noCatalog() async throws {
            try await filled { _, sandbox in
                for suffix in ["-wal", "-shm"] { unlink("\(sandbox.root.path)/catalog.sqlite\(suffix)") }
                try sandbox.root.write("catalog.sqlite", [UInt8](repeating: 7, count: 8192))
                for command in ["verify", "status"] {
                    let outcome = try await sandbox.nightjar(command)
                    #expect(
                        outcome.ending != .exited(0) && outcome.errorText.contains("verify --rebuild"), "\(outcome)")
                }
                let run = try await sandbox.run("v", expecting: 3)
                #expect(run.errorText.contains("verify --rebuild"), "\(run)")
                unlink("\(sandbox.root.path)/catalog.sqlite")
                let outcome = try await sandbox.nightjar("verify")
                #expect(outcome.ending == .exited(1) && outcome.errorText.contains("verify --rebuild"), "\(outcome)")
            }
        }

        @Test("A lost or damaged catalog is made again from objects and reports", arguments: [true, false])
        func rebuild(isLost: Bool) async throws {
            try await filled { server, sandbox in
                try await sandbox.run("v")
                for suffix in ["-wal", "-shm", ""] { unlink("\(sandbox.root.path)/catalog.sqlite\(suffix)") }
                if !isLost { try sandbox.root.write("catalog.sqlite", [UInt8](repeating: 7, count: 8192)) }
                let outcome = try await sandbox.nightjar("verify", "--rebuild", "--deep")
                #expect(outcome.ending == .exited(0), "\(outcome)")
                #expect(
                    outcome.outputText.contains("rebuilt the catalog from 2 objects, 2 reports and 8 items"),
                    "\(outcome)")
                #expect(outcome.outputText.contains("all is well: 2 objects, 3 names, 1 bundle"), "\(outcome)")
                let aside = sandbox.root.names.filter { $0.hasPrefix("catalog.sqlite.damaged-") }
                #expect(aside.isEmpty == isLost, "what was there is kept")
                let why = try await sandbox.nightjar("why", "\(server.origin)/c.pdf")
                #expect(
                    why.outputText.contains("files/v/c.pdf") && why.outputText.contains("bundles/v/v.tar"), "\(why)")
                try await sandbox.run("v")
                let report = try sandbox.report("v")
                #expect(report.counts.unchanged == 3 && report.counts.downloaded == 0, "nothing is new")
                #expect(report.bundles.isEmpty, "what went out is not packed again")
                #expect(sandbox.names("v") == ["a.pdf", "b.pdf", "c.pdf"])
                #expect(try await sandbox.problems() == [])
                let again = try await sandbox.nightjar("verify", "--rebuild")
                #expect(again.ending == .exited(0) && again.errorText.contains("the catalog is sound"), "\(again)")
            }
        }

        @Test("Without catalog and reports the objects are known, and the next run names them again")
        func rebuildFromObjectsAlone() async throws {
            try await filled { _, sandbox in
                for suffix in ["-wal", "-shm", ""] { unlink("\(sandbox.root.path)/catalog.sqlite\(suffix)") }
                for file in sandbox.root.tree("reports").reversed() {
                    unlink("\(sandbox.root.path)/\(file.name)")
                    rmdir("\(sandbox.root.path)/\(file.name)")
                }
                let outcome = try await sandbox.nightjar("verify", "--rebuild")
                #expect(outcome.ending == .exited(0), "\(outcome)")
                try await sandbox.run("v")
                #expect(
                    sandbox.names("v") == ["a.pdf", "b.pdf", "c.pdf"], "the names that are there already are theirs")
                #expect(try await sandbox.problems() == [])
            }
        }

        @Test("why tells pages, verdicts, names, objects and bundles of a URL")
        func why() async throws {
            try await filled { server, sandbox in
                let file = try await sandbox.nightjar("why", "\(server.origin)/c.pdf")
                #expect(file.ending == .exited(0))
                for part in [
                    "job v", try object(sandbox, of: "c.pdf"), "files/v/c.pdf", "bundles/v/v.tar as c.pdf",
                    "downloaded",
                    "HTTP 200", "found on \(server.origin)/", "ETag",
                ] {
                    #expect(file.outputText.contains(part), "\(part): \(file)")
                }
                let path = try await sandbox.nightjar("why", "files/v/c.pdf")
                #expect(path.outputText == file.outputText)
                let missing = try await sandbox.nightjar("why", "\(server.origin)/missing.pdf")
                #expect(missing.outputText.contains("http-status"), "\(missing)")
                let twin = try await sandbox.nightjar("why", "--json", "\(server.origin)/b.pdf")
                #expect(twin.outputText.contains("\"duplicate_of\":\"a.pdf\""), "\(twin)")
                let unknown = try await sandbox.nightjar("why", "https://example.org/")
                #expect(unknown.ending == .exited(1) && unknown.outputText.contains("no run has met"), "\(unknown)")
                #expect(try await sandbox.nightjar("why", "c.pdf").ending == .exited(2))
            }
        }

        @Test("The views answer in sqlite3, and a 304 is in the history with its hash")
        func views() async throws {
            try await filled { server, sandbox in
                try await sandbox.run("v")
                func query(_ sql: String) async throws -> [String] {
                    let outcome = try await Program.tool("sqlite3", ["\(sandbox.root.path)/catalog.sqlite", sql]).run()
                    #expect(outcome.ending == .exited(0), "\(outcome)")
                    return outcome.outputText.split(separator: "\n").map(String.init)
                }
                let latest = try await query("SELECT path, bytes, sha256 FROM latest_files ORDER BY path")
                #expect(latest.count == 3 && latest[0].hasPrefix("files/v/a.pdf|"))
                let history = try await query(
                    "SELECT status, http_status, sha256 FROM url_history WHERE url = '\(server.origin)/c.pdf' "
                        + "ORDER BY run")
                #expect(history.count == 2)
                // Both runs may have begun in one second.
                #expect(history.contains { $0.hasPrefix("unchanged|304|") }, "\(history)")
                #expect(Set(history.map { $0.split(separator: "|").last }).count == 1)
                let runs = try await query("SELECT status, items, failed FROM run_summary")
                #expect(runs == ["succeeded|3|1", "succeeded|3|1"])
                let seen = try await query("SELECT first_seen < last_seen OR first_seen = last_seen FROM latest_files")
                #expect(seen == ["1", "1", "1"])
            }
        }

        @Test("status tells what runs and how the last runs went")
        func status() async throws {
            let handler: FaultServer.Handler = { request in
                request.path == "/" ? [.send(Response.page(["/a.pdf"]))] : [.stall]
            }
            try await FaultServer.serving(handler) { server in
                try await filled { _, sandbox in
                    try sandbox.write("slow", "start: [\"\(server.origin)/\"]\ndownload: { extensions: [pdf] }")
                    let running = try sandbox.runProgram(["slow"]).launch()
                    #expect(try await eventually { server.requests.contains { $0.path == "/a.pdf" } })
                    let during = try await sandbox.nightjar("status")
                    #expect(during.outputText.contains("running      slow  pid \(running.pid)"), "\(during)")
                    #expect(during.outputText.contains("succeeded    v"), "\(during)")
                    running.send(SIGKILL)
                    _ = try await running.finish()
                    let after = try await sandbox.nightjar("status", "slow")
                    #expect(after.outputText.contains("killed       slow"), "\(after)")
                    #expect(after.outputText.contains("never succeeded"))
                    let json = try await sandbox.nightjar("status", "--json")
                    #expect(json.outputText.contains("\"job\":\"v\",\"running\":false"), "\(json)")
                    #expect(try await sandbox.nightjar("status", "nobody").ending == .exited(2))
                }
            }
        }
    }
}
