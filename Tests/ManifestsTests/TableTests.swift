import Foundation
import Model
import TestSupport
import Templates
import Testing
import URLs

@testable import Manifests

@Suite struct TableTests {
    @Test func defaultsOfTheTableAreThoseOfTheModel() throws {
        let plain = try #require(readJob(below: ""))
        var lines: [String: [String]] = [:]
        for key in ManifestTable.keys where !key.isRequired && !key.path.contains("[]") {
            let isWords = key.standard.contains(" ") || ["none", "all"].contains(key.standard)
            if isWords { continue }
            let value = key.type == "a template" ? "\"\(key.standard)\"" : key.standard
            let parts = key.path.split(separator: ".").map(String.init)
            let nested = parts.dropFirst().reversed().reduce(value) { "{ \($1): \($0) }" }
            // One manifest for each key, since sections would come twice.
            lines[key.path, default: []].append("\(parts[0]): \(nested)")
        }
        #expect(lines.count > 15)
        for (path, line) in lines {
            let given = try #require(readJob(below: line[0]), "\(problems(below: line[0]))")
            var same = given
            same.manifestSHA256 = plain.manifestSHA256
            #expect(String(describing: same) == String(describing: plain), "\(path)")
        }
    }

    @Test func defaultsAreThoseOfTheContract() throws {
        let job = try #require(readJob("job: a\nstart: https://example.org/\n"))
        #expect(job.timezone == "UTC")
        #expect(job.crawl.depth == 3 && job.crawl.pages == 500 && job.crawl.scope == .prefix && job.crawl.obeysRobots)
        #expect(job.download.scope == .any && job.download.maxSize == nil && job.download.rejectTypes == nil)
        #expect(job.fetch.concurrency == 16 && job.fetch.perHost == 4 && job.fetch.retries == 5)
        #expect(job.fetch.connectTimeout == .seconds(15) && job.fetch.idleTimeout == .seconds(60))
        #expect(job.fetch.totalTimeout == .seconds(21600) && job.fetch.allowHTTP && !job.fetch.allowPrivate)
        #expect(job.naming.template.source == "{date:yyyyMMddHHmmss}-{stem}.{ext}")
        #expect(job.dedupe == .link && job.packs.isEmpty && job.secrets.isEmpty)
        #expect(job.manifest == "/jobs/a.yaml")
        #expect(job.manifestSHA256.utf8.count == 64)
    }

    @Test func everyValueArrives() throws {
        let text = """
            description: |
              Two
              lines
            timezone: Asia/Seoul
            crawl: { depth: 0, pages: 7, scope: domain, follow: { include: ["/a/*"], exclude: ["*?x=*", /y/] }, robots: ignore }
            download:
              types: [Application/PDF, ms-excel]
              extensions: [PDF, tar.gz, 7z, 001]
              schemes: ["F:"]
              include: ["*"]
              exclude: [/z$/]
              max-size: 1.5GiB
              reject-types: []
              scope: host
            fetch: { concurrency: 1, per-host: 2, retries: 0, timeout: { connect: 1ms, idle: 2m, total: 1d }, user-agent: me,
                     allow-http: true, allow-private: true, resolve: ["a.example:80:127.0.0.1", "b.example:443:[::1],10.0.0.1"] }
            name: { template: "{stem}.{ext}", types: [{ match: MS-Excel, extension: XLS }] }
            dedupe: off
            """
        let job = try #require(readJob(below: text), "\(problems(below: text))")
        #expect(job.description == "Two\nlines")
        #expect(job.timezone == "Asia/Seoul")
        #expect(job.crawl.depth == 0 && job.crawl.pages == 7 && job.crawl.scope == .domain && !job.crawl.obeysRobots)
        #expect(job.crawl.follow.include.map(\.source) == ["/a/*"])
        #expect(job.crawl.follow.exclude.map(\.source) == ["*?x=*", "/y/"])
        #expect(job.download.types == ["application/pdf", "ms-excel"])
        #expect(job.download.extensions == ["pdf", "tar.gz", "7z", "001"])
        #expect(job.download.schemes == ["f:"])
        #expect(job.download.filter.include.map(\.source) == ["*"])
        #expect(job.download.filter.exclude.map(\.source) == ["/z$/"])
        #expect(job.download.maxSize == 1_610_612_736 && job.download.rejectTypes == [] && job.download.scope == .host)
        #expect(job.fetch.concurrency == 1 && job.fetch.perHost == 2 && job.fetch.retries == 0)
        #expect(job.fetch.connectTimeout == .milliseconds(1) && job.fetch.totalTimeout == .seconds(86400))
        #expect(job.fetch.userAgent == "me" && job.fetch.allowHTTP && job.fetch.allowPrivate)
        #expect(job.fetch.resolve == ["a.example:80:127.0.0.1", "b.example:443:[::1],10.0.0.1"])
        #expect(job.naming.types.map { [$0.match, $0.extension] } == [["ms-excel", "xls"]])
        #expect(job.dedupe == .off)
    }

    @Test func noKeyIsThereTwice() {
        let paths = ManifestTable.keys.map(\.path)
        #expect(Set(paths).count == paths.count)
    }

    @Test func schemaIsJSONAndKnowsEveryKey() throws {
        let schema = try JSONSerialization.jsonObject(with: Data(ManifestReader.schema().utf8))
        let root = try #require(schema as? [String: Any])
        #expect(root["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        #expect(root["required"] as? [String] == ["job", "start"])
        for key in ManifestTable.keys {
            var place: [String: Any]? = root
            for part in key.path.split(separator: ".") {
                if let items = place?["items"] as? [String: Any] { place = items }
                guard let properties = place?["properties"] as? [String: Any] else { break }
                place = properties[String(part.prefix { $0 != "[" })] as? [String: Any]
            }
            #expect(place?["description"] != nil, "\(key.path)")
        }
    }

    @Test func referenceHasARowForEveryKey() {
        let rows = ManifestReader.reference().split(separator: "\n")
        for key in ManifestTable.keys { #expect(rows.count { $0.hasPrefix("| `\(key.path)` |") } == 1) }
        #expect(rows.filter { $0.hasPrefix("|") }.allSatisfy { $0.hasSuffix(" |") })
        #expect(
            rows.contains(
                "| `job` | name of a-z, 0-9 and '-', at most 64 characters | required | The job's name: names its folders, is asked for on the command line; no two jobs in a folder share one |"
            ))
    }
}
