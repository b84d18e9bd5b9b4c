import Files
import Glibc
import Reporting
import Running

/// `nightjar run`.
@Sendable func runJobs(_ invocation: Invocation) async throws -> Int32 {
    if invocation.has(.dryRun) { return try await planJobs(invocation) }
    guard let jobs = try invocation.loadJobs() else { return 2 }
    let root = try invocation.rootFolder()
    var options = try invocation.runOptions()
    options.runsOnlyDue = invocation.has(.due)
    let terminal = try liveTerminal(invocation)
    options.showsProgress = terminal == nil && invocation[.progress] != "never"
    if let terminal {
        options.printError = { terminal.print($0) }
        options.watch = { terminal.receive($0, $1) }
    }
    defer { terminal?.close() }
    if !options.isQuiet {
        options.finished = { name in
            let folder = try Directory(root).directory("reports/\(name.job)")
            let report = try RunReport.read(name.run, in: folder)
            let text = summary(of: report, path: folder.below("\(name.run).json"))
            if let terminal { terminal.output(text) } else { tell(text) }
        }
    }
    let interruption = Interruption()
    try Signals.watch({ interruption.stop(.signal($0)) }, last: { terminal?.close() })
    let status = try await Runner(root: root, options: options, interruption: interruption).run(jobs)
    do { try await Overview.write(root: root, jobs: invocation.jobsThatCanBeRead()) } catch {
        // The page is a convenience: every run has its report by now.
        options.complain("nightjar: the page of all jobs could not be written: \(error)")
    }
    return status
}

/// The live view that was asked for, or that a person at a terminal gets; nil for none.
func liveTerminal(_ invocation: Invocation) throws -> Terminal? {
    switch invocation[.progress] ?? "auto" {
    case "never": return nil
    case "always": return Terminal()
    case "auto":
        let isDumb = ["dumb", ""].contains(invocation.environment["TERM"] ?? "")
        let isWanted = !invocation.has(.quiet) && invocation[.logFormat] != "json"
        return isWanted && !isDumb && isatty(STDERR_FILENO) == 1 ? Terminal() : nil
    case let other: throw UsageError("--progress is auto, always or never, not '\(shown(other))'")
    }
}

extension Invocation {
    /// What `run` and `daemon` have in common.
    /// - Throws: ``UsageError``.
    func runOptions() throws -> RunOptions {
        var options = RunOptions(
            processID: getpid(), environment: environment, printError: { write($0, to: STDERR_FILENO) },
            finished: { _ in })
        options.isQuiet = has(.quiet)
        options.isForJournal = isJournal(environment)
        options.jobsAtOnce = try jobsAtOnce()
        if let path = self[.metrics] {
            if path.isEmpty { throw UsageError("--metrics needs a file") }
            options.metrics = path
        }
        if let name = self[.logFormat] {
            guard let format = LogFormat(rawValue: name) else {
                throw UsageError("--log-format is text or json, not '\(shown(name))'")
            }
            options.logFormat = format
        }
        return options
    }

    /// - Throws: ``UsageError`` for what is no number of jobs.
    private func jobsAtOnce() throws -> Int {
        guard let text = self[.jobsAtOnce] else { return 2 }
        guard let number = Int(text), (1...64).contains(number) else {
            throw UsageError("--jobs-at-once is a number from 1 to 64, not '\(shown(text))'")
        }
        return number
    }
}
