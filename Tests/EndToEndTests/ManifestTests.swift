import TestSupport
import Testing

extension EndToEnd {
    @Suite("Manifests with mistakes", .timeLimit(.minutes(1)))
    struct ManifestTests {
        /// Five mistakes, in lines 5, 7, 9, 10 and 12.
        private static let broken = """
            job: broken
            start:
              - http://127.0.0.1:9/
            crawl:
              depht: 3
            download:
              max-size: 2 bushels
            fetch:
              concurrency: many
              timeout: { idle: soon }
            pack:
              - format: rar

            """

        /// The lines of `file:line:column: error: ...`.
        private func errorLines(_ text: String, in file: String) -> [Int] {
            text.split(separator: "\n").compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 4, omittingEmptySubsequences: false)
                guard parts.count == 5, parts[0].hasSuffix(file), Int(parts[2]) ?? 0 > 0, parts[3] == " error" else {
                    return nil
                }
                return Int(parts[1])
            }
        }

        @Test("check tells all five with their places")
        func check() async throws {
            try await Sandbox.with { sandbox in
                try sandbox.jobs.write("broken.yaml", Self.broken)
                let outcome = try await Program.nightjar(["check", "\(sandbox.jobs.path)/broken.yaml"]).run()
                #expect(outcome.ending == .exited(2), "\(outcome)")
                let text = outcome.outputText + outcome.errorText
                #expect(errorLines(text, in: "broken.yaml") == [5, 7, 9, 10, 12], "\(outcome)")
                #expect(text.contains("depth"), "what was meant is suggested")
            }
        }

        @Test("run starts nothing, not even the jobs that are right, and writes nothing")
        func run() async throws {
            try await NginxServer.serving { server in
                try await Sandbox.with { sandbox in
                    try server.site.write("index.html", "<a href=a.pdf>a</a>")
                    try sandbox.write("good", "start: [\"\(server.origin)/\"]\ndownload: { extensions: [pdf] }")
                    try sandbox.jobs.write("broken.yaml", Self.broken)
                    let outcome = try await sandbox.run(expecting: 2)
                    #expect(errorLines(outcome.errorText, in: "broken.yaml") == [5, 7, 9, 10, 12], "\(outcome)")
                    #expect(sandbox.root.tree().isEmpty)
                    #expect(try server.log().isEmpty)
                }
            }
        }

        @Test("A manifest that is right passes without a word of complaint")
        func good() async throws {
            try await Sandbox.with { sandbox in
                try sandbox.write("good", "start: [\"https://example.org/\"]\ndownload: { extensions: [pdf] }")
                let outcome = try await Program.nightjar(["check", "\(sandbox.jobs.path)/good.yaml"]).run()
                #expect(outcome.ending == .exited(0), "\(outcome)")
                #expect(outcome.errorText.isEmpty)
            }
        }
    }
}
