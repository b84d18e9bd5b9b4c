import Files
import Reporting

/// A run that a report or an items file tells of.
package struct ToldRun: Sendable, Hashable {
    package let job: String
    /// By the name of its files.
    package let id: String
    /// When its files were written last, in seconds since 1970: of two runs in one second it tells which was first.
    var written = 0.0

    /// The report's, below the root.
    package var path: String { "reports/\(job)/\(id).json" }

    /// All below a root, in the order of the times in their ids.
    static func all(in root: Directory) throws -> [ToldRun] {
        guard let reports = try? root.directory("reports") else { return [] }
        var runs: [String: ToldRun] = [:]
        for job in try reports.names() where !job.hasPrefix(".") {
            guard let folder = try? reports.directory(job) else { continue }
            for name in try folder.names() {
                // A run id holds no point.
                let parts = name.split(separator: ".", maxSplits: 1)
                guard parts.count == 2, parts[1] == "json" || parts[1] == "items.jsonl",
                    startTime(ofRun: String(parts[0])) != nil
                else { continue }
                var run = ToldRun(job: job, id: String(parts[0]))
                run.written = max(runs[run.path]?.written ?? 0, try folder.status(name)?.modifiedTime ?? 0)
                runs[run.path] = run
            }
        }
        return runs.values.sorted {
            ($0.id.prefix(16), $0.written, $0.path) < ($1.id.prefix(16), $1.written, $1.path)
        }
    }

    /// False for the copy of another run's report. What cannot be read may be its own.
    func isOriginal(in root: Directory) -> Bool {
        guard let folder = try? root.directory("reports/\(job)"), let report = try? RunReport.read(id, in: folder)
        else { return true }
        return report.run.id == id
    }
}
