import Files
import Lanes
import Model
import Reporting
import Storing

/// Writes what is known of jobs' last runs for node_exporter, whole or not at all. To be called by one task at a time.
struct Metrics: Sendable {
    let store: Store
    let options: RunOptions
    private let lane: Lane

    init(store: Store, options: RunOptions) throws {
        self.store = store
        self.options = options
        lane = try Lane("metrics")
    }

    /// Writes the file of the command line, with all jobs of the catalog, and that of a job's manifest.
    /// - Parameter job: whose run has ended.
    func write(after job: Job?) async {
        guard options.metrics != nil || job?.metrics != nil else { return }
        do {
            let standings = try await store.catalog.standings()
            if let path = options.metrics { try await write(standings, to: path) }
            if let job, let path = job.metrics { try await write(standings.filter { $0.job == job.name }, to: path) }
        } catch {
            options.complain("nightjar: warning: the metrics were not written: \(error)")
        }
    }

    private func write(_ standings: [JobStanding], to path: String) async throws {
        let text = metricsText(of: standings)
        try await lane.run {
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
            let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
            try Directory(folder).replace(name, with: Array(text.utf8))
        }
    }
}
