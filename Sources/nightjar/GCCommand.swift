import Model
import Reporting
import Running
import Storing
import Times

/// `nightjar gc`.
@Sendable func collectGarbage(_ invocation: Invocation) async throws -> Int32 {
    guard let jobs = try invocation.loadJobs(needsSecrets: false) else { return 2 }
    let store = try await Store.openExisting(invocation.rootFolder())
    let applies = invocation.has(.apply)
    let retention = Retention(store, at: currentTime(), applies: applies)
    var removals: [Removal] = []
    var notes: [String] = []
    var status: Int32 = 0
    for job in jobs {
        switch try await retention.perform(for: job) {
        case .removing(let some): removals += some
        case .leftAlone(let reason, let isAlarm):
            notes.append("\(job.name): nothing is removed: \(reason)")
            if isAlarm { status = 1 }
        }
    }
    var versions: [String: Int] = [:]
    for job in jobs { versions[job.name] = job.keep.versions }
    if let run = try await Rebuilder.untold(store) {
        notes.append(
            "no object is removed: the catalog does not know the run that \(run.path) tells of; "
                + "'nightjar verify --rebuild' adds such runs to it")
        status = 1
    } else if let job = try await store.unexplainedFiles() {
        notes.append(
            "no object is removed: the catalog knows no whole run of job \(job), whose files lie in files/\(job); its "
                + "next run makes them known (or move them away)")
    } else if let objects = try await retention.removeObjects(keepingVersions: versions, after: removals) {
        removals += objects
    } else {
        notes.append("objects that nothing needs stay for now, since a job runs")
    }
    if !invocation.has(.quiet) {
        for removal in removals {
            try printOutput(
                "\(applies ? "removed" : "would remove")  \(shown(removal.path))  \(shown(bytes: removal.bytes)), "
                    + "\(removal.reason)\n")
        }
        try printOutput(summary(removals, applies: applies))
    }
    if status != 0 || !invocation.has(.quiet) { for note in notes { printError("nightjar: \(shown(note))\n") } }
    return status
}

private func summary(_ removals: [Removal], applies: Bool) -> String {
    func count(_ kind: Removal.Kind) -> Int { removals.filter { $0.kind == kind }.count }
    // A file shares its bytes with its object, so only one of them counts.
    let freed = removals.filter { $0.kind != .file }.reduce(Int64(0)) { sum, removal in
        let (bytes, isTooMuch) = sum.addingReportingOverflow(removal.bytes)
        return isTooMuch ? .max : bytes
    }
    let what = [
        (count(.file), "file"), (count(.object), "object"), (count(.bundle), "bundle"), (count(.report), "report file"),
        (count(.leftover), "leftover"),
    ].filter { $0.0 > 0 }.map { shown($0.0, $0.1) }.joined(separator: ", ")
    if what.isEmpty { return "gc: there is nothing to remove\n" }
    return applies
        ? "gc: removed \(what); \(shown(bytes: freed)) are free\n"
        : "gc: would remove \(what), \(shown(bytes: freed)); nothing was removed: 'nightjar gc --apply' does it\n"
}
