import Files
import Reporting

/// A run that a report or an items file tells of.
package struct ToldRun: Sendable, Hashable {
    package let job: String
    /// By the name of its files.
    package let id: String

    /// The report's, below the root.
    package var path: String { "reports/\(job)/\(id).json" }

    /// All below a root, in the order of their ids, which sort as their times do.
    static func all(in root: Directory) throws -> [ToldRun] {
        guard let reports = try? root.directory("reports") else { return [] }
        var runs: Set<ToldRun> = []
        for job in try reports.names() where !job.hasPrefix(".") {
            guard let folder = try? reports.directory(job) else { continue }
            for name in try folder.names() {
                // A run id holds no point.
                let parts = name.split(separator: ".", maxSplits: 1)
                guard parts.count == 2, parts[1] == "json" || parts[1] == "items.jsonl",
                    startTime(ofRun: String(parts[0])) != nil
                else { continue }
                runs.insert(ToldRun(job: job, id: String(parts[0])))
            }
        }
        return runs.sorted { ($0.id, $0.job) < ($1.id, $1.job) }
    }

    /// False for the copy of another run's report. What cannot be read may be its own.
    func isOriginal(in root: Directory) -> Bool {
        guard let folder = try? root.directory("reports/\(job)"), let report = try? RunReport.read(id, in: folder)
        else { return true }
        return report.run.id == id
    }
}
