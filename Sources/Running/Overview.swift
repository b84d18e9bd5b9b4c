import Files
package import Model
import Reporting
import Scheduling
import Storing
import Times

/// The page of all jobs: what the catalog knows of their runs and bundles, and when each is due.
package enum Overview {
    private static let runs = 30
    private static let bundles = 5

    /// Makes the page.
    /// - Parameter jobs: those whose schedules are known; jobs that the catalog knows alone are shown without.
    package static func page(root: String, jobs: [Job]) async throws -> [UInt8] {
        let now = currentTime()
        return indexPage(try await overviews(of: jobs, try await Store.open(root), at: now), at: now)
    }

    /// Makes the page and puts it at `reports/index.html`.
    package static func write(root: String, jobs: [Job]) async throws {
        let folder = try Directory(root, create: true).directory("reports", create: true)
        try folder.replace("index.html", with: try await page(root: root, jobs: jobs))
    }

    private static func overviews(of jobs: [Job], _ store: Store, at seconds: Double) async throws -> [JobOverview] {
        var overviews: [String: JobOverview] = [:]
        for (job, run, counts) in try await store.catalog.recentRuns(limit: runs) {
            overviews[job, default: JobOverview(job: job)].runs.append(
                JobOverview.Run(
                    id: run.id, started: run.started, seconds: (run.finished ?? seconds) - run.started,
                    status: run.status, bytes: counts.map(receivedBytes(inCounts:)) ?? 0,
                    failed: counts.map { RunCounts(json: $0).failed } ?? 0))
        }
        for (job, path, bytes, sha256, created) in try await store.catalog.recentBundles(limit: bundles) {
            overviews[job, default: JobOverview(job: job)].bundles.append(
                JobOverview.Bundle(path: path, bytes: bytes, sha256: sha256, created: created))
        }
        var histories = try await store.catalog.histories(of: jobs.map(\.name), at: seconds)
        for job in jobs where histories[job.name] == nil { histories[job.name] = JobHistory(firstSeen: seconds) }
        for entry in try DuePlan(jobs: jobs, histories: histories, now: seconds).entries {
            overviews[entry.job.name, default: JobOverview(job: entry.job.name)].nextDue = entry.next
            overviews[entry.job.name]?.dueSince = entry.dueSince
        }
        return overviews.values.sorted { $0.job < $1.job }
    }
}
