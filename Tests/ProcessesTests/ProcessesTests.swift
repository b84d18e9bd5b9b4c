import Glibc
import TestSupport
import Testing

@testable import Processes

@Suite struct ChildProgramTests {
    private func sh(_ script: String, _ timeout: Duration = .seconds(20)) -> ChildProgram {
        ChildProgram("/bin/sh", ["-c", script, "sh"], environment: ["PATH": "/usr/bin:/bin"], timeout: timeout)
    }

    @Test func wordsAndVariablesArriveAsTheyAre() throws {
        let words = ["; rm -rf /", "$(id)", "%q", "a\nb", "-n", "`x`", "", "é"]
        var program = sh("printf '<%s>' \"$@\" \"$NAME\"; cat")
        program.arguments += words
        program.environment["NAME"] = "$(id); x"
        program.input = Array("in".utf8)
        let outcome = try program.run()
        let expected = (words + ["$(id); x"]).map { "<\($0)>" }.joined() + "in"
        #expect(outcome.ending == .exited(0))
        #expect(String(decoding: outcome.output, as: UTF8.self) == expected)
    }

    @Test func endings() throws {
        #expect(try sh("exit 7").run().ending == .exited(7))
        #expect(try sh("kill -9 $$").run().ending == .killed(signal: 9))
    }

    @Test func aProgramThatIsNotThere() {
        let program = ChildProgram("/nowhere/x", [], environment: [:], timeout: .seconds(1))
        #expect(throws: ChildError.self) { try program.run() }
    }

    @Test func whatTakesTooLongIsKilledWithItsChildren() throws {
        let begin = ContinuousClock.now
        let outcome = try sh("echo begun; sleep 60 & wait", .milliseconds(300)).run()
        #expect(outcome.ending == .timedOut)
        #expect(String(decoding: outcome.output, as: UTF8.self) == "begun\n")
        #expect(ContinuousClock.now - begin < .seconds(10))
    }

    @Test func muchOutputIsReadAndCut() throws {
        let outcome = try sh("head -c 1000000 /dev/zero").run()
        #expect(outcome.ending == .exited(0))
        #expect(outcome.output.count == 4096)
    }

    @Test func nobodyReadsTheInput() throws {
        var program = sh("exec 0<&-; exit 0")
        program.input = [UInt8](repeating: 65, count: 60_000)
        #expect(try program.run().ending == .exited(0))
        program.input = [UInt8](repeating: 65, count: 70_000)
        #expect(throws: ChildError.self) { try program.run() }
    }

    @Test func signalsAreAsAShellWouldHaveThem() throws {
        // Bits of blocked and ignored signals; SIGPIPE is 13.
        let outcome = try sh("grep -E 'SigBlk|SigIgn' /proc/self/status").run()
        let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
        // Those two that the system's own library keeps for itself, nobody can reset.
        let sets = lines.compactMap { UInt64($0.split(separator: "\t").last ?? "", radix: 16) }
        #expect(sets.count == 2 && sets.allSatisfy { $0 & ~0x1_8000_0000 == 0 }, "\(lines)")
    }
}

@Suite struct ServiceManagerTests {
    /// Listens as a service manager does.
    private func listening(_ path: String, _ body: (ServiceManager) -> Void) throws -> [String] {
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(number) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, length) }
        }
        try #require(code == 0)
        body(ServiceManager(environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "3000000"], processID: 1))
        var messages: [String] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return messages }
            messages.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
    }

    @Test func tellsItsState() async throws {
        try await Folder.temporary { folder in
            for path in ["\(folder.path)/notify", "@nightjar-test-\(getpid())"] {
                let messages = try listening(path) { manager in
                    #expect(manager.watchdog == .seconds(3))
                    manager.ready("3 jobs")
                    manager.reloading()
                    manager.alive()
                    manager.stopping()
                }
                #expect(messages.count == 4)
                #expect(messages.first == "READY=1\nSTATUS=3 jobs")
                #expect(messages.dropFirst().first?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
                #expect(messages.last?.hasPrefix("STOPPING=1") == true)
            }
        }
    }

    @Test func nobodyListens() {
        ServiceManager(environment: [:], processID: 1).ready("x")
        ServiceManager(environment: ["NOTIFY_SOCKET": "/nowhere/socket"], processID: 1).ready("x")
        let long = "/" + String(repeating: "x", count: 200)
        ServiceManager(environment: ["NOTIFY_SOCKET": long], processID: 1).ready("x")
        let other = ServiceManager(
            environment: ["NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "7"], processID: 1)
        #expect(other.watchdog == nil)
    }
}
