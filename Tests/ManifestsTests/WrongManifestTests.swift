import Testing

@testable import Manifests

@Suite struct WrongManifestTests {
    @Test func fiveMistakesAreFiveErrors() {
        let text = """
            job: Reports
            start: https://example.org/
            crawl:
              depht: 3
              scope: site
            fetch:
              concurrency: many
              timeout: { idle: 60 }
            """
        let read = ManifestReader.read(text: Array(text.utf8), path: "jobs/reports.yaml")
        #expect(read.job == nil)
        #expect(
            read.diagnostics.map(\.description) == [
                "jobs/reports.yaml:1:6: error: job: expected a name of a-z, 0-9 and '-', at most 64 characters, "
                    + "found 'Reports'",
                "jobs/reports.yaml:4:3: error: unknown key 'depht' below 'crawl'; did you mean 'depth'?",
                "jobs/reports.yaml:5:10: error: crawl.scope: expected one of prefix, host, domain, any, found 'site'",
                "jobs/reports.yaml:7:16: error: fetch.concurrency: expected a whole number from 1 to 1024, found 'many'",
                "jobs/reports.yaml:8:20: error: fetch.timeout.idle: expected a time from 1ms to 1d, such as 200ms, 15s "
                    + "or 6h, found '60'; say the unit: 60s for seconds, 60m for minutes",
            ])
    }

    /// What stands in line 3, and all that is said of it.
    @Test(arguments: [
        // Keys.
        ("crwal: {}", "3:1 unknown key 'crwal'; did you mean 'crawl'?"),
        ("concurrency: 3", "3:1 unknown key 'concurrency'; did you mean 'fetch.concurrency'?"),
        ("crawl: { pagse: 1 }", "3:10 unknown key 'pagse' below 'crawl'; did you mean 'pages'?"),
        (
            "crawl: { zzzzzz: 1 }",
            "3:10 unknown key 'zzzzzz' below 'crawl'; known here: depth, pages, scope, follow, robots, sitemaps, trap, select, attributes, ignore-query"
        ),
        ("Dedupe: link", "3:1 unknown key 'Dedupe'; did you mean 'dedupe'?"),
        ("job: b", "3:1 the key 'job' stands here again; its first place is line 1"),
        (
            "cookies: { pool: x, nonsense: 1 }",
            "3:21 unknown key 'nonsense' below 'cookies'; known here: pool, isolated, ephemeral, import, keep-session, login, expired"
        ),
        ("crawl: { select: 'a[' }", "3:21 crawl.select: 'a[': a name was expected"),
        (
            "crawl: { select: 'li:last-child' }",
            "3:21 crawl.select: 'li:last-child': :last-child depends on what follows, and pages are read as they come; supported are :not(), :nth-child() and :first-child"
        ),
        (
            "crawl: { ignore-query: ['*'] }",
            "3:25 crawl.ignore-query: expected the name of a query parameter, such as sessionid or utm_*, found the text '*'; that would ignore every query"
        ),
        // Shapes.
        ("crawl: 3", "3:8 crawl: expected keys below it, found '3'"),
        ("crawl:", "3:7 crawl: expected keys below it, found nothing; remove the key or put something below it"),
        (
            "download: { types: pdf }",
            "3:20 download.types: expected a list of parts of MIME types, found 'pdf'; put it in brackets: [...]"
        ),
        ("download: { types: [] }", "3:20 download.types: the list is empty; remove the key or name at least one"),
        ("dedupe: [link]", "3:9 dedupe: expected one of link, skip, off, found a list"),
        (
            "timezone: ~",
            "3:11 timezone: expected a time zone such as Europe/Berlin, found nothing; remove the key to take its default"
        ),
        (
            "name: { template: {stem}-x }",
            "3:25 ',' or '}' was expected here; put a value that begins with '{' or '[' in quotes"
        ),
        (
            "name: { template: { stem } }",
            "3:19 name.template: expected a template, in quotes, found a mapping; put text with { } in quotes"
        ),
        // Plain scalars.
        (
            "fetch: { allow-http: NO }",
            "3:22 fetch.allow-http: expected true or false, found 'NO'; write false, without quotes"
        ),
        (
            "fetch: { allow-http: on }",
            "3:22 fetch.allow-http: expected true or false, found 'on'; write true, without quotes"
        ),
        (
            "fetch: { allow-http: 'true' }",
            "3:22 fetch.allow-http: expected true or false, found the text 'true'; write true, without quotes"
        ),
        (
            "crawl: { depth: 012 }",
            "3:17 crawl.depth: expected a whole number from 0 to 1000, found '012'; write it without leading zeros"
        ),
        (
            "crawl: { pages: 1e3 }",
            "3:17 crawl.pages: expected a whole number from 1 to 10000000, found '1e3'; write it as digits only, such as 1000"
        ),
        (
            "crawl: { pages: 1_000 }",
            "3:17 crawl.pages: expected a whole number from 1 to 10000000, found '1_000'; write it as digits only, such as 1000"
        ),
        (
            "crawl: { pages: 0x10 }",
            "3:17 crawl.pages: expected a whole number from 1 to 10000000, found '0x10'; write it as a decimal number"
        ),
        (
            "crawl: { pages: '5' }",
            "3:17 crawl.pages: expected a whole number from 1 to 10000000, found the text '5'; write it without quotes"
        ),
        (
            "crawl: { pages: 99999999999999999999 }",
            "3:17 crawl.pages: expected a whole number from 1 to 10000000, found '99999999999999999999'"
        ),
        ("fetch: { concurrency: -1 }", "3:23 fetch.concurrency: expected a whole number from 1 to 1024, found '-1'"),
        ("fetch: { concurrency: 0 }", "3:23 fetch.concurrency: expected a whole number from 1 to 1024, found '0'"),
        ("crawl: { robots: obay }", "3:18 crawl.robots: expected obey or ignore, found 'obay'; did you mean 'obey'?"),
        // Text.
        (
            "timezone: Europe/Berln",
            "3:11 timezone: the time zone \"Europe/Berln\" is not known: names look like Europe/Berlin; `ls /usr/share/zoneinfo` shows them"
        ),
        (
            "timezone: ../../etc/passwd",
            "3:11 timezone: \"../../etc/passwd\" is no time zone; names look like Europe/Berlin or UTC"
        ),
        (
            "download: { extensions: [.pdf] }",
            "3:26 download.extensions: expected an extension such as pdf or tar.gz, found '.pdf'; write it without the dot"
        ),
        (
            "download: { schemes: [\"https:\"] }",
            "3:23 download.schemes: expected a link prefix that ends in ':', such as \"f:\", found the text 'https:'; https: has its own meaning"
        ),
        (
            "download: { max-size: 10k }",
            "3:23 download.max-size: expected a size such as 500MB or 2GiB, found '10k'; write 10kB for powers of 1000 or 10KiB for powers of 1024"
        ),
        (
            "fetch: { user-agent: \"a\\r\\nX: y\" }",
            "3:22 fetch.user-agent: expected text, found the text 'a\\u{D}\\u{A}X: y'; it holds a line break or another control character"
        ),
        (
            "fetch: { user-agent: \"${AGENT}\" }",
            "3:22 fetch.user-agent: expected text, found the text '${AGENT}'; '${' is never expanded here; secrets are written as { env: NAME }"
        ),
        (
            "fetch: { resolve: ['a:443:nowhere'] }",
            "3:20 fetch.resolve: expected host:port:address, such as www.example.org:443:192.0.2.7, found the text 'a:443:nowhere'; the address is an IPv4 one, or an IPv6 one in brackets"
        ),
        (
            "fetch: { timeout: { total: 99999999d } }",
            "3:28 fetch.timeout.total: expected a time from 1ms to 30d, such as 200ms, 15s or 6h, found '99999999d'"
        ),
        // Terminals.
        (
            "\"a\\e[31m\\u202E\": 1",
            "3:1 unknown key 'a\\u{1B}[31m\\u{202E}'; known here: job, description, timezone, schedule, catch-up, start, needs, priority, max-runtime, overlap, notify, metrics, crawl, download, fetch, cookies, name, dedupe, pack, handoff, expect, keep, log"
        ),
    ])
    func oneMistake(_ line: String, _ expected: String) {
        let found = problems(below: line)
        #expect(found.count == 1)
        #expect(found.first == expected)
    }

    /// Templates and patterns: the error stands at the character that is wrong, where the file has it as it is.
    @Test(arguments: [
        ("name: { template: \"{stem}.{ex}\" }", 3, 28), ("name: { template: \"가{stem}.{ex}\" }", 3, 29),
        ("pack: [{ format: zip, name: '{job}/{ext}' }]", 3, 35), ("download: { include: ['/a(/'] }", 3, 27),
        ("name:\n  template: >\n    {stem}.{ex}\n", 4, 13),
    ])
    func placesInsideText(_ text: String, _ line: Int, _ column: Int) {
        let read = ManifestReader.read(
            text: Array(("job: a\nstart: https://example.org/\n" + text).utf8), path: "a.yaml")
        #expect(read.diagnostics.map { [$0.line, $0.column] } == [[line, column]], "\(read.diagnostics)")
    }

    @Test func whatIsMissing() {
        #expect(problems("") == ["1:1 the manifest is empty; it needs at least 'job' and 'start'"])
        #expect(problems("# nothing\n") == ["1:1 the manifest is empty; it needs at least 'job' and 'start'"])
        #expect(problems("[1]") == ["1:1 expected keys with values, such as job: my-job, found a list"])
        let missing = problems("\ndescription: x\n")
        #expect(
            missing.map { $0.prefix { $0 != ";" } } == [
                "2:1 job: this key is required", "2:1 start: this key is required",
            ])
        #expect(
            problems(below: "pack: [{ level: 3 }]") == [
                "3:8 pack[1].format: this key is required; The archive's format"
            ]
        )
    }

    /// An error in the form does not hide the errors in the content, and each place is told once.
    @Test func formAndContentTogether() {
        let found = problems(below: "dedupe: *x\ncrawl: { depth: x }\ntimezone: !!str UTC\n")
        #expect(found.map { $0.prefix { $0 != " " } } == ["3:9", "4:17", "5:11"])
    }

    @Test func manyMistakesAreCutOff() {
        let text = (0..<20000).map { "key-\($0): x\n" }.joined()
        let found = problems(below: text)
        #expect(found.count == 101)
        #expect(found.last?.contains("19900 more problems are not shown") == true)
    }

    @Test(arguments: [
        ("{\"job\": \"a\", \"start\": [\"https://example.org/\",]}", "1:47 a JSON value was expected"),
        (
            "{\"job\": \"a\", \"start\": \"https://example.org/\", \"crawl\": {\"depth\": 1.0}}",
            "1:66 crawl.depth: expected"
        ),
        ("{'job': 'a'}", "1:2 a key in double quotes"),
    ])
    func strictJSON(_ text: String, _ beginning: String) {
        let found = problems(text, path: "a.json")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(beginning) == true, "\(found)")
    }
}
