import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Schedules", .timeLimit(.minutes(1)))
    struct DueTests {
        private struct Due: Decodable {
            struct Job: Decodable {
                let job: String
                let schedule: String?
                let due: Bool
                let since: String?
                let missed: String?
                let next: String?
                let last_started: String?
            }
            let jobs: [Job]
        }

        private func due(_ sandbox: Sandbox, _ arguments: String...) async throws -> [String: Due.Job] {
            let program = Program.nightjar(
                ["due", "--json", "--root", sandbox.root.path, "--jobs", sandbox.jobs.path] + arguments)
            let outcome = try await program.run()
            #expect(outcome.ending == .exited(0), "\(outcome)")
            let jobs = try JSONDecoder().decode(Due.self, from: Data(outcome.output)).jobs
            return Dictionary(jobs.map { ($0.job, $0) }) { first, _ in first }
        }

        private func serving(_ body: (NginxServer, Sandbox) async throws -> Void) async throws {
            try await NginxServer.serving { server in
                try server.site.write("a.pdf", "%PDF-1.4 a")
                try server.site.write("index.html", Response.links(["a.pdf"]))
                try await Sandbox.with { sandbox in
                    let rest = "start: [\"\(server.origin)/\"]\ndownload: { extensions: [pdf] }"
                    try sandbox.write("nightly", "schedule: 15 2 * * *\n\(rest)")
                    try sandbox.write("strict", "schedule: 30 2 * * *\ncatch-up: false\n\(rest)")
                    try sandbox.write("manual", rest)
                    try await body(server, sandbox)
                }
            }
        }

        @Test("Nothing due: run --due is silent, asks nobody, and ends well")
        func nothing() async throws {
            try await serving { server, sandbox in
                let outcome = try await sandbox.run("--due")
                #expect(outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
                #expect(try server.log().isEmpty)
            }
        }

        @Test("due --at tells the future and writes nothing")
        func future() async throws {
            try await serving { _, sandbox in
                let jobs = try await due(sandbox, "--at", "2099-01-01T12:00:00Z")
                #expect(sandbox.root.tree().isEmpty)
                #expect(jobs["nightly"]?.since == "2099-01-01T02:15:00Z")
                #expect(jobs["nightly"]?.next == "2099-01-02T02:15:00Z")
                #expect(jobs["strict"]?.due == false && jobs["strict"]?.missed == "2099-01-01T02:30:00Z")
                #expect(jobs["manual"]?.due == false && jobs["manual"]?.schedule == nil)
                let soon = try await due(sandbox, "--at", "2099-01-01T03:00:00Z", "strict")
                #expect(soon.count == 1 && soon["strict"]?.due == true)
            }
        }

        @Test("What is due runs once, whatever was missed", .enabled(if: Program.isInstalled("sqlite3")))
        func once() async throws {
            try await serving { server, sandbox in
                #expect(try await due(sandbox).values.allSatisfy { !$0.due })
                // As if both had been seen a month ago.
                let catalog = "\(sandbox.root.path)/catalog.sqlite"
                let script = "UPDATE jobs SET first_seen = first_seen - 2592000"
                #expect(try await Program.tool("sqlite3", [catalog, script]).run().ending == .exited(0))
                #expect(try await due(sandbox)["nightly"]?.due == true)
                try await sandbox.run("--due", "nightly")
                #expect(sandbox.names("nightly").count == 1)
                let after = try await due(sandbox)["nightly"]
                #expect(after?.due == false && after?.last_started != nil)
                let requests = try server.log().count
                let again = try await sandbox.run("--due", "nightly", "manual")
                #expect(again.output.isEmpty && again.errors.isEmpty, "\(again)")
                #expect(try server.log().count == requests)
            }
        }

        @Test("due for people", arguments: [([], "next"), (["--at", "soon"], "--at")])
        func text(arguments: [String], word: String) async throws {
            try await serving { _, sandbox in
                let folders = ["--root", sandbox.root.path, "--jobs", sandbox.jobs.path]
                let outcome = try await Program.nightjar(["due"] + folders + arguments).run()
                #expect(outcome.ending == .exited(arguments.isEmpty ? 0 : 2), "\(outcome)")
                #expect((outcome.outputText + outcome.errorText).contains(word))
            }
        }
    }
}
