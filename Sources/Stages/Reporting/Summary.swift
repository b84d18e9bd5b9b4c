import Model
import Times

/// A run at a glance, a dozen lines at most.
/// - Parameter path: of the report, for those who want all of it.
package func summary(of report: RunReport, path: String) -> String {
    var lines = [headline(report)]
    let counts = report.counts
    if counts.pages > 0 || counts.links > 0 {
        lines.append("  read       \(shown(counts.pages, "page")) with \(shown(counts.links, "link"))")
    }
    lines.append("  items      \(items(counts))\(changes(report.changes))")
    lines.append("  bytes      \(bytes(report))")
    lines += failures(report.failures)
    lines += warnings(report.warnings)
    lines += bundles(report)
    lines.append("  report     \(shown(path))")
    return lines.joined(separator: "\n") + "\n"
}

extension RunReport.Run {
    /// How long the run took; nil when its times cannot be read.
    var seconds: Double? {
        guard let started = RFC3339.parse(started), let finished = RFC3339.parse(finished) else { return nil }
        return max(finished - started, 0)
    }
}

private func headline(_ report: RunReport) -> String {
    let run = report.run
    let time = run.seconds.map { " in \(shown(seconds: $0))" } ?? ""
    return "\(shown(run.job)): \(run.status.rawValue)\(time), run \(run.id)"
}

func items(_ counts: RunCounts) -> String {
    let parts = [
        (counts.downloaded, "downloaded"), (counts.duplicate, "duplicate"), (counts.unchanged, "unchanged"),
        (counts.skipped, "skipped"), (counts.gone, "gone"), (counts.failed, "failed"),
    ]
    let told = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return told.isEmpty ? "none" : told.joined(separator: ", ")
}

/// Held against what the job had before the run.
private func changes(_ changes: RunChanges) -> String {
    let parts = [
        (changes.new, "+\(changes.new) new"), (changes.changed, "\(changes.changed) changed"),
        (changes.gone, "\(changes.gone) gone"),
    ]
    let told = parts.filter { $0.0 > 0 }.map(\.1)
    return told.isEmpty ? "" : " (\(told.joined(separator: ", ")))"
}

private func bytes(_ report: RunReport) -> String {
    let bytes = report.bytes
    var text = "\(shown(bytes: bytes.received)) received"
    if let seconds = report.run.seconds, seconds >= 1, bytes.received > 0 {
        text += " (\(shown(bytes: bytes.received, in: seconds)))"
    }
    text += ", \(shown(bytes: bytes.stored)) stored"
    if bytes.deduplicated > 0 { text += ", \(shown(bytes: bytes.deduplicated)) saved as duplicates" }
    return text
}

/// Grouped by error and host, the largest group first, each with its first example.
private func failures(_ failures: FailureGroups) -> [String] {
    let groups = failures.sorted
    var lines = groups.prefix(2).map { group in
        let place = group.host.isEmpty ? "" : " at \(shown(group.host))"
        return "  failed     \(group.count) \(group.code)\(place), first \(shown(group.first.url)): "
            + shown(group.first.error?.message ?? "")
    }
    let rest = groups.dropFirst(2)
    if let third = rest.first, rest.count == 1 {
        lines.append("  failed     \(third.count) \(third.code) at \(shown(third.host))")
    } else if !rest.isEmpty {
        let count = rest.reduce(failures.others) { $0 + $1.count }
        lines.append("  failed     \(count) more, of \(rest.count) kinds or hosts")
    }
    return lines
}

private func warnings(_ warnings: [RunWarning]) -> [String] {
    let others = warnings.filter { $0.code != "bundle-omitted" }
    guard let first = others.first else { return [] }
    let more = others.count > 1 ? " (and \(others.count - 1) more)" : ""
    return ["  warning    \(shown(first.message))\(more)"]
}

private func bundles(_ report: RunReport) -> [String] {
    let shownBundles = report.bundles.count > 2 ? 1 : 2
    var written = report.bundles.prefix(shownBundles).map { bundle in
        "  bundle     \(shown(bundle.path)), \(bundle.entries) entries, \(shown(bytes: bundle.bytes))"
            + handoffs(bundle.handoffs)
    }
    let rest = report.bundles.dropFirst(shownBundles)
    if !rest.isEmpty { written.append("  bundle     and \(rest.count) more") }
    let reasons = report.warnings.filter { $0.code == "bundle-omitted" }
    let omitted = reasons.first.map { first in
        "  no bundle  \(shown(first.message))" + (reasons.count > 1 ? " (and \(reasons.count - 1) more)" : "")
    }
    return written + (omitted.map { [$0] } ?? [])
}

private func handoffs(_ handoffs: [HandoffRecord]) -> String {
    handoffs.isEmpty ? "" : ", " + handoffs.map { "\($0.status.rawValue) to \(shown($0.to))" }.joined(separator: ", ")
}
