import TestSupport
import Testing

extension EndToEnd {
    @Suite("Jobs that need others, and jobs at once", .timeLimit(.minutes(1)))
    struct NeedTests {
        /// A site where `/<job>/` links to one file; the files of jobs in `broken` are not there.
        private func serving(
            broken: Switch, slow: Duration? = nil, _ body: (FaultServer, Sandbox) async throws -> Void
        ) async throws {
            let handler: FaultServer.Handler = { request in
                let parts = request.path.split(separator: "/").map(String.init)
                guard parts.count == 2 else { return [.send(Response.page(["a.pdf"]))] }
                if parts[0] == "a", broken.isOn { return [.send(Response.notFound)] }
                let response = Action.send(Response.pdf(request.path))
                return slow.map { [.pause($0), response] } ?? [response]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { try await body(server, $0) }
            }
        }

        private func manifest(_ server: FaultServer, _ job: String, _ lines: String = "") -> String {
            "start: [\"\(server.origin)/\(job)/\"]\ndownload: { extensions: [pdf] }\n"
                + "name: { template: \"{stem}.{ext}\" }\n\(lines)"
        }

        @Test("A failed need makes the status once; what needs it is skipped with a report of its own")
        func failed() async throws {
            let broken = Switch(true)
            try await serving(broken: broken) { server, sandbox in
                try sandbox.write("a", manifest(server, "a"))
                try sandbox.write("b", manifest(server, "b", "needs: [a]"))
                try sandbox.write("c", manifest(server, "c", "needs: [b]"))
                try sandbox.write("d", manifest(server, "d"))
                let outcome = try await sandbox.run("--quiet", expecting: 1)
                #expect(outcome.errorText.contains("b: error: need-failed: skipped, since its need a did not succeed"))
                for (job, need) in [("b", "a"), ("c", "b")] {
                    let report = try sandbox.report(job)
                    #expect(report.run.status == "skipped" && report.run.exit_status == 0)
                    #expect(report.warnings.map(\.code) == ["need-failed"])
                    #expect(report.warnings.first?.message.contains("its need \(need) ") == true)
                    #expect(sandbox.names(job).isEmpty)
                }
                #expect(sandbox.names("d") == ["a.pdf"])

                // By itself it asks how the need's last run went.
                let alone = try await sandbox.run("b", expecting: 3)
                #expect(alone.errorText.contains("its need a was only partly successful in its last run"))
                broken.isOn = false
                try await sandbox.run("a")
                try await sandbox.run("b")
                #expect(sandbox.names("b") == ["a.pdf"])
            }
        }

        @Test("Needs go first, whatever the order of names and the number of jobs at once")
        func order() async throws {
            try await serving(broken: Switch(false)) { server, sandbox in
                try sandbox.write("a", manifest(server, "a", "needs: [z]"))
                try sandbox.write("m", manifest(server, "m", "needs: [a]"))
                try sandbox.write("z", manifest(server, "z"))
                try await sandbox.run("--jobs-at-once", "4")
                let order = server.requests.map(\.path).filter { $0.hasSuffix("pdf") }
                #expect(order == ["/z/a.pdf", "/a/a.pdf", "/m/a.pdf"])
            }
        }

        @Test("With one job at a time, priority decides who is first")
        func priority() async throws {
            try await serving(broken: Switch(false)) { server, sandbox in
                try sandbox.write("a", manifest(server, "a", "priority: -1"))
                try sandbox.write("m", manifest(server, "m"))
                try sandbox.write("z", manifest(server, "z", "priority: 10"))
                try await sandbox.run("--jobs-at-once", "1")
                let order = server.requests.map(\.path).filter { $0.hasSuffix("pdf") }
                #expect(order == ["/z/a.pdf", "/m/a.pdf", "/a/a.pdf"])
                let wrong = try await sandbox.run("--jobs-at-once", "0", expecting: 2)
                #expect(wrong.errorText.contains("--jobs-at-once is a number from 1 to 64"))
            }
        }

        @Test("Two jobs at once keep to the bound on a host together", arguments: [(1, 1), (2, 2)])
        func together(perHost: Int, most: Int) async throws {
            let names = (0..<8).map { "f\($0).pdf" }
            let handler: FaultServer.Handler = { request in
                guard request.path.hasSuffix(".pdf") else { return [.send(Response.page(names))] }
                return [.pause(.milliseconds(40)), .send(Response.pdf(request.path))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    for job in ["a", "b", "c"] {
                        try sandbox.write(job, manifest(server, job, "fetch: { per-host: \(perHost) }"))
                    }
                    try await sandbox.run("--jobs-at-once", "3")
                    #expect(server.requests.count == 27)
                    #expect(server.greatestInFlight == most)
                    // They were under way at once indeed.
                    let first = server.requests.prefix(20).map { $0.path.split(separator: "/").first ?? "" }
                    #expect(Set(first) == ["a", "b", "c"])
                }
            }
        }

        @Test("The rate holds over all jobs together")
        func rate() async throws {
            let body = [UInt8](repeating: 0x41, count: 200_000)
            let handler: FaultServer.Handler = { request in
                guard request.path.hasSuffix(".bin") else { return [.send(Response.page(["x.bin"]))] }
                return [.send(Response.bytes(body + Array(request.path.utf8)))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    for job in ["a", "b"] {
                        let lines = "start: [\"\(server.origin)/\(job)/\"]\ndownload: { extensions: [bin] }"
                        try sandbox.write(job, "\(lines)\nfetch: { rate: 200kB/s }")
                    }
                    // 400 kB at 200 kB a second, less what the first moment may take at once.
                    let outcome = try await sandbox.run("--jobs-at-once", "2")
                    #expect(outcome.seconds > 1.3, "\(outcome)")
                }
            }
        }

        @Test("max-runtime ends a run in order, and the next one goes on")
        func maxRuntime() async throws {
            let isOpen = Switch(false)
            let handler: FaultServer.Handler = { request in
                if !request.path.hasSuffix(".pdf") { return [.send(Response.page(["1.pdf", "2.pdf"]))] }
                return request.path == "/2.pdf" && !isOpen.isOn ? [.stall] : [.send(Response.pdf(request.path))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "slow",
                        "start: [\"\(server.origin)/\"]\ndownload: { extensions: [pdf] }\nmax-runtime: 1s\n"
                            + "pack: [{ format: tar }]")
                    let outcome = try await sandbox.run("slow", expecting: 1)
                    #expect(outcome.seconds < 8)
                    let report = try sandbox.report("slow")
                    #expect(report.run.status == "interrupted" && report.counts.downloaded == 1)
                    let left = try sandbox.items("slow")["2.pdf"]
                    #expect(left?.status == "skipped")
                    #expect(left?.reason == "the run took longer than max-runtime allows (1.0 s)")
                    #expect(report.bundles.isEmpty)
                    isOpen.isOn = true
                    try await sandbox.run("slow")
                    #expect(sandbox.names("slow").count == 2)
                }
            }
        }

        @Test("overlap: wait waits for the last run, and no longer than it says")
        func overlap() async throws {
            let isOpen = Switch(false)
            let handler: FaultServer.Handler = { request in
                if !request.path.hasSuffix(".pdf") { return [.send(Response.page(["1.pdf"]))] }
                return isOpen.isOn ? [.send(Response.pdf("1"))] : [.stall]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    let lines = "start: [\"\(server.origin)/\"]\ndownload: { extensions: [pdf] }\n"
                    try sandbox.write("slow", lines + "overlap: { wait: 1s }")
                    let first = try sandbox.runProgram(["slow"]).launch()
                    #expect(try await eventually { server.requests.contains { $0.path == "/1.pdf" } })
                    let second = try await sandbox.run("slow", expecting: 4)
                    #expect(second.errorText.contains("its last run still goes on after 1.0 s"))
                    #expect(second.seconds >= 1)

                    try sandbox.write("slow", lines + "overlap: wait")
                    let third = try sandbox.runProgram(["slow"]).launch()
                    try await Task.sleep(for: .milliseconds(700))
                    #expect(third.isRunning)
                    isOpen.isOn = true
                    first.send(15)
                    #expect(try await first.finish().ending == .exited(143))
                    #expect(try await third.finish().ending == .exited(0))
                    #expect(sandbox.names("slow").count == 1)

                    // Waiting can be broken off too.
                    isOpen.isOn = false
                }
            }
        }

        @Test(
            "A job whose need failed stays due, is told of once, and runs when the need has succeeded",
            .enabled(if: Program.isInstalled("sqlite3")))
        func due() async throws {
            let broken = Switch(true)
            try await serving(broken: broken) { server, sandbox in
                try sandbox.write("a", manifest(server, "a", "schedule: \"@daily\""))
                try sandbox.write("b", manifest(server, "b", "schedule: \"@daily\"\nneeds: [a]"))
                try await sandbox.run("--due")
                let past = "UPDATE jobs SET first_seen = first_seen - 2592000"
                _ = try await Program.tool("sqlite3", ["\(sandbox.root.path)/catalog.sqlite", past]).run()
                try await sandbox.run("--due", "--quiet", expecting: 1)
                let skipped = try sandbox.report("b").run.id
                let silent = try await sandbox.run("--due", "--quiet")
                #expect(silent.errors.isEmpty && silent.output.isEmpty, "\(silent)")
                #expect(try sandbox.report("b").run.id == skipped)
                broken.isOn = false
                try await sandbox.run("a")
                try await sandbox.run("--due", "--quiet")
                #expect(sandbox.names("b") == ["a.pdf"])
            }
        }
    }
}
