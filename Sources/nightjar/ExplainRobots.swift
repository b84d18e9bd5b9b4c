import Crawling
import Reporting

extension Explainer {
    /// Whether a robots.txt lets an agent fetch a URL (RFC 9309).
    static let robots = Explainer(
        name: "robots", arguments: "FILE AGENT URL", counts: 3...3,
        answer: { (question, answer) throws(ExplainError) in
            let policy = RobotsRules(parsing: try question.content("robots"))
                .policy(for: try question.required("agent"))
            let verdict = policy.verdict(forURLText: try question.required("url"))
            answer.object { answer in
                answer.field("allowed", verdict.allowed)
                if let rule = verdict.rule { answer.field("rule", rule) }
                if let delay = policy.crawlDelay { answer.field("crawl_delay", seconds: delay / .seconds(1)) }
            }
        },
        show: { arguments in
            let policy = RobotsRules(parsing: try content(ofFile: arguments[0])).policy(for: arguments[1])
            let verdict = policy.verdict(forURLText: arguments[2])
            let rule = verdict.rule.map { "by \(shown($0))" } ?? "as no rule speaks of it"
            let delay = policy.crawlDelay.map { ", \(shown(seconds: $0 / .seconds(1))) between requests" } ?? ""
            return "\(verdict.allowed ? "allowed" : "disallowed") \(rule)\(delay)\n"
        })
}
