import Crawling
import Foundation
import Testing
import URLs

private let suites =
    ProcessInfo.processInfo.environment["NIGHTJAR_SUITES"].map { URL(filePath: $0) }
    ?? URL(filePath: #filePath).appending(path: "../../../../shared/suites").standardized

private func json(_ path: String) -> [String: Any] {
    guard let data = try? Data(contentsOf: suites.appending(path: path)) else { return [:] }
    return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
}

private func exists(_ suite: String) -> Bool {
    FileManager.default.fileExists(atPath: suites.appending(path: suite).path)
}

struct RobotsSuiteTests {
    @Test(.enabled(if: exists("robots-real"), "no suite robots-real: set NIGHTJAR_SUITES"))
    func realFilesAreReadAsLargeCrawlersReadThem() throws {
        let suite = json("robots-real/expected.json")
        let cases = try #require(suite["cases"] as? [[String: Any]])
        var rules: [String: RobotsRules] = [:]
        for name in Set(cases.compactMap { $0["file"] as? String }) {
            let body = try Data(contentsOf: suites.appending(path: "robots-real/\(name)"))
            rules[name] = RobotsRules(parsing: [UInt8](body))
        }
        var policies: [String: RobotsPolicy] = [:]
        for row in cases {
            let file = try #require(row["file"] as? String)
            let agent = try #require(row["user_agent"] as? String)
            let url = try #require(row["url"] as? String)
            let policy = try policies["\(file) \(agent)"] ?? #require(rules[file]).policy(for: agent)
            policies["\(file) \(agent)"] = policy
            let verdict = policy.verdict(forURLText: url)
            #expect(verdict.allowed == row["allowed"] as? Bool, "\(file) \(agent) \(url): \(verdict)")
            // What a crawl asks, after the URL has been parsed.
            let parsed = WebURL(url).map { policy.verdict(for: $0) }
            #expect(parsed?.allowed == row["allowed"] as? Bool, "\(file) \(agent) \(url), parsed: \(verdict)")
        }
        for (name, facts) in suite["files"] as? [String: [String: Any]] ?? [:] {
            guard let expected = facts["protego_sitemaps"] as? [String], let rules = rules[name] else { continue }
            #expect(rules.sitemaps == expected, "\(name)")
            let delay = (facts["protego_crawl_delay_star"] as? Double).map { Duration.milliseconds(Int64($0 * 1000)) }
            #expect(rules.crawlDelay(agent: "nobody-else") == delay, "\(name)")
        }
    }

    @Test(.enabled(if: exists("robots-google"), "no suite robots-google: set NIGHTJAR_SUITES"))
    func casesOfTheReferenceHold() throws {
        let suite = json("robots-google/robots_google.json")
        for row in try #require(suite["allow_cases"] as? [[String: Any]]) {
            let robots = try #require(row["robots"] as? String)
            let agent = try #require(row["user_agent"] as? String)
            let url = try #require(row["url"] as? String)
            let verdict = RobotsRules(parsing: Array(robots.utf8)).policy(for: agent).verdict(forURLText: url)
            #expect(verdict.allowed == row["allowed"] as? Bool, "\(row["test"] ?? "") \(agent) \(url): \(verdict)")
        }
    }
}
