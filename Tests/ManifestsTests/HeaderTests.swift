import Model
import Testing

@testable import Manifests

@Suite struct HeaderTests {
    @Test func valuesAndSecrets() throws {
        let text = """
            fetch:
              headers:
                Accept-Language: de
                X-Number: 012
                X-Token: { env: TOKEN }
                Authorization: { file: secret.txt }
            """
        let job = try #require(readJob(below: text))
        #expect(job.fetch.headers.map(\.name) == ["Accept-Language", "X-Number", "X-Token", "Authorization"])
        #expect(
            job.fetch.headers.map(\.value) == [
                .plain("de"), .plain("012"), .secret(.environment("TOKEN")), .secret(.file("/jobs/secret.txt")),
            ])
        #expect(job.secrets.map(\.key) == ["fetch.headers.X-Token", "fetch.headers.Authorization"])
        #expect(job.secrets.map { [$0.line, $0.column] } == [[7, 14], [8, 20]])
    }

    @Test(arguments: [
        (
            "\"a\\r\\nb\": x",
            "3:21 fetch.headers.a\\u{D}\\u{A}b: this is no header's name; one is of letters, digits and '-', without the colon"
        ),
        (
            "'X: y': x",
            "3:21 fetch.headers.X: y: this is no header's name; one is of letters, digits and '-', without the colon"
        ),
        (
            "'': x",
            "3:21 fetch.headers.: this is no header's name; one is of letters, digits and '-', without the colon"
        ),
        (
            "X: \"a\\nHost: b\"",
            "3:24 fetch.headers.X: the value cannot be sent: it holds a line break or another control character"
        ),
        (
            "X: \"a\\0\"",
            "3:24 fetch.headers.X: the value cannot be sent: it holds a line break or another control character"
        ),
        (
            "X: ${TOKEN}",
            "3:24 fetch.headers.X: the value cannot be sent: '${' is never expanded here; secrets are written as { env: NAME }"
        ),
        ("host: x", "3:21 fetch.headers.host: this header cannot be set; the connection decides it"),
        (
            "Content-Length: 3",
            "3:21 fetch.headers.Content-Length: this header cannot be set; the connection decides it"
        ),
        (
            "Transfer-Encoding: x",
            "3:21 fetch.headers.Transfer-Encoding: this header cannot be set; the connection decides it"
        ),
        (
            "Range: bytes=0-",
            "3:21 fetch.headers.Range: this header cannot be set; the program decides it for each request"
        ),
        ("User-Agent: x", "3:21 fetch.headers.User-Agent: set this header with 'fetch.user-agent'"),
        (
            "Authorization: Bearer hunter2",
            "3:36 fetch.headers.Authorization: a secret must not stand in a manifest; write { env: NAME } or { file: PATH }"
        ),
        ("X: [1]", "3:24 fetch.headers.X: expected text, { env: NAME } or { file: PATH }, found a list"),
        ("X: { env: A, file: b }", "3:24 fetch.headers.X: expected one of { env: NAME } and { file: PATH }"),
        ("X: { evn: A }", "3:26 fetch.headers.X: expected env or file, found 'evn'"),
        (
            "X: { env: '1 A' }",
            "3:31 fetch.headers.X.env: expected the name of an environment variable, found the text '1 A'"
        ),
        (
            "X: { file: ~/t }",
            "3:32 fetch.headers.X.file: expected the path of a file, found '~/t'; '~' is not expanded; write the whole path"
        ),
        ("X-A: b, x-a: c", "3:29 fetch.headers.x-a: this header stands here already; its case makes no difference"),
    ])
    func refused(_ header: String, _ expected: String) {
        let found = problems(
            below:
                "fetch: { headers: { \(header.contains(": ${") ? header.replacing("${TOKEN}", with: "'${TOKEN}'") : header) } }"
        )
        #expect(found == [expected])
    }
}
