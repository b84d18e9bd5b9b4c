import TestSupport
import Model
import Testing

@testable import Manifests

@Suite struct FolderTests {
    private func manifest(_ name: String) -> String { "# a comment\njob: \(name)\nstart: https://example.org/\n" }

    @Test func folderIsReadInTheOrderOfNames() async throws {
        try await Folder.temporary { folder in
            try folder.write("b.yaml", manifest("two"))
            try folder.write("a.yml", manifest("one"))
            try folder.write("c.json", "{\"job\": \"three\", \"start\": \"https://example.org/\"}")
            try folder.write(".hidden.yaml", "not: [read")
            try folder.write("notes.txt", "not read")
            try folder.write("b.yaml~", "not: [read")
            let result = ManifestReader.read(folder: folder.path)
            #expect(result.diagnostics.isEmpty && !result.hasErrors)
            #expect(result.jobs.map(\.name) == ["one", "two", "three"])
            #expect(result.jobs.map(\.manifest) == ["a.yml", "b.yaml", "c.json"].map { "\(folder.path)/\($0)" })
        }
    }

    @Test func aNameTakenTwiceIsToldInTheLaterFile() async throws {
        try await Folder.temporary { folder in
            try folder.write("a.yaml", manifest("same"))
            try folder.write("b.yaml", "job: same\nstart: nowhere\n")
            try folder.write("c.yaml", manifest("same"))
            let result = ManifestReader.read(folder: folder.path)
            #expect(result.jobs.map(\.manifest) == ["\(folder.path)/a.yaml"])
            let said = result.diagnostics.map { $0.description.replacing(folder.path + "/", with: "") }
            #expect(said.count == 3)
            #expect(said.first == "b.yaml:1:6: error: job: the name 'same' is taken by a.yaml:2")
            #expect(said.last == "c.yaml:2:6: error: job: the name 'same' is taken by a.yaml:2")
            // The same path twice is the same manifest.
            #expect(ManifestReader.read(paths: ["\(folder.path)/a.yaml", "\(folder.path)/a.yaml"]).jobs.count == 1)
        }
    }

    @Test func whatCannotBeReadIsAnError() async throws {
        try await Folder.temporary { folder in
            let path = folder.path
            let missing = ManifestReader.read(folder: "\(path)/none")
            #expect(missing.hasErrors)
            #expect(
                missing.diagnostics.map(\.description) == [
                    "\(path)/none:1:1: error: the jobs folder cannot be read: there is no such folder; name one with --jobs"
                ])
            _ = try folder.folder("d.yaml")
            try folder.write("e.yaml", [UInt8](repeating: 0x23, count: 1 << 20 + 1))
            let said = ManifestReader.read(paths: ["\(path)/d.yaml", "\(path)/e.yaml", "\(path)/f\u{1B}.yaml"])
                .diagnostics
            #expect(
                said.map { $0.description.replacing(path + "/", with: "") } == [
                    "d.yaml:1:1: error: the manifest is a folder, not a file",
                    "e.yaml:1:1: error: the manifest is larger than 1048576 bytes",
                    "f\\u{1B}.yaml:1:1: error: the manifest does not exist",
                ])
        }
    }

    /// The examples that come with the program pass, and none of them is the same job.
    @Test func examplesAreRight() throws {
        let jobs = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let result = ManifestReader.read(folder: jobs + "/jobs")
        #expect(result.diagnostics.map(\.description) == [])
        #expect(result.jobs.count >= 3)
        #expect(result.jobs.map(\.name).contains("demo"))
    }
}
