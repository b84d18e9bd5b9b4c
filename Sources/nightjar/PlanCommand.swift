import Files
import Glibc
import Model
import Reporting
import Running
import Scheduling
import Times

/// `nightjar plan`.
@Sendable func planJobs(_ invocation: Invocation) async throws -> Int32 {
    if invocation.arguments.isEmpty, !invocation.has(.dryRun) { throw UsageError("nightjar plan needs a job or file") }
    guard var jobs = try invocation.loadJobs() else { return 2 }
    if invocation.has(.due) {
        jobs = try await DueCheck.plan(jobs, root: invocation.rootFolder(), at: currentTime()).due
    }
    let interruption = Interruption()
    try Signals.watch { interruption.stop(.signal($0)) }
    let options = RunOptions(
        processID: getpid(), environment: invocation.environment, printError: { write($0, to: STDERR_FILENO) },
        finished: { _ in })
    var status: Int32 = 0
    for job in jobs where interruption.reason == nil {
        let scratch = try TemporaryFolder(below: invocation.environment["TMPDIR"] ?? "/tmp")
        let planner = Planner(
            scratch: scratch.path, root: try? invocation.rootFolder(), options: options, interruption: interruption)
        var totals = PlanTotals()
        let code = try await planner.plan(job) { line in
            totals.count(line)
            try printOutput(text(line) + "\n")
        }
        try printOutput("\(job.name): \(totals.text)\n")
        status = max(status, code)
    }
    return status
}

private func text(_ line: PlanLine) -> String {
    switch line {
    case .page(let url, let reason): "page      \(shown(url))  \(shown(reason))"
    case .download(let url, let name, let reason): "download  \(shown(url))  as \(shown(name))  \(shown(reason))"
    case .skip(let url, let reason): "skip      \(shown(url))  \(shown(reason))"
    case .failed(let url, let failure): "failed    \(shown(url))  \(failure.code.rawValue): \(shown(failure.message))"
    }
}

private struct PlanTotals {
    private var pages = 0
    private var downloads = 0
    private var skipped = 0
    private var failed = 0

    mutating func count(_ line: PlanLine) {
        switch line {
        case .page: pages += 1
        case .download: downloads += 1
        case .skip: skipped += 1
        case .failed: failed += 1
        }
    }

    var text: String {
        "\(shown(pages, "page")) read, \(downloads) to download, \(skipped) left out, \(failed) failed"
    }
}
