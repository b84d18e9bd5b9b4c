import Testing

@testable import Manifests

@Suite struct StartTests {
    private func said(_ url: String) -> String? {
        let found = problems("job: a\nstart: \(url)\n")
        return found.first.map { found.count == 1 ? $0 : "several" }
    }

    @Test(arguments: [
        "https://example.org/", "http://127.0.0.1:8080/x", "HTTPS://EXAMPLE.org", "https://예시.kr/보고서",
        "\"https://example.org/{date:yyyyMMdd-1d}/part-{n:1..20}.csv\"", "https://[::1]:8443/",
        "https://me@example.org/",
        "https://example.org/a:b@c", "[https://example.org/a, https://example.org/b]",
    ])
    func allowed(_ url: String) { #expect(said(url) == nil) }

    @Test(arguments: [
        (
            "localhost:8080/x",
            "2:8 start: 'localhost:8080/x' has no scheme; a start URL begins with https:// or http://, such as 'http://localhost:8080/x'"
        ),
        (
            "example.org/reports",
            "2:8 start: 'example.org/reports' has no scheme; a start URL begins with https:// or http://, such as 'http://example.org/reports'"
        ),
        ("ftp-like:pw@host", "2:8 start: this URL has no scheme; a start URL begins with https:// or http://"),
        ("/srv/x", "2:8 start: '/srv/x' is a path, not a URL; a start URL begins with https:// or http://"),
        (
            "file:///etc/passwd",
            "2:8 start: file: is refused: a job reads from servers, never from this machine's own files"
        ),
        (
            "FILE:/etc/passwd",
            "2:8 start: file: is refused: a job reads from servers, never from this machine's own files"
        ),
        (
            "sftp://example.org/",
            "2:8 start: sftp needs fetch.ssh.known-hosts, a file with the server's key as ssh-keyscan writes it"
        ),
        (
            "gopher://example.org/",
            "2:8 start: the scheme 'gopher:' is not supported; a start URL begins with https:// or http://"
        ),
        (
            "\"javascript:alert(1)\"",
            "2:8 start: the scheme 'javascript:' is not supported; a start URL begins with https:// or http://"
        ),
        ("https:example.org", "2:8 start: 'https:example.org' needs two slashes: https://"),
        (
            "https://u:hunter2@example.org/",
            "2:8 start: a password must not stand in a manifest; write fetch.auth.basic: { user: NAME, password: { env: NAME } }"
        ),
        ("https://exa mple.org/", "2:8 start: 'https://exa mple.org/' is not a valid URL"),
        ("https://example.org:99999/", "2:8 start: 'https://example.org:99999/' is not a valid URL"),
        ("[]", "2:8 start: the list is empty; remove the key or name at least one"),
        ("[[a]]", "2:9 start: expected a URL, found a list"),
        ("", "2:7 start: expected a URL, found nothing; remove the key to take its default"),
        (
            "\"https://example.org/${DAY}\"",
            "2:8 start: 'https://example.org/${DAY}': '${' is never expanded here; secrets are written as { env: NAME }"
        ),
    ])
    func refused(_ url: String, _ expected: String) {
        let said = said(url)
        #expect(said == expected)
        #expect(said?.contains("hunter2") != true)
    }

    @Test func templateErrorsStandAtTheirCharacter() {
        #expect(said("\"https://example.org/{dat:yyyy}\"")?.hasPrefix("2:30 start: ") == true)
        #expect(said("[https://example.org/, \"https://example.org/{n:20..1}\"]")?.hasPrefix("2:55 start: ") == true)
    }

    @Test func plainHTTPThatTheJobItselfRefuses() {
        let found = problems("job: a\nstart: [https://a.example/, http://b.example/]\nfetch: { allow-http: false }\n")
        #expect(found == ["2:29 start: this is plain http, which 'fetch.allow-http: false' refuses; write https://"])
    }
}
