import Model
import TestSupport
import Testing

@testable import Manifests

@Suite struct SecretTests {
    @Test func whatIsMissingIsToldAtItsPlace() async throws {
        try await Folder.temporary { folder in
            try folder.write("token.txt", "s3cret\r\n")
            try folder.write("empty.txt", "\n")
            try folder.write("two.txt", "a\nb\n")
            try folder.write(
                "a.yaml",
                """
                job: a
                start: https://example.org/
                fetch:
                  headers:
                    X-A: { env: THERE }
                    X-B: { env: MISSING }
                    X-C: { file: token.txt }
                    X-D: { file: nowhere.txt }
                    X-E: { file: empty.txt }
                    X-F: { file: two.txt }
                    X-G: { file: . }
                    X-H: { env: TWO }
                """)
            let read = ManifestReader.read(path: "\(folder.path)/a.yaml")
            let job = try #require(read.job, "\(read.diagnostics)")
            let found = Secrets.missing(of: job, environment: ["THERE": "x", "TWO": "hunter\n2"])
            let path = folder.path
            #expect(
                found.map { "\($0.line):\($0.column) \($0.message)".replacing(path, with: "") } == [
                    "6:10 fetch.headers.X-B: the environment variable MISSING is not set",
                    "8:10 fetch.headers.X-D: the file '/nowhere.txt' does not exist",
                    "9:10 fetch.headers.X-E: the file '/empty.txt' is empty",
                    "10:10 fetch.headers.X-F: the file '/two.txt' holds a line break or another control character "
                        + "inside its value",
                    "11:10 fetch.headers.X-G: the file '/.' is a folder, not a file",
                    "12:10 fetch.headers.X-H: the environment variable TWO holds a line break or another control "
                        + "character inside its value",
                ])
            #expect(found.allSatisfy { !$0.message.contains("hunter") && $0.file == "\(path)/a.yaml" })
            #expect(try Secrets.value(of: .file("\(path)/token.txt"), environment: [:]) == "s3cret")
            #expect(try Secrets.value(of: .environment("THERE"), environment: ["THERE": "x"]) == "x")
        }
    }
}
