import Model
import Times

/// A run at a glance, a dozen lines at most.
package func summary(of report: RunReport, path: String) -> String {
    var lines = [headline(report.run)]
    let counts = report.counts
    if counts.pages > 0 || counts.links > 0 {
        lines.append("  read       \(shown(counts.pages, "page")) with \(shown(counts.links, "link"))")
    }
    lines.append("  items      \(items(counts))")
    lines.append("  bytes      \(bytes(report.bytes))")
    lines += failures(report.failures)
    lines += warnings(report.warnings)
    lines += bundles(report)
    lines.append("  report     \(shown(path))")
    return lines.joined(separator: "\n") + "\n"
}

private func headline(_ run: RunReport.Run) -> String {
    let started = RFC3339.parse(run.started)
    let finished = RFC3339.parse(run.finished)
    let time = started.flatMap { started in finished.map { " in \(shown(seconds: $0 - started))" } } ?? ""
    return "\(shown(run.job)): \(run.status.rawValue)\(time), run \(run.id)"
}

private func items(_ counts: RunCounts) -> String {
    let parts = [
        (counts.downloaded, "downloaded"), (counts.duplicate, "duplicate"), (counts.unchanged, "unchanged"),
        (counts.skipped, "skipped"), (counts.gone, "gone"), (counts.failed, "failed"),
    ]
    let told = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return told.isEmpty ? "none" : told.joined(separator: ", ")
}

private func bytes(_ bytes: RunBytes) -> String {
    var text = "\(shown(bytes: bytes.received)) received, \(shown(bytes: bytes.stored)) stored"
    if bytes.deduplicated > 0 { text += ", \(shown(bytes: bytes.deduplicated)) saved as duplicates" }
    return text
}

/// Grouped by error code, the largest group first, each with its first example.
private func failures(_ records: [ItemRecord]) -> [String] {
    let groups = Dictionary(grouping: records) { $0.error?.code.rawValue ?? "unknown" }
        .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    var lines = groups.prefix(2).map { code, records in
        let example = records.first.map { "\(shown($0.url)): \(shown($0.error?.message ?? ""))" } ?? ""
        return "  failed     \(records.count) \(code), first \(example)"
    }
    let rest = groups.dropFirst(2)
    if !rest.isEmpty {
        lines.append("  failed     " + rest.map { "\($0.value.count) \($0.key)" }.joined(separator: ", "))
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
        "  bundle     \(shown(bundle.path)), \(shown(bundle.entries, "file")), \(shown(bytes: bundle.bytes))"
    }
    let rest = report.bundles.dropFirst(shownBundles)
    if !rest.isEmpty { written.append("  bundle     and \(rest.count) more") }
    let reasons = report.warnings.filter { $0.code == "bundle-omitted" }
    let omitted = reasons.first.map { first in
        "  no bundle  \(shown(first.message))" + (reasons.count > 1 ? " (and \(reasons.count - 1) more)" : "")
    }
    return written + (omitted.map { [$0] } ?? [])
}
