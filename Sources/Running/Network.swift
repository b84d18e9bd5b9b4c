import Fetching
import HTTP
import Model

/// What jobs that run at once fetch with: one engine, turns at hosts that hold over all of them, and one bound on the
/// bytes of those that have a `fetch.rate`.
struct Network: Sendable {
    let engine: HTTPEngine
    let turns = HostTurns()
    /// The greatest rate of the jobs: each keeps its own, and all together never take more than this.
    let rate: RateLimit?

    /// - Parameter atOnce: how many of the jobs run at once at most.
    init(for jobs: [Job], atOnce: Int) throws(HTTPError) {
        let widest = jobs.map(\.fetch.concurrency).sorted(by: >).prefix(max(atOnce, 1))
        // Two more, so that telling of a run need not wait for another's downloads.
        engine = try HTTPEngine(connections: widest.reduce(2, +))
        rate = jobs.compactMap(\.fetch.rate).max().map { RateLimit(bytesPerSecond: $0) }
    }
}
