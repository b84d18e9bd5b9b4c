package import Files
package import Model

/// One run as a page for people: a fold over its items that keeps a bounded number of rows, so that a run of a million
/// items has a page of the same size as one of a thousand. All items are in the items file beside it.
package struct RunPage: Sendable {
    /// A row is some 300 bytes: a page stays well below 1 MB.
    private static let mostRows = 1200
    private static let mostReasons = 50
    private static let mostBytes = 900_000

    private var rows: [ItemStatus: [ItemRecord]] = [:]
    private var reasons: [String: Int] = [:]
    private var reasonOrder: [String] = []
    private var otherReasons = 0

    package init() {}

    package mutating func add(_ record: ItemRecord) {
        if record.status == .skipped { count(record.reason ?? "") }
        if rows[record.status, default: []].count < limit(record.status) {
            rows[record.status, default: []].append(record)
        }
    }

    /// What somebody reviews comes first; of the rest there are examples.
    private func limit(_ status: ItemStatus) -> Int {
        switch status {
        case .failed, .downloaded: 400
        case .gone: 200
        case .duplicate: 100
        case .unchanged, .skipped: 50
        }
    }

    private mutating func count(_ reason: String) {
        if reasons[reason] == nil {
            guard reasons.count < Self.mostReasons else {
                otherReasons += 1
                return
            }
            reasonOrder.append(reason)
        }
        reasons[reason, default: 0] += 1
    }

    /// The page of a run whose report and items file are there.
    /// - Throws: `SystemError` when one is not there, ``ReportError`` when it is no report.
    package static func page(of run: String, in folder: Directory) throws -> [UInt8] {
        let report = try RunReport.read(run, in: folder)
        var page = RunPage()
        var lines = try ItemLines(of: report.run.id, in: folder)
        while case let records = try lines.next(), !records.isEmpty {
            for record in records { page.add(record) }
        }
        return page.render(report)
    }

    /// The page.
    package func render(_ report: RunReport) -> [UInt8] {
        let run = report.run
        return Markup.page(title: "\(run.job): \(run.status.rawValue), \(pageTime(run.started))") { page in
            heading(report, &page)
            figures(report, &page)
            failures(report.failures, &page)
            warnings(report.warnings, &page)
            bundles(report.bundles, &page)
            items(report, &page)
            skipped(report.counts.skipped, &page)
        }
    }

    private func heading(_ report: RunReport, _ page: inout Markup) {
        let run = report.run
        page.raw("<p class=\"soft\">")
        page.fileLink("../index.html", "All jobs")
        page.raw("</p>\n<h1>")
        page.text(run.job)
        page.raw(" <span class=\"status \(run.status.pageClass)\">")
        page.text(run.status.rawValue)
        page.raw("</span></h1>\n<p>")
        page.text(
            "\(pageTime(run.started))\(run.seconds.map { ", \(shown(seconds: $0))" } ?? ""), exit status \(run.exitStatus)"
        )
        page.raw("</p>\n<p>")
        page.fileLink("\(run.id).json", "Report")
        page.raw(", ")
        page.fileLink("\(run.id).items.jsonl", "every item")
        page.raw(", ")
        page.fileLink("\(run.id).log", "log")
        page.raw("</p>\n")
    }

    private func figures(_ report: RunReport, _ page: inout Markup) {
        let (counts, bytes, changes) = (report.counts, report.bytes, report.changes)
        var facts = [
            ("Items", Reporting.items(counts)),
            ("Against before", "\(changes.new) new, \(changes.changed) changed, \(changes.gone) gone"),
            ("Read", "\(shown(counts.pages, "page")) with \(shown(counts.links, "link"))"),
            (
                "Bytes",
                "\(shown(bytes: bytes.received)) received, \(shown(bytes: bytes.stored)) stored, "
                    + "\(shown(bytes: bytes.deduplicated)) saved as duplicates"
            ),
        ]
        if let seconds = report.run.seconds, seconds >= 1 {
            facts.append(("Rate", shown(bytes: bytes.received, in: seconds)))
        }
        facts += [("Run", report.run.id), ("Manifest SHA-256", report.run.manifestSHA256)]
        page.raw("<h2>At a glance</h2>\n<dl>\n")
        for (name, value) in facts {
            page.element("dt", "", name)
            page.element("dd", "", value)
            page.raw("\n")
        }
        page.raw("</dl>\n")
    }

    private func failures(_ failures: FailureGroups, _ page: inout Markup) {
        guard failures.total > 0 else { return }
        let groups = failures.sorted
        page.raw("<h2>Failed</h2>\n")
        page.head(["Error", "Host", "Items", "First example"], caption: "\(failures.total) failed, by error and host")
        for group in groups.prefix(50) {
            page.raw("<tr>")
            page.element("td", "class=\"failed word\"", group.code)
            page.element("td", "class=\"word\"", group.host)
            page.element("td", "class=\"number\"", "\(group.count)")
            page.element("td", "", clipped("\(group.first.url): \(group.first.error?.message ?? "")"))
            page.raw("</tr>\n")
        }
        page.endTable()
        let rest = groups.dropFirst(50).reduce(failures.others) { $0 + $1.count }
        if rest > 0 { page.element("p", "class=\"soft\"", "\(rest) more failed at other hosts or otherwise.") }
    }

    private func warnings(_ warnings: [RunWarning], _ page: inout Markup) {
        guard !warnings.isEmpty else { return }
        page.raw("<h2>Warnings</h2>\n")
        page.head(["Code", "What", "Where"], caption: shown(warnings.count, "warning"))
        for warning in warnings.prefix(200) {
            page.row([warning.code, clipped(warning.message), clipped(warning.url ?? "")])
        }
        page.endTable()
        if warnings.count > 200 {
            page.element("p", "class=\"soft\"", "\(warnings.count - 200) more are in the report.")
        }
    }

    private func bundles(_ bundles: [BundleRecord], _ page: inout Markup) {
        guard !bundles.isEmpty else { return }
        page.raw("<h2>Bundles</h2>\n")
        page.head(["Bundle", "Files", "Size", "SHA-256", "Hand-off"], caption: "Written in this run")
        for bundle in bundles {
            page.raw("<tr><td>")
            page.fileLink("../../\(bundle.path)", bundle.path)
            page.raw("</td>")
            page.element("td", "class=\"number\"", "\(bundle.entries)")
            page.element("td", "class=\"number\"", shown(bytes: bundle.bytes))
            page.raw("<td>")
            page.element("code", "class=\"copy\"", bundle.sha256)
            page.raw("</td>")
            page.element(
                "td", "", bundle.handoffs.map { "\($0.status.rawValue): \($0.to)" }.joined(separator: "; "))
            page.raw("</tr>\n")
        }
        page.endTable()
    }

    private func items(_ report: RunReport, _ page: inout Markup) {
        let shownRows = [ItemStatus.failed, .gone, .downloaded, .duplicate, .unchanged, .skipped]
            .flatMap { rows[$0] ?? [] }.prefix(Self.mostRows)
        guard !shownRows.isEmpty else { return }
        page.raw("<h2>Items</h2>\n")
        filters(Set(shownRows.map(\.status)), &page)
        page.raw("<table data-sorts><caption>")
        let total = report.counts.items
        var lines = Markup()
        var count = 0
        for record in shownRows {
            // Long names and URLs make long rows.
            if page.bytes.count + lines.bytes.count > Self.mostBytes { break }
            row(record, job: report.run.job, &lines)
            count += 1
        }
        page.text(
            count < total
                ? "The first \(count) of \(total) items, failures first; every item is in the items file"
                : shown(total, "item"))
        page.raw("</caption>\n<thead><tr>")
        for title in ["Status", "Name and URL", "Type", "Size", "Why, or SHA-256"] {
            page.element("th", "scope=\"col\"", title)
        }
        page.raw("</tr></thead>\n<tbody>\n")
        page.append(lines)
        page.endTable()
    }

    private func filters(_ statuses: Set<ItemStatus>, _ page: inout Markup) {
        page.raw("<form role=\"search\"><label>Filter <input type=\"search\"></label>")
        for status in ItemStatus.allCases where statuses.contains(status) {
            page.raw(
                "<label><input type=\"checkbox\" value=\"\(status.rawValue)\" checked> \(status.rawValue)</label>")
        }
        page.raw("<output aria-live=\"polite\"></output></form>\n")
    }

    private func row(_ record: ItemRecord, job: String, _ page: inout Markup) {
        let status = record.status
        page.raw("<tr data-kind=\"\(status.rawValue)\"><td class=\"kind \(status == .failed ? "failed" : "")\">")
        page.text(record.change.map { "\(status.rawValue), \($0.rawValue)" } ?? status.rawValue)
        page.raw("</td><td>")
        if let name = record.name {
            page.fileLink("../../files/\(job)/\(name)", name)
            page.raw("<br>")
        }
        page.element("span", "class=\"soft\"", clipped(record.url))
        page.raw("</td>")
        page.element("td", "class=\"word\"", clipped(record.contentType ?? ""))
        page.element(
            "td", "class=\"number\" data-value=\"\(record.bytes ?? 0)\"", record.bytes.map { shown(bytes: $0) } ?? "")
        page.raw("<td>")
        if let error = record.error {
            page.text("\(error.code.rawValue): \(clipped(error.message))")
        } else if let reason = record.reason {
            page.text(clipped(reason))
        } else if let duplicate = record.duplicateOf {
            page.text("same as \(duplicate)")
        } else if let sha256 = record.sha256 {
            page.element("code", "", sha256)
        }
        page.raw("</td></tr>\n")
    }

    private func skipped(_ total: Int, _ page: inout Markup) {
        guard !reasons.isEmpty else { return }
        page.raw("<h2>Left out</h2>\n")
        page.head(["Why", "Links"], caption: "\(shown(total, "link")) left out, by reason")
        for reason in reasonOrder.sorted(by: { (reasons[$0] ?? 0) > (reasons[$1] ?? 0) }) {
            page.raw("<tr>")
            page.element("td", "", clipped(reason))
            page.element("td", "class=\"number\"", "\(reasons[reason] ?? 0)")
            page.raw("</tr>\n")
        }
        if otherReasons > 0 { page.row(["other reasons", "\(otherReasons)"]) }
        page.endTable()
    }
}

extension RunStatus {
    /// `skipped` is also what items can be, and means something else there.
    var pageClass: String { self == .skipped ? "skipped-run" : rawValue }
}

extension RunCounts {
    /// All lines of the items file.
    package var items: Int { downloaded + unchanged + duplicate + skipped + failed + gone }
}

/// A text that may be long, for a table's cell.
private func clipped(_ text: String) -> String { text.utf8.count <= 400 ? text : text.prefix(300) + "…" }
