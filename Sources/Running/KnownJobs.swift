import Manifests
import Model

/// The jobs that the daemon goes by: those of the manifests as they were last right.
struct KnownJobs: Sendable {
    private(set) var jobs: [Job] = []

    /// Takes what the manifests are now. A job whose manifest is wrong stays as it was; one whose manifest is gone goes.
    /// - Returns: the names of those that stay as they were.
    mutating func take(_ result: ManifestResult) -> [String] {
        let wrong = Set(result.diagnostics.filter { $0.severity == .error }.map(\.file))
        var new = result.jobs.filter { !wrong.contains($0.manifest) }
        let (names, files) = (Set(new.map(\.name)), Set(new.map(\.manifest)))
        // When the folder itself cannot be read, nothing is known of any of them.
        let kept = jobs.filter { job in
            guard !names.contains(job.name), !files.contains(job.manifest) else { return false }
            return wrong.contains(job.manifest) || wrong.contains { job.manifest.hasPrefix("\($0)/") }
        }
        new += kept
        jobs = new
        return kept.map(\.name)
    }

    /// Tells whether two states are the same.
    var fingerprint: [String] { jobs.map { "\($0.name) \($0.manifestSHA256)" } }
}
