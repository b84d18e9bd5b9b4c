import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// A name server that takes questions and never answers; nobody else's names are asked of it.
    @Suite(
        .timeLimit(.minutes(1)),
        .enabled(
            if: getuid() == 0 && ["unshare", "mount"].allSatisfy(Program.isInstalled),
            "needs root, unshare and mount"))
    struct SilentNameServerTests {
        @Test func namesThatHangHoldUpNothing() async throws {
            let (socket, address) = try silentServer()
            defer { close(socket) }
            try await FaultServer.serving { request in
                [.pause(.milliseconds(20)), .send(Response.pdf(request.path))]
            } _: { server in
                try await Sandbox.with { sandbox in
                    let good = (0..<20).map { "\"\(server.origin)/\($0).pdf\"" }
                    let hanging = (0..<8).map { "\"http://h\($0).example.com/x\($0).pdf\"" }
                    let rules = """
                        start: [\((hanging + good).joined(separator: ", "))]
                        name: { template: "{stem}.{ext}" }
                        crawl: { depth: 0 }
                        fetch: { retries: 0, timeout: { connect: 1500ms } }
                        """
                    try sandbox.write("names", rules)
                    try sandbox.folder.write("resolv.conf", "nameserver \(address)\noptions timeout:20 attempts:3\n")
                    let steps = "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\""
                    let inner = sandbox.runProgram([])
                    let words = ["-m", "--propagation", "private", "sh", "-c", steps]
                    let begin = ContinuousClock.now
                    let outcome = try await Program.tool(
                        "unshare", words + ["\(sandbox.folder.path)/resolv.conf", inner.path] + inner.arguments
                    ).run(timeout: .seconds(50))
                    // The system's own resolver would sit there for a minute.
                    #expect(ContinuousClock.now - begin < .seconds(15))
                    #expect(outcome.ending == .exited(1), "\(outcome)")
                    let items = try sandbox.items("names")
                    #expect(sandbox.names("names").count == 20)
                    for number in 0..<8 {
                        #expect(items["x\(number).pdf"]?.error?.code == "timeout", "\(outcome)")
                    }
                }
            }
        }

        /// A socket on port 53 of an address of loopback that is taken by chance, so that tests at the same time do not
        /// meet.
        private func silentServer() throws -> (socket: Int32, address: String) {
            for _ in 0..<20 {
                let last = (UInt32.random(in: 1...254), UInt32.random(in: 1...254), UInt32.random(in: 2...254))
                let number = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = in_port_t(53).bigEndian
                address.sin_addr.s_addr = (127 << 24 | last.0 << 16 | last.1 << 8 | last.2).bigEndian
                let isBound = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        bind(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    }
                }
                if isBound { return (number, "127.\(last.0).\(last.1).\(last.2)") }
                close(number)
            }
            throw NoAddress()
        }

        private struct NoAddress: Error {}
    }
}
