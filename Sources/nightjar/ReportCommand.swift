import Files
import Glibc
import Model
import Reporting
import Running

/// `nightjar report`.
@Sendable func showReport(_ invocation: Invocation) async throws -> Int32 {
    if invocation.has(.schema) {
        try printOutput(reportSchema())
        return 0
    }
    let format = invocation[.format] ?? "text"
    guard ["text", "json", "html"].contains(format) else {
        throw UsageError("--format is text, json or html, not '\(shown(format))'")
    }
    guard invocation.arguments.count <= 1 else { throw UsageError("nightjar report takes one job") }
    let root = try invocation.rootFolder()
    let reports: Directory
    do { reports = try Directory(root).directory("reports") } catch {
        throw UsageError("no run has been reported below \(root): \(error.reason)")
    }
    let run = invocation[.run] ?? "latest"
    if let older = invocation[.diff] {
        guard let job = invocation.arguments.first, format != "html" else {
            throw UsageError("--diff takes one job, and --format text or json")
        }
        try showDiff(job, from: older, to: run, isJSON: format == "json", in: reports)
        return 0
    }
    if let job = invocation.arguments.first {
        try show(job, run, format, in: reports)
        return 0
    }
    if format == "html" {
        try await printOutput(Overview.page(root: root, jobs: invocation.jobsThatCanBeRead()))
        return 0
    }
    for job in try reports.names().filter({ isJob($0, in: reports) }).sorted() {
        do { try show(job, run, format, in: reports) } catch let error as UsageError {
            // A first run may still go on, or have been killed: the other jobs have something to show.
            printError("nightjar: \(error.message)\n")
        }
    }
    return 0
}

private func isJob(_ name: String, in reports: Directory) -> Bool {
    !name.hasPrefix(".") && (try? reports.status(name)?.isDirectory) == true
}

private func folder(of job: String, in reports: Directory) throws -> Directory {
    guard isJob(job, in: reports), let folder = try? reports.directory(job) else {
        throw UsageError("there is no report of a job '\(shown(job))' below \(reports.path)")
    }
    return folder
}

private func show(_ job: String, _ run: String, _ format: String, in reports: Directory) throws {
    let folder = try folder(of: job, in: reports)
    guard !run.contains("/") else { throw UsageError("'\(shown(run))' is no run") }
    do {
        switch format {
        case "json": try RunReport.copy(run, in: folder) { try printOutput(Array($0)) }
        case "html": try printOutput(RunPage.page(of: run, in: folder))
        default:
            let report = try RunReport.read(run, in: folder)
            try printOutput(summary(of: report, path: folder.below("\(report.run.id).json")))
        }
    } catch let error as SystemError where error.isMissing {
        throw UsageError(
            run == "latest"
                ? "job '\(shown(job))' has no report yet in \(folder.path): its first run has not ended"
                : "job '\(shown(job))' has no report \(shown(run)) in \(folder.path)")
    }
}

/// One line, or one JSON object a line, for each difference.
private func showDiff(
    _ job: String, from older: String, to newer: String, isJSON: Bool, in reports: Directory
) throws {
    let folder = try folder(of: job, in: reports)
    guard !older.contains("/"), !newer.contains("/") else { throw UsageError("a run id has no '/'") }
    do {
        let newest = try RunReport.read(newer, in: folder).run.id
        let oldest = try RunReport.read(older, in: folder).run.id
        var counts: [RunDiff.Kind: Int] = [:]
        try RunDiff.compare(oldest, with: newest, in: folder) { entry in
            counts[entry.kind, default: 0] += 1
            try printOutput(isJSON ? json(entry) : Array(text(entry).utf8))
        }
        if !isJSON {
            let told = RunDiff.Kind.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
            try printOutput("\(shown(job)): \(told), from \(oldest) to \(newest)\n")
        }
    } catch let error as SystemError where error.isMissing {
        throw UsageError("job '\(shown(job))' has no such run in \(folder.path): \(shown("\(error)"))")
    }
}

private func text(_ entry: RunDiff.Entry) -> String {
    let detail = entry.message ?? entry.name ?? ""
    let kind = entry.kind.rawValue + String(repeating: " ", count: 14 - entry.kind.rawValue.utf8.count)
    return "\(kind)\(shown(entry.url))\(detail.isEmpty ? "" : "  \(shown(detail))")\n"
}

private func json(_ entry: RunDiff.Entry) -> [UInt8] {
    var json = JSONText()
    json.object { json in
        json.field("change", entry.kind.rawValue)
        json.field("url", entry.url)
        json.field("name", entry.name)
        json.field("message", entry.message)
    }
    json.endDocument()
    return json.bytes
}
