import Files
import Model
import Naming
import Reporting
import Storing
import Times
import URLs

extension Rebuilder {
    mutating func tell(_ told: ToldRun) async throws {
        let reports: Directory
        do { reports = try folder.directory("reports/\(told.job)") } catch {
            result.warnings.append("\(error); what it told is lost")
            return
        }
        guard try await !store.catalog.knows(run: told.id) else {
            result.warnings.append("\(told.path): another job's reports tell of the same run; it was passed over")
            return
        }
        let report = read(told, in: reports)
        let started = report.flatMap { RFC3339.parse($0.run.started) } ?? startTime(ofRun: told.id) ?? 0
        let identity = RunIdentity(
            id: told.id, job: told.job, manifestSHA256: report?.run.manifestSHA256 ?? "", started: started)
        let number = try await store.catalog.insert(identity)
        result.runs += 1
        let yield = try await tellItems(of: told, number, in: reports, report)
        guard let report else {
            let end = RunEnd(status: .interrupted, exitStatus: 0, finished: started)
            try await store.catalog.end(number, end, counts: "{}")
            return
        }
        let finished = RFC3339.parse(report.run.finished) ?? started
        let isNewest = try await store.catalog.isNewest(number)
        if [.succeeded, .partial].contains(report.run.status), isNewest {
            let collapse = report.warnings.first { $0.code == "yield-drop" }?.message
            try await store.catalog.record(yield, of: number, collapse: collapse)
        }
        for bundle in report.bundles {
            try await store.record(bundle, of: number, created: finished, at: now) {
                $0.time.flatMap { RFC3339.parse($0) } ?? finished
            }
        }
        let end = RunEnd(status: report.run.status, exitStatus: report.run.exitStatus, finished: finished)
        try await store.catalog.end(number, end, counts: countsJSON(report.counts, report.bytes))
    }

    /// - Returns: nil, with the reason told, where there is no whole report.
    private mutating func read(_ told: ToldRun, in reports: Directory) -> RunReport? {
        do { return try RunReport.read(told.id, in: reports) } catch {
            result.warnings.append("\(error); how that run ended, and its bundles, are lost")
            return nil
        }
    }

    private mutating func tellItems(
        of told: ToldRun, _ number: RunNumber, in reports: Directory, _ report: RunReport?
    ) async throws -> RunYield {
        var yield = RunYield(links: report?.counts.links ?? 0)
        let path = reports.below("\(told.id).items.jsonl")
        var count = 0
        do {
            var lines = try ItemLines(of: told.id, in: reports)
            while true {
                let records = try lines.next()
                if records.isEmpty { break }
                for record in records { yield.count(record) }
                result.mended += try await store.record(records.compactMap(Self.told), of: number, job: told.job)
                count += records.count
            }
            if lines.badLines > 0 {
                result.warnings.append("\(path): \(lines.badLines) lines are damaged; what they told is lost")
            }
        } catch let error as SystemError {
            result.warnings.append("\(error); what that run's items were is lost")
        }
        result.items += count
        if let counts = report?.counts {
            let all = counts.downloaded + counts.unchanged + counts.duplicate + counts.skipped + counts.failed
            if all + counts.gone > count {
                result.warnings.append(
                    "\(path) tells of \(count) items and the report of \(all + counts.gone); the rest is lost")
            }
        }
        return yield
    }

    private static func told(_ record: ItemRecord) -> ToldItem? {
        guard let url = WebURL(record.url) else { return nil }
        return ToldItem(
            record: record, key: url.key, finalKey: record.finalURL.flatMap { WebURL($0)?.key },
            referrerKey: record.referrer.flatMap { WebURL($0)?.key }, folded: record.name.map { SafeName.folded($0) })
    }
}
