import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("crontab and units", .timeLimit(.minutes(1)))
    struct CrontabTests {
        /// Whether a cron of our own can be run: as root, with a view of the file system that nobody else has.
        static let canRunCron =
            getuid() == 0
            && ["cron", "crontab", "unshare", "faketime", "mount", "sqlite3"].allSatisfy(Program.isInstalled)

        private func crontab(_ sandbox: Sandbox, _ arguments: String..., expecting status: Int32 = 0) async throws
            -> String
        {
            let folders = ["--root", sandbox.root.path, "--jobs", sandbox.jobs.path]
            let outcome = try await Program.nightjar(["crontab"] + folders + arguments).run()
            #expect(outcome.ending == .exited(status), "\(outcome)")
            return outcome.outputText + outcome.errorText
        }

        @Test("The lines hold PATH, absolute paths, and the minutes at which jobs may come")
        func lines() async throws {
            try await Sandbox.with { sandbox in
                let start = "start: https://example.org/"
                try sandbox.write("a", "schedule: \"15 2 * * *\"\ntimezone: Asia/Kolkata\n\(start)")
                try sandbox.write("b", "schedule: \"0,30 4 1W * *\"\n\(start)")
                try sandbox.write("c", "\(start)\nfetch: { headers: { X-T: { env: MY_TOKEN } } }")
                let text = try await crontab(sandbox)
                let lines = text.split(separator: "\n").map(String.init)
                #expect(lines.contains("# c has no schedule and runs by name only"))
                #expect(lines.contains { $0.hasPrefix("# ") && $0.contains("MY_TOKEN") })
                #expect(lines.contains { $0.hasPrefix("PATH=/") && $0.contains(":/usr/bin") })
                let command = "run --due --quiet --jobs \(sandbox.jobs.path) --root \(sandbox.root.path)"
                #expect(lines.last == "0,30,45 * * * * \(Program.buildFolder)/nightjar \(command)", "\(text)")

                try sandbox.write("d", "schedule: \"*/4 * * * *\"\n\(start)")
                #expect(try await crontab(sandbox, "d").contains("\n* * * * * /"))
                #expect(try await crontab(sandbox, "d", "b").hasSuffix(" d b\n"))
                #expect(try await crontab(sandbox, "c", expecting: 2).contains("no job has a schedule"))
            }
        }

        @Test("What a shell or cron would take for its own is quoted", .enabled(if: Program.isInstalled("sh")))
        func quoting() async throws {
            try await Sandbox.with { sandbox in
                try sandbox.write("a", "schedule: \"@daily\"\nstart: https://example.org/")
                let root = "\(sandbox.folder.path)/50% of $HOME; it's `x`"
                let outcome = try await Program.nightjar(
                    ["crontab", "--jobs", sandbox.jobs.path, "--root", root]).run()
                let line = try #require(outcome.outputText.split(separator: "\n").last.map(String.init))
                #expect(line.contains("50\\% of"))
                // As cron reads it: the escape goes, the rest is the shell's.
                let command = line.split(separator: " ", maxSplits: 5)[5].replacing("\\%", with: "%")
                let words = try await Program.tool("sh", ["-c", "printf '<%s>' \(command)"]).run().outputText
                #expect(words.hasSuffix("<--root><\(root)>"), "\(words)")
                let bad = try await Program.nightjar(["crontab", "--jobs", sandbox.jobs.path, "--root", "/a\nb"]).run()
                #expect(bad.ending == .exited(2))
            }
        }

        @Test("The units pass systemd-analyze", .enabled(if: Program.isInstalled("systemd-analyze")))
        func units() async throws {
            try await Sandbox.with { sandbox in
                try sandbox.write(
                    "a", "schedule: \"15 2 * * *\"\nstart: https://example.org/\nmetrics: /var/lib/n/a.prom")
                try sandbox.write("b-2", "schedule: \"*/3 * * * *\"\nstart: https://example.org/")
                let units = try sandbox.folder.folder("units")
                let printed = try await crontab(sandbox, "--systemd")
                let written = try await crontab(sandbox, "--systemd", "--into", units.path)
                #expect(written.split(separator: "\n").count == 3)
                #expect(Set(units.names) == ["nightjar@.service", "nightjar@a.timer", "nightjar@b-2.timer"])
                for name in units.names { #expect(printed.contains(try units.text(name))) }
                let service = try units.text("nightjar@.service")
                for line in ["ProtectSystem=strict", "NoNewPrivileges=yes", "SuccessExitStatus=4"] {
                    #expect(service.contains("\n\(line)\n"))
                }
                #expect(service.contains("ReadWritePaths=\"-/var/lib/n\""))
                let paths = units.names.map { "\(units.path)/\($0)" }.filter { !$0.hasSuffix("@.service") }
                let outcome = try await Program.tool(
                    "systemd-analyze", ["verify", "--man=no", "\(units.path)/nightjar@a.service"] + paths
                ).run()
                #expect(outcome.ending == .exited(0) && outcome.errors.isEmpty, "\(outcome)")
                let times = try await Program.tool("systemd-analyze", ["calendar", "*-*-* *:15:00"]).run()
                #expect(try units.text("nightjar@a.timer").contains("OnCalendar=*-*-* *:15:00\n"))
                #expect(times.ending == .exited(0))
                if outcome.ending == .exited(0) {
                    let security = try await Program.tool(
                        "systemd-analyze",
                        ["security", "--offline=yes", "--threshold=30", "\(units.path)/nightjar@.service"]
                    ).run()
                    #expect(security.ending == .exited(0), "\(security)")
                }
            }
        }

        @Test("A real cron fires a real job", .enabled(if: canRunCron))
        func cron() async throws {
            try await FaultServer.serving({ _ in [.send(Response.pdf("a"))] }) { server in
                try await Sandbox.with { sandbox in
                    let lines = "start: [\"\(server.origin)/a.pdf\"]\nname: { template: \"{stem}.{ext}\" }"
                    try sandbox.write("a", "schedule: \"*/4 * * * *\"\n\(lines)")
                    let folders = ["--root", sandbox.root.path, "--jobs", sandbox.jobs.path]
                    _ = try await Program.nightjar(["due"] + folders).run()
                    let script = "UPDATE jobs SET first_seen = first_seen - 2592000"
                    _ = try await Program.tool("sqlite3", ["\(sandbox.root.path)/catalog.sqlite", script]).run()
                    // Its spool and its pid file are seen by nobody else, and its minutes are short.
                    let steps = """
                        set -e
                        mount -t tmpfs none /var/spool/cron && mkdir -m 1730 /var/spool/cron/crontabs
                        mount -t tmpfs none /run && mount -t tmpfs none /etc/cron.d
                        "$@" | crontab -
                        exec faketime -f '+0 x30' cron -f
                        """
                    let words = ["-m", "--propagation", "private", "sh", "-c", steps, "sh"]
                    let nightjar = Program.nightjar([]).path
                    let cron = try Program.tool("unshare", words + [nightjar, "crontab"] + folders).launch()
                    let hasRun = try await eventually(.seconds(30)) {
                        !cron.isRunning || sandbox.root.exists("reports/a/latest.json")
                    }
                    cron.send(SIGTERM)
                    let outcome = try await cron.finish()
                    #expect(hasRun && sandbox.names("a") == ["a.pdf"], "\(outcome)")
                    #expect(try sandbox.report("a").run.status == "succeeded")
                }
            }
        }
    }
}
