import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Packing, seen from outside", .timeLimit(.minutes(3)))
    struct PackTests {
        private func stocked(_ names: [String], _ body: (Sandbox) async throws -> Void) async throws {
            try await NginxServer.serving { server in
                try server.site.write("index.html", names.map { "<a href=\"\($0)\">x</a>" }.joined(separator: " "))
                for (seed, name) in names.enumerated() {
                    try server.site.write(name, SeededBytes.bytes(60_000 + seed, seed: seed))
                }
                try await Sandbox.with { sandbox in
                    try sandbox.write(
                        "go",
                        """
                        start: ["\(server.origin)/"]
                        download: { extensions: [bin] }
                        name: { template: "{stem}.{ext}" }
                        """)
                    try await sandbox.run("go")
                    try await body(sandbox)
                }
            }
        }

        private func command(_ sandbox: Sandbox) -> [String] {
            ["pack", "go", "--root", sandbox.root.path, "--jobs", sandbox.jobs.path]
        }

        @Test(.enabled(if: Program.isInstalled("faketime")))
        func onAnotherDayTheBytesAreTheSame() async throws {
            try await stocked((0..<20).map { "n\($0).bin" }) { sandbox in
                let packs = [
                    "tar", "tar.gz", "tar.zst", "tar.xz, level: 1", "zip", "7z, level: 1", "tar.zst, bagit: true",
                ]
                let entries = packs.enumerated().map {
                    "{ format: \($1), contents: all, id: p\($0), name: \"p\($0).{ext}\" }"
                }
                try sandbox.write("go", "start: http://127.0.0.1:9/\npack: [\(entries.joined(separator: ", "))]")
                let first = try await Program.nightjar(command(sandbox)).run()
                #expect(first.ending == .exited(0), "\(first)")
                let later = try Program.tool(
                    "faketime", ["-f", "+400d", Program.nightjar([]).path] + command(sandbox))
                let second = try await later.run()
                #expect(second.ending == .exited(0), "\(second)")
                let digests = sandbox.root.files("bundles/go").filter { $0.name.hasSuffix(".sha256") }.map {
                    (name: $0.name, line: (try? sandbox.root.text("bundles/go/\($0.name)")) ?? "")
                }
                #expect(digests.count == 14)
                let distinct = Set(digests.map { $0.line.prefix(64) })
                #expect(distinct.count == 7, "\(digests)")
            }
        }

        /// Volumes, a bag and a hand-off, killed over and over.
        @Test func killedAtAnyMomentNoBundleIsTorn() async throws {
            try await stocked((0..<40).map { "n\($0).bin" }) { sandbox in
                try sandbox.write(
                    "go",
                    """
                    start: http://127.0.0.1:9/
                    pack:
                      - { format: tar.gz, id: a, name: "a.{ext}", split: 400kB, bagit: true }
                      - { format: zip, id: b, name: "b.{ext}" }
                    handoff: [{ to: "file://\(sandbox.folder.path)/out" }]
                    """)
                for round in 0..<14 {
                    let running = try Program.nightjar(command(sandbox)).launch()
                    try await Task.sleep(for: .milliseconds(20 + round * 45))
                    running.send(SIGKILL)
                    _ = try await running.finish()
                    #expect(try await problems(sandbox, "bundles/go") == [])
                    #expect(try await problems(sandbox, "../out") == [])
                }
                let last = try await Program.nightjar(command(sandbox)).run()
                #expect(last.ending == .exited(0), "\(last)")
                #expect(try await problems(sandbox, "bundles/go") == [])
                let zips = sandbox.root.files("bundles/go").filter { $0.name.hasSuffix(".zip") }
                #expect(zips.map(\.name) == ["b.zip"], "packed once")
                let bundles = sandbox.root.files("bundles/go").map(\.name)
                #expect(sandbox.folder.files("out").map(\.name) == bundles, "all of it went out")
            }
        }

        /// Whatever stands under a final name must be what its digest says, and open.
        private func problems(_ sandbox: Sandbox, _ folder: String) async throws -> [String] {
            var problems: [String] = []
            let place = Folder("\(sandbox.root.path)/\(folder)")
            for name in place.names where !name.hasPrefix(".") && (name.hasSuffix(".gz") || name.hasSuffix(".zip")) {
                // The digest follows the bundle to the target, and is before it where it was packed.
                if place.exists("\(name).sha256"),
                    try await Program.output("sha256sum", ["-c", "\(name).sha256"], in: place.path) == nil
                {
                    problems.append("\(name) is not what its digest says")
                }
                if try await Program.output("bsdtar", ["-tf", name], in: place.path) == nil {
                    problems.append("\(name) does not open")
                }
            }
            return problems
        }
    }
}
