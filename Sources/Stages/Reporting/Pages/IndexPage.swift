package import Model
import Times

/// A job on the page of all jobs.
package struct JobOverview: Sendable {
    package struct Run: Sendable {
        package var id: String
        /// Seconds since 1970.
        package var started: Double
        package var seconds: Double
        /// nil while it runs.
        package var status: RunStatus?
        package var bytes: Int64
        package var failed: Int

        package init(id: String, started: Double, seconds: Double, status: RunStatus?, bytes: Int64, failed: Int) {
            self.id = id
            self.started = started
            self.seconds = seconds
            self.status = status
            self.bytes = bytes
            self.failed = failed
        }
    }

    package struct Bundle: Sendable {
        package var path: String
        package var bytes: Int64
        package var sha256: String
        /// Seconds since 1970.
        package var created: Double

        package init(path: String, bytes: Int64, sha256: String, created: Double) {
            self.path = path
            self.bytes = bytes
            self.sha256 = sha256
            self.created = created
        }
    }

    package var job: String
    /// The oldest first.
    package var runs: [Run] = []
    /// The newest first.
    package var bundles: [Bundle] = []
    /// Seconds since 1970; nil without a schedule.
    package var nextDue: Double?
    /// Since when it should have run.
    package var dueSince: Double?

    package init(job: String) { self.job = job }
}

/// The page of all jobs of a root, for `reports/index.html`.
package func indexPage(_ jobs: [JobOverview], at seconds: Double) -> [UInt8] {
    Markup.page(title: "Nightjar: \(shown(jobs.count, "job"))") { page in
        page.raw("<h1>Nightjar</h1>\n")
        page.element("p", "class=\"soft\"", "As of \(pageTime(RFC3339.format(seconds)))")
        page.raw("<h2>Jobs</h2>\n")
        page.head(
            ["Job", "Last run", "Next due", "Status", "Bytes", "Seconds"],
            caption: "The last 30 runs of each job, the newest to the right")
        for job in jobs { row(job, &page) }
        page.endTable()
        bundles(jobs, &page)
    }
}

private func row(_ job: JobOverview, _ page: inout Markup) {
    page.raw("<tr><th scope=\"row\" class=\"word\">")
    if job.runs.isEmpty { page.text(job.job) } else { page.fileLink("\(job.job)/latest.html", job.job) }
    page.raw("</th><td>")
    if let last = job.runs.last {
        page.element("span", "class=\"status \(last.status?.pageClass ?? "soft")\"", last.status?.rawValue ?? "running")
        page.raw("<br>")
        page.text(pageTime(RFC3339.format(last.started)))
        if last.failed > 0 { page.text(", \(last.failed) failed") }
    } else {
        page.text("never")
    }
    page.raw("</td><td>")
    if let since = job.dueSince {
        page.element("span", "class=\"overdue\"", "overdue since \(pageTime(RFC3339.format(since)))")
    } else if let next = job.nextDue {
        page.text(pageTime(RFC3339.format(next)))
    }
    page.raw("</td>")
    let runs = Array(job.runs.suffix(30))
    strip(runs, job.job, "status", &page) { _ in 1 }
    strip(runs, job.job, "bytes", &page) { Double($0.bytes) }
    strip(runs, job.job, "seconds", &page) { $0.seconds }
    page.raw("</tr>\n")
}

/// A bar for each run, as high as its value is against the largest.
private func strip(
    _ runs: [JobOverview.Run], _ job: String, _ what: String, _ page: inout Markup,
    _ value: (JobOverview.Run) -> Double
) {
    let largest = max(runs.map(value).max() ?? 0, 1e-9)
    page.raw(
        "<td><svg role=\"img\" width=\"\(max(runs.count, 1) * 6)\" viewBox=\"0 0 \(max(runs.count, 1) * 6) 28\""
            + " preserveAspectRatio=\"none\" aria-label=\""
    )
    page.text("\(what) of the last \(shown(runs.count, "run")) of \(job)")
    page.raw("\">")
    for (index, run) in runs.enumerated() {
        let height = Int(min(28, max(1, (value(run) / largest * 28).rounded())))
        let style = what == "status" ? run.status?.rawValue ?? "plain" : "plain"
        page.raw(
            "<rect class=\"\(style)\" x=\"\(index * 6)\" y=\"\(28 - height)\" width=\"5\" height=\"\(height)\"><title>")
        page.text(
            "\(pageTime(RFC3339.format(run.started))): \(run.status?.rawValue ?? "running"), "
                + "\(shown(bytes: run.bytes)), \(shown(seconds: run.seconds))")
        page.raw("</title></rect>")
    }
    page.raw("</svg></td>")
}

private func bundles(_ jobs: [JobOverview], _ page: inout Markup) {
    guard jobs.contains(where: { !$0.bundles.isEmpty }) else { return }
    page.raw("<h2>Bundles</h2>\n")
    page.head(["Job", "Bundle", "Written", "Size", "SHA-256"], caption: "The newest of each job")
    for job in jobs {
        for bundle in job.bundles {
            page.raw("<tr>")
            page.element("td", "class=\"kind\"", job.job)
            page.raw("<td>")
            page.fileLink("../\(bundle.path)", bundle.path)
            page.raw("</td>")
            page.element("td", "", pageTime(RFC3339.format(bundle.created)))
            page.element("td", "class=\"number\"", shown(bytes: bundle.bytes))
            page.raw("<td>")
            page.element("code", "class=\"copy\"", bundle.sha256)
            page.raw("</td></tr>\n")
        }
    }
    page.endTable()
}
