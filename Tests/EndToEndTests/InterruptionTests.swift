import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Interrupted, and twice at once", .timeLimit(.minutes(1)))
    struct InterruptionTests {
        private static let names = (0..<12).map { "item-\(100 + $0).pdf" }

        /// A site whose last items come only when `isOpen` is on.
        private func serving(_ isOpen: Switch, _ body: (FaultServer, Sandbox) async throws -> Void) async throws {
            let handler: FaultServer.Handler = { request in
                let name = String(request.path.dropFirst())
                if name.isEmpty { return [.send(Response.page(Self.names))] }
                let response = Response.pdf(name)
                let isLate = Self.names.suffix(4).contains(name)
                guard isLate else { return [.send(response)] }
                return isOpen.isOn ? [.send(response)] : [.send(Array(response.dropLast(3))), .stall]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "slow",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        # Nobody waits behind the late ones.
                        fetch: { per-host: 12 }
                        name: { template: "{stem}.{ext}" }
                        pack: [{ format: tar.gz, name: "{job}.{ext}" }]
                        """)
                    try await body(server, sandbox)
                }
            }
        }

        /// Waits until only the late items are missing.
        private func stalls(_ running: RunningProgram, _ server: FaultServer) async throws -> Bool {
            let late = Self.names.suffix(4).map { "/" + $0 }
            return try await eventually {
                !running.isRunning || Set(server.requests.map(\.path)).isSuperset(of: late)
            } && running.isRunning
        }

        @Test("A signal ends the run in order, and the next run completes", arguments: [SIGINT, SIGTERM])
        func signals(signal: Int32) async throws {
            let isOpen = Switch(false)
            try await serving(isOpen) { server, sandbox in
                let running = try sandbox.runProgram(["slow"]).launch()
                #expect(try await stalls(running, server))
                // The last of the others may have been asked for later than the late ones.
                try await Task.sleep(for: .milliseconds(300))
                running.send(signal)
                let sent = ContinuousClock.now
                let outcome = try await running.finish()
                #expect(outcome.ending == .exited(128 + signal), "\(outcome)")
                #expect(ContinuousClock.now - sent < .seconds(5))
                let report = try sandbox.report("slow")
                #expect(report.run.status == "interrupted")
                #expect(report.run.exit_status == Int(128 + signal))
                #expect(report.counts.downloaded + report.counts.duplicate == 8, "what was whole is kept")
                #expect(try await sandbox.problems() == [])

                isOpen.isOn = true
                try await sandbox.run("slow")
                #expect(sandbox.names("slow") == Self.names)
                #expect(try sandbox.report("slow").run.status == "succeeded")
                #expect(try await sandbox.problems() == [])
            }
        }

        @Test("A job that runs is not started again")
        func twice() async throws {
            let isOpen = Switch(false)
            try await serving(isOpen) { server, sandbox in
                let first = try sandbox.runProgram(["slow"]).launch()
                #expect(try await stalls(first, server))
                let second = try await sandbox.run("slow", expecting: 4)
                #expect(!(second.outputText + second.errorText).isEmpty)
                let quiet = try await sandbox.run("--quiet", "slow", expecting: 4)
                #expect((quiet.outputText + quiet.errorText).isEmpty)
                first.send(SIGTERM)
                #expect(try await first.finish().ending == .exited(143))
                isOpen.isOn = true
                try await sandbox.run("slow")
                #expect(sandbox.names("slow") == Self.names)
            }
        }
    }
}
