import Files
import Glibc
import Reporting

/// `nightjar report`.
@Sendable func showReport(_ invocation: Invocation) async throws -> Int32 {
    let format = invocation[.format] ?? "text"
    guard ["text", "json"].contains(format) else {
        let later = format == "html" ? " (html is not supported yet)" : ""
        throw UsageError("--format is text or json, not '\(shown(format))'\(later)")
    }
    guard invocation.arguments.count <= 1 else { throw UsageError("nightjar report takes one job") }
    let root = try invocation.rootFolder()
    let reports: Directory
    do { reports = try Directory(root).directory("reports") } catch {
        throw UsageError("no run has been reported below \(root): \(error.reason)")
    }
    if let job = invocation.arguments.first {
        try show(job, invocation[.run] ?? "latest", format, in: reports)
        return 0
    }
    for job in try reports.names().filter({ !$0.hasPrefix(".") }).sorted() {
        do { try show(job, invocation[.run] ?? "latest", format, in: reports) } catch let error as UsageError {
            // A first run may still go on, or have been killed: the other jobs have something to show.
            printError("nightjar: \(error.message)\n")
        }
    }
    return 0
}

private func show(_ job: String, _ run: String, _ format: String, in reports: Directory) throws {
    guard !run.contains("/"), let folder = try? reports.directory(job) else {
        throw UsageError("there is no report of a job '\(shown(job))' below \(reports.path)")
    }
    do {
        if format == "json" {
            write(try RunReport.json(run, in: folder), to: STDOUT_FILENO)
        } else {
            let report = try RunReport.read(run, in: folder)
            printOutput(summary(of: report, path: folder.below("\(report.run.id).json")))
        }
    } catch let error as SystemError where error.isMissing {
        throw UsageError("job '\(shown(job))' has no report \(shown(run)) in \(folder.path)")
    }
}
