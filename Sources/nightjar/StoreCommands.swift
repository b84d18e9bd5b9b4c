import Glibc
import Model
import Reporting
import Running

/// `nightjar pack`.
@Sendable func packJobs(_ invocation: Invocation) async throws -> Int32 {
    try await onStore(invocation, "pack") { pass, job in try await pass.pack(job) }
}

/// `nightjar handoff`.
@Sendable func handOffJobs(_ invocation: Invocation) async throws -> Int32 {
    let again = invocation[.again]
    if again != nil, invocation.arguments.count != 1 { throw UsageError("--again needs the one job that it is of") }
    return try await onStore(invocation, "handoff") { pass, job in
        try await pass.handOff(job, again: again, releases: invocation.has(.release))
    }
}

private func onStore(
    _ invocation: Invocation, _ name: String, _ work: (StorePass, Job) async throws -> Int32
) async throws -> Int32 {
    if invocation.arguments.isEmpty { throw UsageError("nightjar \(name) needs a job") }
    guard let jobs = try invocation.loadJobs() else { return 2 }
    let terminal = try liveTerminal(invocation)
    defer { terminal?.close() }
    var options = RunOptions(
        processID: getpid(), environment: invocation.environment, printError: { write($0, to: STDERR_FILENO) },
        finished: { _ in })
    options.isQuiet = invocation.has(.quiet)
    options.isForJournal = isJournal(invocation.environment)
    if let terminal {
        options.printError = { terminal.print($0) }
        options.watch = { terminal.receive($0, $1) }
    }
    let isQuiet = options.isQuiet
    let interruption = Interruption()
    try Signals.watch { interruption.stop(.signal($0)) }
    let pass = StorePass(root: try invocation.rootFolder(), options: options, interruption: interruption) { line in
        if isQuiet { return }
        let text = "\(shown(line))\n"
        if let terminal { terminal.output(text) } else { tell(text) }
    }
    var status: Int32 = 0
    for job in jobs where interruption.reason == nil { status = max(status, try await work(pass, job)) }
    return status
}
