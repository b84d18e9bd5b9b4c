import Glibc
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A large file goes on where it stopped", .timeLimit(.minutes(2)))
    struct ResumeTests {
        private static let content = SeededBytes.bytes(3_000_000, seed: 77)

        private func trial(_ body: (Sandbox, NginxServer) async throws -> Void) async throws {
            try await NginxServer.serving(server: "limit_rate 800k; autoindex on;") { nginx in
                try nginx.site.write("large.bin", Self.content)
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "large",
                        """
                        start: ["\(nginx.origin)/"]
                        download: { extensions: [bin] }
                        name: { template: "{stem}.{ext}" }
                        """)
                    try await body(sandbox, nginx)
                }
            }
        }

        /// The state when the program has died with some of the file on disk.
        private func interrupt(_ sandbox: Sandbox, with signal: Int32) async throws {
            let running = try sandbox.runProgram(["large"]).launch()
            let hasSome = try await eventually {
                sandbox.root.files("partial").contains { $0.name.hasSuffix(".part") && $0.bytes > 900_000 }
            }
            #expect(hasSome)
            running.send(signal)
            _ = try await running.finish()
            #expect(sandbox.names("large").isEmpty)
        }

        @Test("After kill -9 and after SIGTERM", arguments: [SIGKILL, SIGTERM])
        func goesOn(signal: Int32) async throws {
            try await trial { sandbox, nginx in
                try await interrupt(sandbox, with: signal)
                try nginx.clearLog()
                try await sandbox.run("large")
                #expect(try sandbox.root.read("files/large/large.bin") == Self.content)
                let item = try #require(try sandbox.items("large")["large.bin"])
                let from = try #require(item.resumed_from)
                #expect(from > 500_000)
                let line = try #require(try nginx.log().first { $0.path == "/large.bin" })
                #expect(line.status == 206)
                #expect(line.bodyBytes == Self.content.count - from)
                #expect(sandbox.root.files("partial").isEmpty)
            }
        }

        @Test("In segments, each of them, after kill -9")
        func segments() async throws {
            let content = SeededBytes.bytes(6_000_000, seed: 79)
            try await NginxServer.serving(server: "limit_rate 400k;") { nginx in
                try nginx.site.write("large.bin", content)
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "large",
                        """
                        start: ["\(nginx.origin)/large.bin"]
                        fetch: { segments: 4 }
                        name: { template: "{stem}.{ext}" }
                        """)
                    let running = try sandbox.runProgram(["large"]).launch()
                    let hasSome = try await eventually {
                        guard let log = sandbox.root.files("partial").first(where: { $0.name.hasSuffix(".part.log") })
                        else { return false }
                        let text = (try? sandbox.root.text("partial/\(log.name)")) ?? ""
                        return (0..<4).allSatisfy { text.contains("\nat \($0) ") }
                    }
                    #expect(hasSome)
                    running.send(SIGKILL)
                    _ = try await running.finish()
                    #expect(sandbox.names("large").isEmpty)
                    try nginx.clearLog()
                    try await sandbox.run("large")
                    #expect(try sandbox.root.read("files/large/large.bin") == content)
                    let from = try #require(try sandbox.items("large")["large.bin"]?.resumed_from)
                    // nginx writes a line when it knows that the client has all of it.
                    #expect(
                        try await eventually {
                            let parts = try nginx.log().filter { $0.status == 206 }
                            return parts.reduce(0) { $0 + $1.bodyBytes } == content.count - from
                        })
                    #expect(sandbox.root.files("partial").isEmpty)
                }
            }
        }

        @Test("Not when the file has changed")
        func startsOver() async throws {
            try await trial { sandbox, nginx in
                try await interrupt(sandbox, with: SIGKILL)
                let newer = SeededBytes.bytes(2_900_000, seed: 78)
                try nginx.site.write("large.bin", newer)
                try await sandbox.run("large")
                #expect(try sandbox.root.read("files/large/large.bin") == newer)
                #expect(try sandbox.items("large")["large.bin"]?.resumed_from == nil)
                #expect(sandbox.root.files("partial").isEmpty)
            }
        }
    }

    @Suite("What was seen lately", .timeLimit(.minutes(1)))
    struct MaxAgeTests {
        @Test("It is not asked for again, and what is gone is kept and said to be gone")
        func skipsAndTells() async throws {
            let site = Site()
            try await FaultServer.serving {
                site.answer($0)
            } _: { server in
                try await Sandbox.with { sandbox in
                    func manifest(_ age: String) throws {
                        try sandbox.write(
                            "age",
                            """
                            start: ["\(server.origin)/"]
                            download: { extensions: [bin] }
                            fetch: { max-age: \(age) }
                            name: { template: "{stem}.{ext}" }
                            """)
                    }
                    try manifest("1h")
                    try await sandbox.run("age")
                    #expect(server.requests.count == 2)
                    try await sandbox.run("age")
                    #expect(server.requests.count == 3)
                    #expect(try sandbox.items("age")["a.bin"]?.status == "unchanged")
                    #expect(try sandbox.items("age")["a.bin"]?.attempts == 0)
                    try manifest("0s")
                    site.isGone.store(true, ordering: .relaxed)
                    try await sandbox.run("age")
                    #expect(try sandbox.items("age")["a.bin"]?.status == "gone")
                    #expect(sandbox.names("age") == ["a.bin"])
                }
            }
        }
    }
}

private final class Site: Sendable {
    let isGone = Atomic(false)

    func answer(_ request: Request) -> [Action] {
        if request.path == "/" { return [.send(Response.page(["a.bin"]))] }
        return [.send(isGone.load(ordering: .relaxed) ? Response.notFound : Response.bytes([1, 2, 3]))]
    }
}
