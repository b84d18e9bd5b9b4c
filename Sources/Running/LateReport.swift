import Files
import Model
import Reporting
import Storing
import URLs

/// The report of a run that was killed before it could write its own, made by the job's next run of what the catalog
/// has of it.
struct LateReport: Sendable {
    let job: Job
    let store: Store
    let folder: Directory

    private static let batch = 256
    /// What a shell calls the status of a program that was killed.
    private static let killed: Int32 = 128 + 9

    /// Writes it if the job's last run has none; the caller holds the job's lock.
    func write() async throws {
        guard let run = try await store.catalog.lastEndedRun(of: job.name),
            try folder.status("\(run.identity.id).json") == nil
        else { return }
        let report = try ReportWriter(run.identity, in: folder)
        let warning = RunWarning(
            code: "killed-run",
            message: "the run did not come to its end; this report was made by the next one, of what the catalog knew")
        try await report.receive([.warning(warning)])
        var finished = run.identity.started
        let order = try await store.catalog.order(of: run.number)
        for start in stride(from: 0, to: order.count, by: Self.batch) {
            let visits = try await store.catalog.visits(order[start..<min(start + Self.batch, order.count)])
            for visit in visits { finished = max(finished, (visit.started ?? 0) + (visit.seconds ?? 0)) }
            try await report.receive(visits.compactMap(event)[...])
        }
        let end = RunEnd(
            status: run.status, exitStatus: run.exitStatus ?? Self.killed, finished: finished)
        _ = try await report.publish(end)
        try await report.close()
    }

    private func event(_ visit: Visit) -> RunEvent? {
        if visit.state == .page {
            guard let url = WebURL(visit.url) else { return nil }
            return .pageRead(url: url, depth: visit.depth, links: 0, bytes: visit.received)
        }
        var record = ItemRecord(visit)
        switch visit.state {
        case .notModified:
            record.status = .unchanged
            record.name = visit.known?.name
        case .fetched:
            if let name = visit.known?.name {
                record.status = .downloaded
                record.name = name
            } else {
                record.reason = "downloaded, but the run was killed before it got its name; the next run gives it one"
            }
        default: break
        }
        return .item(record)
    }
}
