import Files
import Model
import Naming
import Reporting
import Storing
import Times
import URLs

/// Makes a lost or damaged catalog again from objects, items files and reports, as far as they tell.
package struct Rebuilder: Sendable {
    /// What could be told of.
    package struct Result: Sendable {
        package var objects = 0
        package var runs = 0
        package var items = 0
        package var warnings: [String] = []
    }

    /// Why nothing was rebuilt.
    package enum Refusal: Error, Sendable, CustomStringConvertible {
        case sound
        case busy(job: String, holder: String)

        package var description: String {
            switch self {
            case .sound: "the catalog is sound, so it was not made again"
            case .busy(let job, let holder): "job \(job) runs now (\(holder)); try again when it has ended"
            }
        }
    }

    /// - Throws: ``Refusal``, or what keeps the root from being read or written.
    package static func rebuild(_ root: String) async throws -> Result {
        if await Store.hasSoundCatalog(root) { throw Refusal.sound }
        let folder = try Directory(root)
        let jobs = try jobs(in: folder)
        let locks = try lock(jobs, in: folder)
        defer { withExtendedLifetime(locks) {} }
        let now = currentTime()
        let stamp = RFC3339.format(now).filter { $0.isNumber || $0 == "T" || $0 == "Z" }
        try Store.setAsideCatalog(in: folder, stamp: stamp)
        let store = try await Store.open(root)
        var result = Result()
        result.objects = try await store.recordObjects()
        for job in jobs {
            guard let reports = try? folder.directory("reports/\(job)") else { continue }
            // A run id sorts as its time does.
            let runs = try reports.names().filter { $0.hasSuffix(".items.jsonl") && !$0.hasPrefix(".") }
                .map { String($0.dropLast(".items.jsonl".count)) }.sorted()
            for run in runs {
                do { try await tell(run, of: job, in: reports, to: store, now, &result) } catch let error as ReportError
                {
                    result.warnings.append("\(error); what it told is lost")
                } catch let error as SystemError {
                    result.warnings.append("\(error); what it told is lost")
                }
            }
        }
        return result
    }

    private static func jobs(in root: Directory) throws -> [String] {
        var jobs: Set<String> = []
        for name in ["reports", "files"] {
            guard let folder = try? root.directory(name) else { continue }
            for job in try folder.names() where !job.hasPrefix(".") { jobs.insert(job) }
        }
        return jobs.sorted()
    }

    private static func lock(_ jobs: [String], in root: Directory) throws -> [FileLock] {
        let folder = try root.directory("locks", create: true)
        return try jobs.map { job in
            switch try FileLock.attempt("\(job).lock", in: folder, note: "nightjar verify --rebuild\n") {
            case .held(let lock): return lock
            case .taken(let holder): throw Refusal.busy(job: job, holder: String(holder.prefix { $0 != "\n" }))
            }
        }
    }

    private static func tell(
        _ run: String, of job: String, in reports: Directory, to store: Store, _ now: Double, _ result: inout Result
    ) async throws {
        let report = try RunReport.read(run, in: reports)
        let started = RFC3339.parse(report.run.started) ?? 0
        let finished = RFC3339.parse(report.run.finished) ?? started
        let identity = RunIdentity(
            id: report.run.id, job: job, manifestSHA256: report.run.manifestSHA256, started: started)
        let number = try await store.catalog.begin(identity)
        result.runs += 1
        var lines = try ItemLines(of: run, in: reports)
        var yield = RunYield(links: report.counts.links)
        while true {
            let records = try lines.next()
            if records.isEmpty { break }
            for record in records { yield.count(record) }
            try await store.record(records.compactMap(told), of: number, job: job)
            result.items += records.count
        }
        if lines.badLines > 0 {
            result.warnings.append(
                "\(reports.below("\(run).items.jsonl")): \(lines.badLines) lines are damaged; what they told is lost")
        }
        let collapse = report.warnings.first { $0.code == "yield-drop" }?.message
        if [.succeeded, .partial].contains(report.run.status) {
            try await store.catalog.record(yield, of: number, collapse: collapse)
        }
        for bundle in report.bundles {
            try await store.record(bundle, of: number, created: finished, at: now)
        }
        let end = RunEnd(status: report.run.status, exitStatus: report.run.exitStatus, finished: finished)
        try await store.catalog.end(number, end, counts: countsJSON(report.counts, report.bytes))
    }

    private static func told(_ record: ItemRecord) -> ToldItem? {
        guard let url = WebURL(record.url) else { return nil }
        return ToldItem(
            record: record, key: url.key, finalKey: record.finalURL.flatMap { WebURL($0)?.key },
            referrerKey: record.referrer.flatMap { WebURL($0)?.key }, folded: record.name.map { SafeName.folded($0) })
    }
}
