import Glibc
import TestSupport
import Testing

@Suite("The tools that the other tests stand on")
struct TestSupportTests {
    private func shell(_ script: String, timeout: Duration = .seconds(30)) async throws -> Outcome {
        try await Program.tool("sh", ["-c", script]).run(timeout: timeout)
    }

    @Test("A program's streams, status, signal and memory are told", .timeLimit(.minutes(1)))
    func program() async throws {
        let plain = try await shell("echo out; echo err >&2; exit 7")
        #expect(plain.ending == .exited(7))
        #expect(plain.outputText == "out\n")
        #expect(plain.errorText == "err\n")

        let endless = try await shell("sleep 60", timeout: .milliseconds(50))
        #expect(endless.ending == .timedOut)

        let running = try Program.tool("sleep", ["60"]).launch()
        running.send(SIGTERM)
        #expect(try await running.finish().ending == .killed(signal: SIGTERM))

        let loud = try await shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2")
        #expect(loud.output.count == 3_000_000)
        #expect(loud.errors.count == 3_000_000)

        let heavy = try await shell(
            "tail -c 40000000 /dev/zero & head -c 40000000 /dev/zero | tail -c 40000000 | wc -c")
        #expect(heavy.outputText.contains("40000000"))
        #expect(heavy.peakMemory > 500_000)
        #expect(heavy.peakMemory < 30_000_000)
    }

    @Test("A program whose reader is gone gets SIGPIPE")
    func closedOutput() async throws {
        var yes = try Program.tool("yes", [])
        yes.closesOutput = true
        #expect(try await yes.run().ending == .killed(signal: SIGPIPE))
    }

    @Test("A temporary folder is gone at the end, with all in it")
    func temporaryFolder() async throws {
        let path = try await Folder.temporary { folder in
            try folder.write("a/b/c.txt", "text")
            #expect(try folder.text("a/b/c.txt") == "text")
            #expect(folder.tree().map(\.name) == ["a", "a/b", "a/b/c.txt"])
            return folder.path
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test("The fault server sends what it is told and counts", .enabled(if: Program.isInstalled("curl")))
    func faultServer() async throws {
        let handler: FaultServer.Handler = { request in
            switch request.path {
            case "/good": [.send(Response.bytes(Array("good".utf8)))]
            case "/short": [.send(Response.bytes(Array("short".utf8), length: 100)), .close]
            case "/reset": [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), .reset]
            case "/slow": [.pause(.milliseconds(100)), .send(Response.bytes([]))]
            default: [.stall]
            }
        }
        try await FaultServer.serving(handler) { server in
            func curl(_ targets: String...) async throws -> Outcome {
                let urls = targets.map { server.origin + $0 }
                return try await Program.tool("curl", ["-sS", "--max-time", "2", "-Z", "--parallel-immediate"] + urls)
                    .run()
            }
            let good = try await curl("/good", "/good")
            #expect(good.outputText == "goodgood")
            #expect(try await curl("/short").ending == .exited(18))
            #expect(try await curl("/reset").ending == .exited(56))
            #expect(try await curl("/stall").ending == .exited(28))
            #expect(server.requests.count == 5)
            #expect(try await curl("/slow", "/slow", "/slow").ending == .exited(0))
            #expect(server.greatestConnections == 3)
            #expect(server.greatestInFlight == 3)
        }
    }

    @Test("A port that refuses", .enabled(if: Program.isInstalled("curl")))
    func refusing() async throws {
        let outcome = try await Loopback.refusing { port in
            try await Program.tool("curl", ["-sS", "http://127.0.0.1:\(port)/"]).run()
        }
        #expect(outcome.ending == .exited(7))
    }

    @Test(
        "nginx serves a folder and its log is read",
        .enabled(if: Program.isInstalled("curl") && Program.isInstalled("nginx")))
    func nginx() async throws {
        try await NginxServer.serving { server in
            try server.site.write("a.txt", "text")
            let outcome = try await Program.tool("curl", ["-sS", server.origin + "/a.txt", server.origin + "/b"]).run()
            #expect(outcome.outputText.hasPrefix("text"))
            let log = try server.log()
            #expect(log.map(\.status) == [200, 404])
            #expect(log.first?.bodyBytes == 4)
            #expect(log.first?.connections == 1)
        }
    }
}
