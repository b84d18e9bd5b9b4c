import Model
import Reporting
import Storing
import Times

/// `nightjar status`.
@Sendable func showStatus(_ invocation: Invocation) async throws -> Int32 {
    if let age = invocation[.check] { return try await checkSuccesses(invocation, age) }
    let store = try await Store.openExisting(invocation.rootFolder())
    let states = try await store.states(of: invocation.arguments)
    for name in invocation.arguments where !states.contains(where: { $0.job == name }) {
        throw UsageError("no job '\(shown(name))' ever ran below \(store.path)")
    }
    try printOutput(invocation.has(.json) ? json(states) : text(states))
    return 0
}

private func text(_ states: [JobState]) -> String {
    let width = states.map(\.job.utf8.count).max() ?? 0
    return states.map { state in
        let name = state.job + String(repeating: " ", count: width - state.job.utf8.count)
        let word = state.runner == nil ? state.last.map(word) ?? "never ran" : "running"
        let column = word + String(repeating: " ", count: max(0, 11 - word.utf8.count))
        return "\(column)  \(name)  \(details(state))\n"
    }.joined()
}

/// One word for how a run ended; one without an end whose lock is free was killed.
private func word(_ run: RunFigures) -> String { run.status?.rawValue ?? "killed" }

private func details(_ state: JobState) -> String {
    var parts: [String] = []
    if let runner = state.runner { parts.append(shown(runner.split(separator: "\n").first.map(String.init) ?? "")) }
    if let last = state.last, state.runner == nil {
        parts.append(RFC3339.format(last.started))
        if let finished = last.finished { parts.append("in \(shown(seconds: finished - last.started))") }
        parts.append("run \(last.id)")
        let counts = last.counts
        let figures = [
            (counts.downloaded, "downloaded"), (counts.duplicate, "duplicate"), (counts.unchanged, "unchanged"),
            (counts.gone, "gone"), (counts.failed, "failed"),
        ]
        parts += figures.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }
    if state.last?.status != .succeeded || state.runner != nil {
        parts.append(
            state.lastSuccess.map { "last success \(RFC3339.format($0.finished ?? $0.started))" } ?? "never succeeded")
    }
    if let hold = state.hold { parts.append("hand-off held since run \(hold.run): \(hold.reason)") }
    return parts.joined(separator: ", ")
}

private func json(_ states: [JobState]) -> String {
    var json = JSONText()
    json.object { json in
        json.key("jobs")
        json.array { json in
            for state in states {
                json.object { json in
                    json.field("job", state.job)
                    json.field("running", state.runner != nil)
                    json.field("runner", state.runner.map { $0.split(separator: "\n").first.map(String.init) ?? "" })
                    json.key("last_run")
                    run(state.last, &json)
                    json.key("last_success")
                    run(state.lastSuccess, &json)
                    json.field("handoff_held_by", state.hold?.run)
                    json.field("handoff_held_reason", state.hold?.reason)
                }
            }
        }
    }
    json.endDocument()
    return String(decoding: json.bytes, as: UTF8.self)
}

private func run(_ run: RunFigures?, _ json: inout JSONText) {
    guard let run else { return json.value(String?.none) }
    json.object { json in
        json.field("id", run.id)
        json.field("started", RFC3339.format(run.started))
        json.field("finished", run.finished.map { RFC3339.format($0) })
        json.field("status", run.status?.rawValue)
        json.field("exit_status", run.exitStatus)
        json.key("counts")
        json.counts(run.counts)
    }
}
