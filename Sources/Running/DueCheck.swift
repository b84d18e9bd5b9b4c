import Files
package import Model
package import Scheduling
import Storing
import Times

/// Asks the catalog when jobs ran, and what is due by that.
package enum DueCheck {
    /// What is due now. Jobs that were never looked at are recorded as seen from now on.
    package static func now(_ jobs: [Job], root: String) async throws -> DuePlan {
        try await plan(jobs, Store.open(root))
    }

    /// What would be due at another time, in seconds since 1970. Nothing is written.
    package static func plan(_ jobs: [Job], root: String, at seconds: Double) async throws -> DuePlan {
        var histories: [String: JobHistory] = [:]
        if let folder = try? Directory(root), try folder.status("catalog.sqlite") != nil {
            histories = try await Store.open(root).catalog.histories(of: jobs.map(\.name), at: seconds)
        }
        let unseen = JobHistory(firstSeen: min(currentTime(), seconds))
        for job in jobs where histories[job.name] == nil { histories[job.name] = unseen }
        return try DuePlan(jobs: jobs, histories: histories, now: seconds)
    }

    static func plan(_ jobs: [Job], _ store: Store) async throws -> DuePlan {
        let now = currentTime()
        // Plain runs need no schedule, so what has none is not looked at.
        let scheduled = jobs.filter { $0.schedule != nil }.map(\.name)
        var histories = try await store.catalog.see(scheduled, at: now)
        let others = try await store.catalog.histories(of: jobs.map(\.name).filter { histories[$0] == nil }, at: now)
        histories.merge(others) { own, _ in own }
        return try DuePlan(jobs: jobs, histories: histories, now: now)
    }
}
