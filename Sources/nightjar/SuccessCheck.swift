import Files
import Manifests
import Reporting
import Storing
import Times

/// `nightjar status --check AGE`: names each job without a success in that time, jobs that never ran too.
func checkSuccesses(_ invocation: Invocation, _ age: String) async throws -> Int32 {
    guard let longest = parseDuration(age), longest > .zero else {
        throw UsageError("--check takes an age such as 26h or 2d, not '\(shown(age))'")
    }
    let names = try jobsToCheck(invocation)
    let root = try invocation.rootFolder()
    var successes: [String: Double] = [:]
    if let folder = try? Directory(root), try folder.status("catalog.sqlite") != nil {
        for state in try await Store.openExisting(root).states(of: names) {
            successes[state.job] = state.lastSuccess.map { $0.finished ?? $0.started }
        }
    }
    let now = currentTime()
    var overdue = 0
    for name in names {
        // A clock that once was ahead must not keep the alarm silent until then.
        let past = successes[name].flatMap { $0 <= now + 7200 ? $0 : nil }
        if let past, now - past <= longest / .seconds(1) { continue }
        overdue += 1
        let since = past.map {
            "last succeeded at \(RFC3339.format($0)), \(shown(seconds: now - $0)) ago; the limit is \(age)"
        }
        try printOutput(
            "\(name): \(since ?? (successes[name] == nil ? "never succeeded" : "its last success lies in the future"))\n"
        )
    }
    return overdue == 0 ? 0 : 1
}

/// The jobs named, else those of the manifests. Where a manifest is wrong, its job is still one: all that the catalog
/// knows are asked then.
private func jobsToCheck(_ invocation: Invocation) throws -> [String] {
    if !invocation.arguments.isEmpty { return invocation.arguments }
    let result = ManifestReader.read(folder: try invocation.jobsFolder())
    for diagnostic in result.diagnostics { printError("\(diagnostic)\n") }
    if result.names.isEmpty { throw UsageError("there is no job in \(try invocation.jobsFolder())") }
    return result.names
}
