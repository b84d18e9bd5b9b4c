import Glibc
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// The bounded form of `scripts/soak/small-files`.
    @Suite("Many small files from a server with faults", .timeLimit(.minutes(2)))
    struct SoakTests {
        private static let count = 2000

        private static func content(_ number: Int) -> [UInt8] {
            SeededBytes.bytes(200 + number % 50 * 40, seed: number)
        }

        /// Each twentieth file is spoilt once, in turn by each kind of fault.
        private static func fault(_ number: Int) -> [Action]? {
            guard number % 20 == 7 else { return nil }
            let cut = Array(Response.bytes(content(number)).dropLast(100))
            let all: [[Action]] = [
                [.reset], [.close], [.send(cut), .close], [.send(cut), .reset],
                [.send(Response.bytes([], status: "503 Busy"))], [.send(Response.bytes([], status: "500 Broken"))],
            ]
            return all[number / 20 % all.count]
        }

        @Test("All are right in the end, and neither descriptors nor memory grow with the work")
        func soak() async throws {
            let spoilt = Mutex<Set<Int>>([])
            let page = Response.page((0..<Self.count).map { "/f/\($0).dat" })
            let handler: FaultServer.Handler = { request in
                guard request.path.hasPrefix("/f/"), let number = Int(request.path.dropFirst(3).dropLast(4)) else {
                    return [.send(page)]
                }
                if let fault = Self.fault(number), spoilt.withLock({ $0.insert(number).inserted }) { return fault }
                return [.send(Response.bytes(Self.content(number)))]
            }
            try await FaultServer.serving(handler) { server in
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "soak",
                        """
                        start: ["\(server.origin)/"]
                        crawl: { depth: 0 }
                        download: { extensions: [dat] }
                        fetch: { concurrency: 16, per-host: 16, retries: 6 }
                        name: { template: "{stem}.{ext}" }
                        """)
                    let running = try sandbox.runProgram(["soak"]).launch(timeout: .seconds(100))
                    var samples: [(descriptors: Int, kilobytes: Int)] = []
                    while running.isRunning {
                        if let sample = Self.sample(running.pid) { samples.append(sample) }
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    #expect(try await running.finish().ending == .exited(0))
                    #expect(spoilt.withLock { $0.count } == Self.count / 20)
                    var wrong: [Int] = []
                    for number in 0..<Self.count
                    where try sandbox.root.read("files/soak/\(number).dat") != Self.content(number) {
                        wrong.append(number)
                    }
                    #expect(wrong.isEmpty)
                    #expect(server.greatestConnections <= 16)
                    let early = samples[(samples.count / 4)..<(samples.count / 2)]
                    let late = samples[(samples.count / 2)...]
                    let (before, after) = (early.map(\.descriptors).max() ?? 0, late.map(\.descriptors).max() ?? 0)
                    #expect(after <= before + 16, "descriptors: \(before), then \(after)")
                    let (least, most) = (early.map(\.kilobytes).max() ?? 0, late.map(\.kilobytes).max() ?? 0)
                    #expect(most < least * 5 / 4 + 16_384, "memory: \(least) KiB, then \(most) KiB")
                }
            }
        }

        private static func sample(_ pid: pid_t) -> (descriptors: Int, kilobytes: Int)? {
            let process = Folder("/proc/\(pid)")
            guard let status = try? process.text("status"),
                let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS") }),
                let memory = Int(line.filter(\.isNumber))
            else { return nil }
            return (Folder("/proc/\(pid)/fd").names.count, memory)
        }
    }
}
