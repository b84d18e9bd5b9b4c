import Model
import Reporting
import Running
import Scheduling
import Times

/// `nightjar due`.
@Sendable func showDue(_ invocation: Invocation) async throws -> Int32 {
    guard let jobs = try invocation.loadJobs(needsSecrets: false) else { return 2 }
    let root = try invocation.rootFolder()
    let time = try invocation[.at].map { text in
        guard let time = RFC3339.parse(text) else {
            throw UsageError("--at takes a time such as 2026-11-30T02:15:00Z, not '\(shown(text))'")
        }
        return time
    }
    let plan =
        if let time { try await DueCheck.plan(jobs, root: root, at: time) } else {
            try await DueCheck.now(jobs, root: root)
        }
    try printOutput(invocation.has(.json) ? json(plan) : text(plan))
    return 0
}

private func text(_ plan: DuePlan) -> String {
    let width = plan.entries.map(\.job.name.utf8.count).max() ?? 0
    return plan.entries.map { entry in
        let name = entry.job.name + String(repeating: " ", count: width - entry.job.name.utf8.count)
        return "\(entry.dueSince == nil ? "-  " : "due")  \(name)  \(text(entry))\n"
    }.joined()
}

private func text(_ entry: DueJob) -> String {
    guard entry.job.schedule != nil else { return "no schedule: runs by name and by plain 'nightjar run'" }
    let next = entry.next.map { "next \(RFC3339.format($0))" } ?? "never again"
    if let since = entry.dueSince { return "since \(RFC3339.format(since)), \(next)" }
    return (entry.letGo.map { "missed \(RFC3339.format($0)), " } ?? "") + next
}

private func json(_ plan: DuePlan) -> String {
    var json = JSONText()
    json.object { json in
        json.key("jobs")
        json.array { json in
            for entry in plan.entries {
                json.object { json in
                    json.field("job", entry.job.name)
                    json.field("schedule", entry.job.schedule)
                    json.field("timezone", entry.job.timezone)
                    json.field("due", entry.dueSince != nil)
                    json.field("since", entry.dueSince.map { RFC3339.format($0) })
                    json.field("missed", entry.letGo.map { RFC3339.format($0) })
                    json.field("next", entry.next.map { RFC3339.format($0) })
                    json.field("last_started", entry.lastStarted.map { RFC3339.format($0) })
                }
            }
        }
    }
    json.endDocument()
    return String(decoding: json.bytes, as: UTF8.self)
}
