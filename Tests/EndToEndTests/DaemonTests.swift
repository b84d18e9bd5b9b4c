import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The daemon", .timeLimit(.minutes(1)), .enabled(if: Program.isInstalled("sqlite3")))
    struct DaemonTests {
        /// Makes every job that was seen be due now.
        private func makeDue(_ sandbox: Sandbox) async throws {
            let due = Program.nightjar(["due", "--root", sandbox.root.path, "--jobs", sandbox.jobs.path])
            #expect(try await due.run().ending == .exited(0))
            let script = "UPDATE jobs SET first_seen = first_seen - 2592000"
            _ = try await Program.tool("sqlite3", ["\(sandbox.root.path)/catalog.sqlite", script]).run()
        }

        private func daemon(_ sandbox: Sandbox, _ arguments: String...) -> Program {
            var program = Program.nightjar(
                ["daemon", "--root", sandbox.root.path, "--jobs", sandbox.jobs.path] + arguments)
            program.environment["NOTIFY_SOCKET"] = "\(sandbox.folder.path)/notify"
            program.environment["WATCHDOG_USEC"] = "900000"
            return program
        }

        private func manifest(_ server: FaultServer, _ name: String, _ more: String = "") -> String {
            "schedule: \"@daily\"\nstart: [\"\(server.origin)/\(name).pdf\"]\nname: { template: \"{stem}.{ext}\" }\n\(more)"
        }

        @Test("It runs what is due, takes manifests as they change, keeps the last good ones, and ends in order")
        func life() async throws {
            let handler: FaultServer.Handler = { request in
                request.path == "/slow.pdf" ? [.stall] : [.send(Response.pdf(request.path))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    let socket = try NotifySocket("\(sandbox.folder.path)/notify")
                    try sandbox.write("a", manifest(server, "a"))
                    try sandbox.write("b", manifest(server, "b"))
                    try sandbox.write("slow", manifest(server, "slow", "metrics: \(sandbox.folder.path)/slow.prom"))
                    try await makeDue(sandbox)
                    for name in ["b", "slow"] { unlink("\(sandbox.jobs.path)/\(name).yaml") }

                    let running = try daemon(sandbox).launch()
                    #expect(try await eventually { sandbox.names("a") == ["a.pdf"] })
                    #expect(socket.hears("READY=1\nSTATUS=1 job"))
                    #expect(try await daemon(sandbox).run().ending == .exited(4), "one looks after a root")
                    #expect(try await eventually { sandbox.root.exists("reports/a/latest.json") })
                    let stranger = "objects/ab/\(String(repeating: "ab", count: 32))"
                    try sandbox.root.write(stranger, "left by a kill")
                    let place = ["--root", sandbox.root.path, "--jobs", sandbox.jobs.path]
                    // The run may not have let go of its lock yet.
                    for _ in 1...50 where sandbox.root.exists(stranger) {
                        _ = try await Program.nightjar(["gc", "--apply"] + place).run()
                    }
                    #expect(!sandbox.root.exists(stranger), "an idle daemon keeps no objects")
                    let rebuild = try await Program.nightjar(["verify", "--rebuild"] + place.prefix(2)).run()
                    #expect(rebuild.ending == .exited(1) && rebuild.errorText.contains("the daemon"), "\(rebuild)")

                    // A manifest that is new, by a rename as editors do it.
                    try sandbox.jobs.write("b.yaml.new", "job: b\n" + manifest(server, "b"))
                    rename("\(sandbox.jobs.path)/b.yaml.new", "\(sandbox.jobs.path)/b.yaml")
                    #expect(try await eventually { sandbox.names("b") == ["b.pdf"] })

                    // One that breaks while it is changed, and one that comes at the same time.
                    try sandbox.write("b", "colour: red")
                    try sandbox.write("slow", manifest(server, "slow", "metrics: \(sandbox.folder.path)/slow.prom"))
                    running.send(SIGHUP)
                    #expect(try await eventually { server.requests.contains { $0.path == "/slow.pdf" } })
                    #expect(socket.hears("RELOADING=1"))
                    #expect(try await eventually { socket.hears("WATCHDOG=1") })

                    running.send(SIGTERM)
                    let outcome = try await running.finish()
                    #expect(outcome.ending == .exited(0), "\(outcome)")
                    #expect(socket.hears("STOPPING=1"))
                    #expect(
                        outcome.errorText.contains("b.yaml:1:1: error")
                            || outcome.errorText.contains("b.yaml:2:1: error"))
                    #expect(outcome.errorText.contains("as they were before stay: b"))
                    #expect(try sandbox.report("slow").run.status == "interrupted")
                    #expect(sandbox.folder.exists("slow.prom"))
                    #expect(server.requests.filter { $0.path == "/a.pdf" }.count == 1, "nothing runs twice")
                    #expect(try await sandbox.problems() == [])
                }
            }
        }

        @Test("A job that cannot be recorded is not started again and again")
        func noSpin() async throws {
            try await Sandbox.with { sandbox in
                try sandbox.write("a", "schedule: \"@daily\"\nstart: https://localhost:1/")
                try await makeDue(sandbox)
                // Where the report should go lies a file.
                try sandbox.root.write("reports", "")
                let running = try daemon(sandbox).launch()
                try await Task.sleep(for: .seconds(2))
                running.send(SIGTERM)
                let outcome = try await running.finish()
                #expect(outcome.ending == .exited(0), "\(outcome)")
                #expect(outcome.errorText.components(separatedBy: "job a:").count == 2, "\(outcome)")
            }
        }

        @Test("A manifest that is wrong from the beginning starts nothing")
        func wrong() async throws {
            try await Sandbox.with { sandbox in
                try sandbox.write("a", "colour: red")
                #expect(try await daemon(sandbox).run().ending == .exited(2))
            }
        }
    }
}

/// Hears what a service tells its manager.
private final class NotifySocket: Sendable {
    private let number: Int32
    private let heard = Mutex<[String]>([])

    init(_ path: String) throws {
        number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, length) }
        }
        try #require(code == 0)
    }

    deinit { close(number) }

    /// Whether a message that begins so has come by now.
    func hears(_ beginning: String) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { break }
            heard.withLock { $0.append(String(decoding: buffer[..<count], as: UTF8.self)) }
        }
        return heard.withLock { $0.contains { $0.hasPrefix(beginning) } }
    }
}
