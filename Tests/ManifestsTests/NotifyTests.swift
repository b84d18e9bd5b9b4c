import Manifests
import Model
import TestSupport
import Testing

@Suite struct NotifyTests {
    private func read(_ lines: String) -> (job: Job?, diagnostics: [Diagnostic]) {
        ManifestReader.read(text: Array("job: x\nstart: https://example.org/\n\(lines)\n".utf8), path: "/m/x.yaml")
    }

    @Test func everyMeans() throws {
        let job = try #require(
            read(
                """
                metrics: x.prom
                notify:
                  - command: [tell, --hard]
                  - { on: change, post: "https://example.org/hook?x=1", timeout: 5s }
                  - ping: { env: CHECK }
                  - { on: always, mail: [a@example.org] }
                """
            ).job)
        #expect(job.metrics == "/m/x.prom")
        #expect(job.notify.map(\.occasion) == [.failure, .change, .failure, .always])
        #expect(
            job.notify.map(\.means) == [
                .command(["tell", "--hard"]), .post(.plain("https://example.org/hook?x=1")),
                .ping(.secret(.environment("CHECK"))), .mail(["a@example.org"]),
            ])
        #expect(job.notify[1].timeout == .seconds(5))
        #expect(job.secrets.map(\.key) == ["notify[3].ping"])
    }

    @Test(arguments: [
        ("notify: []", "3:9"), ("notify: [{ on: always }]", "3:10"), ("notify: [{ command: rm -rf }]", "3:21"),
        ("notify: [{ command: [bin/tell] }]", "3:22"), ("notify: [{ command: [a], mail: [b@c] }]", "3:10"),
        ("notify: [{ on: sometimes, mail: [b@c] }]", "3:16"),
        ("notify: [{ on: always, ping: 'https://x.org/' }]", "3:16"),
        ("notify: [{ post: 'ftp://x.org/' }]", "3:18"), ("notify: [{ post: 'https://u:p@x.org/' }]", "3:18"),
        ("notify: [{ mail: [-oQ/tmp] }]", "3:19"), ("notify: [{ mail: ['a@b\\nBcc: c@d'] }]", "3:19"),
        ("notify: [{ mail: [\"a@b\\nBcc: c@d\"] }]", "3:19"), ("notify: [{ shell: x }]", "3:12"),
    ])
    func wrong(line: String, place: String) {
        let diagnostics = read(line).diagnostics
        #expect(diagnostics.first.map { "\($0.line):\($0.column)" } == place, "\(diagnostics)")
    }

    @Test func twoJobsMayNotWriteOneFile() async throws {
        try await Folder.temporary { folder in
            for name in ["a", "b"] {
                try folder.write("\(name).yaml", "job: \(name)\nstart: https://example.org/\nmetrics: /m/x.prom\n")
            }
            let result = ManifestReader.read(folder: folder.path)
            #expect(result.jobs.map(\.name) == ["a"])
            #expect(result.names == ["a", "b"])
            #expect(result.diagnostics.first?.message.hasSuffix("a.yaml:3 has this file written over already") == true)
        }
    }
}
