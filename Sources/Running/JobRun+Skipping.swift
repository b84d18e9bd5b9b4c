import Files
import Model
import Reporting
import Storing
import Times

/// Why a job does not run although its turn came.
enum SkipReason: Sendable {
    /// A need did not succeed in this run, whose exit status tells of it already.
    case needFailed(String)
    /// A need that is no part of this run did not succeed the last time.
    case needFailedBefore(String, String)
    case needUnderWay(String)

    var message: String {
        switch self {
        case .needFailed(let need): "skipped, since its need \(need) did not succeed"
        case .needFailedBefore(let need, let reason):
            "skipped, since its need \(need) \(reason); run both with 'nightjar run', or repair that one first"
        case .needUnderWay(let need): "skipped, since the run of its need \(need) still goes on"
        }
    }

    var exitStatus: Int32 {
        switch self {
        case .needFailed: 0
        case .needFailedBefore: 3
        case .needUnderWay: 4
        }
    }
}

extension JobRun {
    /// Leaves the job out, with a report of its own that says why.
    func skip(_ reason: SkipReason) async throws -> RunEnd {
        guard case .held(let lock) = try await store.lock(job: job.name, note: note) else {
            return try await skipAsLocked("")
        }
        defer { withExtendedLifetime(lock) {} }
        return try await reporting { identity, events in
            await events.warn("need-failed", reason.message)
            let end = RunEnd(status: .skipped, exitStatus: reason.exitStatus, finished: currentTime())
            do {
                let run = try await store.catalog.begin(identity)
                try await store.catalog.end(run, end, counts: countsJSON(events.tally.counts, events.tally.bytes))
            } catch { await events.warn("run-failed", "\(error)") }
            return end
        }
    }
}
