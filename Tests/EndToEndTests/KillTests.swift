import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Killed at any moment", .timeLimit(.minutes(3)))
    struct KillTests {
        private static let names = (0..<48).map { "item-\(100 + $0).pdf" }

        private static func content(_ name: String) -> [UInt8] {
            SeededBytes.pdf(40_000, seed: Int(name.utf8.reduce(0) { Int($0) * 31 % 65_521 + Int($1) }))
        }

        /// When to pull the plug: at a sight from outside, or so many milliseconds after all was fetched.
        enum Moment: Sendable, CustomTestStringConvertible {
            case started(after: Int)
            case requests(Int)
            case fetched(after: Int)
            case objects(Int)
            case names(Int)
            case bundles
            case report

            var testDescription: String { "\(self)" }

            func hasCome(_ sandbox: Sandbox, _ server: FaultServer) -> Bool {
                switch self {
                case .started: true
                case .requests(let count): server.requests.count >= count
                case .fetched: server.requests.count > KillTests.names.count
                case .objects(let count): sandbox.root.files("objects").count >= count
                case .names(let count): sandbox.names("kill").count >= count
                case .bundles: !Folder("\(sandbox.root.path)/bundles/kill").names.isEmpty
                case .report: !Folder("\(sandbox.root.path)/reports/kill").names.isEmpty
                }
            }

            var delay: Duration {
                switch self {
                case .started(let after), .fetched(let after): .milliseconds(after)
                default: .zero
                }
            }
        }

        private static let moments: [Moment] =
            [0, 5, 15, 30].map { .started(after: $0) } + [1, 2, 10, 25, 48].map { .requests($0) }
            + [0, 4, 8, 12, 16, 24, 32, 48].map { .fetched(after: $0) } + [
                .objects(1), .objects(20), .names(1), .names(30),
            ]
            + [.bundles, .report]

        @Test("Nothing incomplete is left, and the next run completes", arguments: moments)
        func kill(moment: Moment) async throws {
            let handler: FaultServer.Handler = { request in
                let name = String(request.path.dropFirst())
                if name.isEmpty { return [.send(Response.page(Self.names))] }
                let response = Response.bytes(
                    Self.content(name), type: "application/pdf", headers: ["ETag: \"\(name)\""])
                return [.trickle(response, size: 10_000, pause: .milliseconds(2))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "kill",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [pdf] }
                        fetch: { concurrency: 8, per-host: 8 }
                        name: { template: "{stem}.{ext}" }
                        pack: [{ format: tar.gz, name: "{job}.{ext}" }]
                        """)
                    let running = try sandbox.runProgram(["kill"]).launch()
                    _ = try await eventually { !running.isRunning || moment.hasCome(sandbox, server) }
                    try await Task.sleep(for: moment.delay)
                    running.send(SIGKILL)
                    _ = try await running.finish()
                    #expect(try await sandbox.problems() == [])
                    checkContents(sandbox)

                    try await sandbox.run("kill")
                    #expect(try await sandbox.problems() == [])
                    #expect(sandbox.names("kill") == Self.names)
                    checkContents(sandbox)
                    #expect(try await sandbox.bundledNames("kill") == Self.names)
                    #expect(sandbox.root.files("partial").isEmpty)
                    #expect(sandbox.root.files("objects").count == Self.names.count)
                }
            }
        }

        private func checkContents(_ sandbox: Sandbox) {
            for name in sandbox.names("kill") {
                #expect((try? sandbox.root.read("files/kill/\(name)")) == Self.content(name), "\(name)")
            }
        }
    }
}
