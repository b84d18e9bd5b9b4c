import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The manifests in `jobs/`, each against a site of the shape it was written for.
    @Suite("The examples", .timeLimit(.minutes(1)))
    struct ExampleTests {
        private static let jobs = Folder(
            #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/jobs")

        /// An example, the origin that it names, and a site for it.
        struct Example: Sendable, CustomTestStringConvertible {
            let file: String
            let job: String
            let origin: String
            /// For nginx's server block.
            var server = ""
            /// Path and content.
            let site: [String: String]
            /// Ends of the names that must be there, and nothing else.
            let names: [String]

            var testDescription: String { file }
        }

        private static let examples = [
            Example(
                file: "demo.yaml", job: "demo", origin: "http://127.0.0.1:8080",
                server: """
                    location /report/ { default_type application/pdf; }
                    location /download/ {
                        default_type application/pdf;
                        add_header Content-Disposition "attachment; filename*=UTF-8''%EB%B3%B4%EA%B3%A0%EC%84%9C.pdf";
                    }
                    """,
                site: [
                    "index.html": Response.links(["reports/a.pdf", "reports/a-again.pdf", "page-2.html"]),
                    "page-2.html": Response.links(["reports/b.csv", "report/annual", "download/7"]),
                    "reports/a.pdf": pdf("a"), "reports/a-again.pdf": pdf("a"), "reports/b.csv": "a;b\n1;2\n",
                    "report/annual": pdf("annual"), "download/7": pdf("7"),
                ],
                names: ["-a.pdf", "-a-again.pdf", "-b.csv", "-annual.pdf", "-보고서.pdf"]),
            Example(
                file: "download-page.yaml", job: "office-reports", origin: "https://www.example.org",
                server: """
                    location /reports/get { default_type application/pdf; }
                    location /reports/old { default_type application/vnd.ms-excel; }
                    """,
                site: [
                    "index.html": Response.links(["/outside.pdf"]),
                    "reports/index.html": Response.links([
                        "2023/", "2024/", "/", "?sort=name", "print/index.html", "/elsewhere.html",
                    ]),
                    "reports/2023/index.html": Response.links(["a.pdf", "../drafts/d.pdf"]),
                    "reports/2024/index.html": Response.links(["b/index.html", "c.zip"]),
                    "reports/2024/b/index.html": Response.links(["b.pdf", "../../get/9", "../../old/3"]),
                    "reports/print/index.html": Response.links(["printed.pdf"]),
                    "reports/print/printed.pdf": pdf("printed"), "reports/drafts/d.pdf": pdf("draft"),
                    "elsewhere.html": Response.links(["outside.pdf"]), "outside.pdf": pdf("outside"),
                    "reports/2023/a.pdf": pdf("a"), "reports/2024/b/b.pdf": pdf("b"),
                    "reports/2024/c.zip": "PK\u{5}\u{6}"
                        + String(repeating: "\0", count: 18),
                    "reports/get/9": pdf("9"), "reports/old/3": "a workbook",
                ],
                names: ["-a.pdf", "-b.pdf", "-c.zip", "-9.pdf", "-3.xls"]),
            Example(
                file: "nightly-listing.yaml", job: "nightly-listing", origin: "https://data.example.org",
                server: "location /pub/ { autoindex on; }",
                site: [
                    "index.html": Response.links(["/daily/never.csv"]), "daily/never.csv": "never",
                    "pub/index.txt": "outside", "pub/exports/all.csv": "all", "pub/exports/2024/one.json": "{}",
                    "pub/exports/2024/two.xml": "<a/>", "pub/exports/2024/three.csv.tmp": "being written",
                    "daily/\(day(-1)).csv.gz": "yesterday", "daily/\(day(0)).csv.gz": "today",
                    "parts/part-01.json": "[1]", "parts/part-02.json": "[2]", "parts/part-03.json": "[3]",
                    "parts/part-04.json": "[4]", "parts/part-05.json": "[5]",
                ],
                names: [
                    "/all.csv", "/one.json", "/two.xml", "/\(day(-1)).csv.gz", "/part-01.json", "/part-02.json",
                    "/part-03.json", "/part-04.json",
                ]),
        ]

        private static func pdf(_ text: String) -> String { "%PDF-1.4\n% \(text)\n%%EOF\n" }

        /// A day from today in UTC, as yyyyMMdd.
        private static func day(_ offset: Int) -> String {
            var seconds = time(nil) + offset * 86_400
            var parts = tm()
            gmtime_r(&seconds, &parts)
            return String((Int(parts.tm_year) + 1900) * 10_000 + Int(parts.tm_mon + 1) * 100 + Int(parts.tm_mday))
        }

        @Test("Every example is tried here, and passes check")
        func complete() async throws {
            #expect(Set(Self.jobs.names) == Set(Self.examples.map(\.file)))
            let files = Self.examples.map { "\(Self.jobs.path)/\($0.file)" }
            let outcome = try await Program.nightjar(["check"] + files).run()
            #expect(outcome.ending == .exited(0), "\(outcome)")
        }

        @Test("It takes what it says, and a second run takes nothing", arguments: examples)
        func runs(example: Example) async throws {
            try await NginxServer.serving(server: example.server) { server in
                for (path, content) in example.site { try server.site.write(path, content) }
                try await Sandbox.with { sandbox in
                    let manifest = try Self.jobs.text(example.file)
                    let parts = manifest.split(separator: example.origin, omittingEmptySubsequences: false)
                    #expect(parts.count > 1, "\(example.file) no longer starts at \(example.origin)")
                    try sandbox.jobs.write(example.file, parts.joined(separator: server.origin))
                    try await sandbox.run(example.job)
                    let names = sandbox.names(example.job)
                    for end in example.names {
                        #expect(names.contains { Array($0.utf8).ends(with: Array(end.utf8)) }, "\(end) in \(names)")
                    }
                    #expect(names.count == example.names.count, "\(names)")
                    #expect(try sandbox.report(example.job).bundles.count == 1)

                    try await sandbox.run(example.job)
                    #expect(sandbox.names(example.job) == names)
                    let report = try sandbox.report(example.job)
                    #expect(report.counts.unchanged == names.count)
                    #expect(report.bundles.isEmpty)
                    #expect(try await sandbox.problems() == [])
                }
            }
        }
    }
}

extension Array where Element == UInt8 {
    fileprivate func ends(with end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}
