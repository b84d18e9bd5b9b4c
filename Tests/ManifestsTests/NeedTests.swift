import Manifests
import Model
import TestSupport
import Testing

@Suite struct NeedTests {
    private func reading(_ needs: [String: String], _ body: (Folder, ManifestResult) throws -> Void) async throws {
        try await Folder.temporary { folder in
            for (name, line) in needs {
                try folder.write("\(name).yaml", "job: \(name)\nstart: https://example.org/\n\(line)\n")
            }
            try body(folder, ManifestReader.read(folder: folder.path))
        }
    }

    private func messages(_ result: ManifestResult, _ folder: Folder) -> [String] {
        result.diagnostics.map { "\($0)".replacing(folder.path + "/", with: "") }
    }

    @Test func goodNeeds() async throws {
        try await reading(["a": "", "b": "needs: [a]", "c": "needs: [b, a]"]) { _, result in
            #expect(result.diagnostics.isEmpty)
            #expect(result.jobs.map(\.needs) == [[], ["a"], ["b", "a"]])
        }
    }

    @Test func unknownNeed() async throws {
        try await reading(["reports": "", "b": "needs: [raports]", "c": "needs: [zzz]"]) { folder, result in
            #expect(
                messages(result, folder) == [
                    "b.yaml:3:9: error: needs: there is no job 'raports'; did you mean 'reports'?",
                    "c.yaml:3:9: error: needs: there is no job 'zzz'",
                ])
            #expect(result.jobs.map(\.name) == ["reports"])
        }
    }

    @Test func circles() async throws {
        let needs = ["a": "needs: [c]", "b": "needs:\n  - d\n  - a", "c": "needs: [b]", "d": "", "e": "needs: [a]"]
        try await reading(needs) { folder, result in
            #expect(
                messages(result, folder) == [
                    "a.yaml:3:9: error: needs: a needs c needs b needs a, so that none of them could ever run",
                    "b.yaml:5:5: error: needs: b needs a needs c needs b, so that none of them could ever run",
                    "c.yaml:3:9: error: needs: c needs b needs a needs c, so that none of them could ever run",
                ])
            #expect(result.jobs.map(\.name) == ["d", "e"])
        }
    }

    @Test func oneself() async throws {
        try await reading(["a": "needs: [a]"]) { folder, result in
            #expect(messages(result, folder) == ["a.yaml:3:9: error: needs: a job cannot need itself"])
        }
    }

    @Test func aBrokenNeighbourIsStillKnown() async throws {
        try await reading(["a": "colour: red", "b": "needs: [a]"]) { folder, result in
            #expect(messages(result, folder).count == 1)
            #expect(result.jobs.map(\.name) == ["b"])
        }
    }

    @Test func aFileMayNeedWhatLiesBesideIt() async throws {
        try await reading(["a": "needs: [b]", "b": "", "c": "needs: [d]"]) { folder, _ in
            #expect(ManifestReader.read(paths: ["\(folder.path)/a.yaml"]).diagnostics.isEmpty)
            #expect(ManifestReader.read(paths: ["\(folder.path)/c.yaml"]).hasErrors)
        }
    }

    @Test func longChainsAndCirclesDoNotOverflow() async throws {
        let count = 3000
        let needs = Dictionary(
            uniqueKeysWithValues: (0..<count).map { ("j\($0)", "needs: [j\(($0 + 1) % count)]") })
        try await reading(needs) { _, result in
            #expect(result.jobs.isEmpty)
            #expect(result.diagnostics.count == count)
            #expect(result.diagnostics.allSatisfy { $0.message.count < 300 })
        }
    }

    @Test(arguments: [
        ("needs: []", "3:8"), ("needs: a", "3:8"), ("needs: [a, a]", "3:12"), ("needs: [A/../b]", "3:9"),
        ("priority: high", "3:11"), ("max-runtime: 5", "3:14"), ("max-runtime: 0s", "3:14"), ("overlap: queue", "3:10"),
        ("overlap: { wait: soon }", "3:18"), ("overlap: { skip: 5m }", "3:10"),
    ])
    func wrongValues(line: String, place: String) {
        let result = ManifestReader.read(
            text: Array("job: x\nstart: https://example.org/\n\(line)\n".utf8), path: "x.yaml")
        #expect(result.diagnostics.map { "\($0.line):\($0.column)" } == [place], "\(result.diagnostics)")
    }

    @Test(arguments: [
        ("skip", Overlap.skip), ("wait", .wait(atMost: .seconds(3600))),
        ("{ wait: 20m }", .wait(atMost: .seconds(1200))),
    ])
    func overlaps(text: String, overlap: Overlap) throws {
        let result = ManifestReader.read(
            text: Array("job: x\nstart: https://example.org/\noverlap: \(text)\nmax-runtime: 2h\n".utf8), path: "x.yaml"
        )
        #expect(result.job?.overlap == overlap)
        #expect(result.job?.maxRuntime == .seconds(7200))
    }
}
