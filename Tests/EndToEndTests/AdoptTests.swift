import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Files of an older mirror", .timeLimit(.minutes(1)))
    struct AdoptTests {
        private func adopt(_ sandbox: Sandbox, _ arguments: String...) async throws -> Outcome {
            try await Program.nightjar(
                ["adopt", "--root", sandbox.root.path, "--jobs", sandbox.jobs.path] + arguments
            ).run()
        }

        /// A site and a mirror of it with two of its three files, whose times are the server's.
        private func with(
            _ layout: (NginxServer) -> String, _ body: (NginxServer, Sandbox, Folder) async throws -> Void
        ) async throws {
            try await NginxServer.serving { server in
                try await Sandbox.with { sandbox in
                    let mirror = try sandbox.folder.folder("mirror")
                    let names = ["a b.pdf", "c.pdf", "d.pdf"]
                    for name in names {
                        try server.site.write(name, "%PDF-1.4\n% \(name)\n%%EOF\n")
                        var times = [
                            timespec(tv_sec: 1_600_000_000, tv_nsec: 0), timespec(tv_sec: 1_600_000_000, tv_nsec: 0),
                        ]
                        utimensat(AT_FDCWD, "\(server.site.path)/\(name)", &times, 0)
                        if name == "d.pdf" { continue }
                        let path = "\(layout(server))\(name)"
                        try mirror.write(path, try server.site.read(name))
                        utimensat(AT_FDCWD, "\(mirror.path)/\(path)", &times, 0)
                    }
                    try mirror.write("\(layout(server))index.html", "a page")
                    try server.site.write("index.html", Response.links(["a%20b.pdf", "c.pdf", "d.pdf"]))
                    try sandbox.write(
                        "old",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        name: { template: "{stem}.{ext}" }
                        """)
                    try await body(server, sandbox, mirror)
                }
            }
        }

        @Test("What it holds is not downloaded again", arguments: [true, false])
        func paths(byHost: Bool) async throws {
            let layout: (NginxServer) -> String = { server in
                byHost ? "\(server.origin.split(separator: "/").last ?? "")/" : ""
            }
            try await with(layout) { server, sandbox, mirror in
                let look = try await adopt(sandbox, "--dry-run", mirror.path, "old")
                #expect(look.outputText.contains("would adopt 2 files, 1 left out, 0 failed"), "\(look)")
                let outcome = try await adopt(sandbox, mirror.path, "old")
                #expect(outcome.ending == .exited(0), "\(outcome)")
                #expect(outcome.outputText.contains("adopted 2 files, 1 left out"), "\(outcome)")
                #expect(try await sandbox.problems() == [])
                try await sandbox.run("old")
                #expect(sandbox.names("old") == ["a b.pdf", "c.pdf", "d.pdf"])
                let items = try sandbox.items("old")
                #expect(items["c.pdf"]?.http_status == 304 && items["a%20b.pdf"]?.http_status == 304)
                #expect(items["d.pdf"]?.http_status == 200)
                #expect(items["c.pdf"]?.status == "unchanged" && items["d.pdf"]?.status == "downloaded")
                #expect(try sandbox.report("old").changes.new == 3)
                #expect(try sandbox.root.text("files/old/a b.pdf").contains("a b.pdf"))
                #expect(try await sandbox.problems() == [])
                let again = try await adopt(sandbox, mirror.path, "old")
                #expect(again.outputText.contains("adopted 0 files, 3 left out"), "\(again)")
            }
        }

        @Test("Names that are no UTF-8 are listed as left out")
        func foreignNames() async throws {
            try await with({ _ in "" }) { _, sandbox, mirror in
                let names = ["M\u{fc}ller.pdf", "f\u{fc}"].map { name in
                    Array("\(mirror.path)/".utf8) + name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
                }
                for (name, isFolder) in zip(names, [false, true]) {
                    let path = name.map(CChar.init(bitPattern:)) + [0]
                    if isFolder { #expect(mkdir(path, 0o777) == 0) } else { close(creat(path, 0o644)) }
                }
                try mirror.write(".hidden.pdf", "x")
                try mirror.write("login.pdf", "<!DOCTYPE html><title>Log in</title>")
                let outcome = try await adopt(sandbox, mirror.path, "old")
                for name in ["M\\xFCller.pdf", "f\\xFC", ".hidden.pdf", "login.pdf"] {
                    #expect(outcome.outputText.contains("left out  \(name)  "), "\(outcome)")
                }
                #expect(outcome.outputText.contains("adopted 2 files, 5 left out, 0 failed"), "\(outcome)")
                for name in names.reversed() {
                    let path = name.map(CChar.init(bitPattern:)) + [0]
                    if unlink(path) != 0 { rmdir(path) }
                }
            }
        }

        @Test("A list says which URL a path came from")
        func list() async throws {
            try await with({ _ in "" }) { server, sandbox, mirror in
                try sandbox.folder.write("list", "\(server.origin)/c.pdf\tc.pdf\n")
                let list = "\(sandbox.folder.path)/list"
                let outcome = try await adopt(sandbox, "--list", list, mirror.path, "old")
                #expect(outcome.outputText.contains("adopted 1 file, 2 left out"), "\(outcome)")
                try sandbox.folder.write("list", "c.pdf\n")
                #expect(try await adopt(sandbox, "--list", list, mirror.path, "old").ending == .exited(2))
                #expect(try await adopt(sandbox, mirror.path, "nobody").ending == .exited(2))
                #expect(try await adopt(sandbox, "/nowhere/at/all", "old").ending == .exited(2))
            }
        }
    }
}
