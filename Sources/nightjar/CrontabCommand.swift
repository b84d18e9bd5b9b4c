import Files
import Glibc
import Model
import Reporting
import Running
import Scheduling
import Times

/// `nightjar crontab`.
@Sendable func printCrontab(_ invocation: Invocation) async throws -> Int32 {
    guard let jobs = try invocation.loadJobs(needsSecrets: false) else { return 2 }
    let scheduled = jobs.filter { $0.schedule != nil }
    guard !scheduled.isEmpty else {
        throw UsageError(
            "no job has a schedule, so there is nothing to start; give one to a manifest: schedule: \"@daily\"")
    }
    let place = InstallPlace(
        program: try programPath(), root: absolutePath(try invocation.rootFolder()),
        jobs: absolutePath(try invocation.jobsFolder()), named: invocation.arguments.map(absoluteIfFile))
    try place.check()
    if invocation.has(.systemd) {
        let units = SystemdUnits(place: place, jobs: scheduled, zone: systemZone(invocation.environment))
        guard let folder = invocation[.into] else {
            try printOutput(units.all().map { "# \($0.name)\n\($0.text)" }.joined(separator: "\n"))
            return 0
        }
        let directory = try Directory(folder)
        for unit in try units.all() {
            try directory.replace(unit.name, with: Array(unit.text.utf8))
            try printOutput("\(directory.below(unit.name))\n")
        }
        return 0
    }
    if invocation.has(.into) { throw UsageError("--into goes with --systemd; a crontab goes to 'crontab -'") }
    try printOutput(crontab(place, jobs, zone: systemZone(invocation.environment)))
    return 0
}

/// Where the program, its root and its jobs are, absolute: what cron and systemd start knows no working directory.
struct InstallPlace {
    let program: String
    let root: String
    let jobs: String
    /// The jobs or files that were named; all in the folder when empty.
    let named: [String]

    /// A line break would end the line or unit, whatever stands around it.
    func check() throws {
        for path in [program, root, jobs] + named where path.unicodeScalars.contains(where: { $0.value < 0x20 }) {
            throw UsageError("the path '\(shown(path))' holds a control character; cron and systemd cannot take it")
        }
    }

    var folder: String { program.lastIndex(of: "/").map { String(program[..<$0]) } ?? "/usr/bin" }

    /// The words of the command.
    func words(_ names: [String]) -> [String] {
        [program, "run", "--due", "--quiet", "--jobs", jobs, "--root", root] + names
    }
}

private func crontab(_ place: InstallPlace, _ jobs: [Job], zone: Zone) throws -> String {
    let minutes = try MinutesOfHour(of: jobs, in: zone, from: currentTime())
    var lines = [
        "# Looks after all jobs at the minutes when one may be due; each runs at its own times, in its own zone.",
        "# Runs of one job never overlap. Ready for: nightjar crontab | crontab -   (which replaces your crontab)",
    ]
    lines += jobs.filter { $0.schedule == nil }.map { "# \($0.name) has no schedule and runs by name only" }
    let variables = Set(
        jobs.flatMap(\.secrets).compactMap { use in
            if case .environment(let name) = use.secret { name } else { nil }
        })
    lines += variables.sorted().map { "# cron does not know the variable \($0), which a manifest needs: set it here" }
    let folders = [place.folder, "/usr/local/bin", "/usr/bin", "/bin"]
    let path = folders.enumerated().filter { folders.firstIndex(of: $0.element) == $0.offset }.map(\.element)
    lines.append("PATH=\(path.joined(separator: ":"))")
    let command = place.words(place.named).map(quotedForShell).joined(separator: " ")
    // Debian's cron cuts longer ones off.
    guard command.utf8.count < 900 else {
        throw UsageError("the line would be longer than cron takes; put the manifests into one folder and name none")
    }
    // cron takes a plain % for the end of the line.
    lines.append("\(minutes.cron) * * * * \(command.replacing("%", with: "\\%"))")
    return lines.joined(separator: "\n") + "\n"
}

/// A word as sh takes it.
private func quotedForShell(_ word: String) -> String {
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@,="
    if !word.isEmpty, word.utf8.allSatisfy({ plain.utf8.contains($0) }) { return word }
    return "'" + word.replacing("'", with: "'\\''") + "'"
}

/// Our own path, links resolved.
private func programPath() throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { throw UsageError("the program's own path cannot be found: is /proc mounted?") }
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

private func absoluteIfFile(_ word: String) -> String { isManifestPath(word) ? absolutePath(word) : word }

/// The zone that cron's and systemd's own times are in.
private func systemZone(_ environment: [String: String]) -> Zone {
    if let name = environment["TZ"], let zone = try? Zone(named: name) { return zone }
    let link = (try? Directory("/etc").linkTarget("localtime")) ?? nil
    let parts = link?.split(separator: "zoneinfo/", maxSplits: 1).last.map(String.init)
    return parts.flatMap { try? Zone(named: $0) } ?? .utc
}
