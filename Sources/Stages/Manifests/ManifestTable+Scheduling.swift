import Model

extension ManifestTable {
    /// When and after whom a job runs.
    static let scheduling: [ManifestKey] = [
        .key(
            "needs", .needs, \.needs, default: "none",
            "Jobs that must have succeeded before; where one did not, the job is skipped"),
        .key(
            "priority", .integer(-1000...1000), \.job.priority, default: "0",
            "Of several jobs that could start, the one with the greatest does; what it needs goes before with it"),
        .key(
            "max-runtime", .duration(.seconds(1) ... .seconds(30 * 86400), "1s to 30d"), \.job.maxRuntime,
            default: "no bound", "A run that takes longer is ended in order: interrupted, status 1"),
        .key(
            "overlap", .overlap, \.job.overlap, default: "skip",
            "What happens when the job's last run still goes on: skip, wait (an hour at most), or { wait: 20m }"),
    ]
}
