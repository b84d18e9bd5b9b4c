import Model

extension ManifestTable {
    /// What a run must bring, and what stays of it for how long.
    static let keeping: [ManifestKey] = [
        .key(
            "expect.min-items", .integer(0...1_000_000_000), \.job.expect.minItems, unit: "items", default: "0",
            "A run that downloads or finds unchanged fewer items is partial, and its hand-off is held"),
        .key(
            "expect.max-drop", .percent, \.job.expect.maxDrop, default: "none",
            "How far links, items, bytes or items of one type may lie below the median of the last seven good runs; "
                + "below it the run is partial, and its hand-off is held"),
        .key(
            "expect.max-failed", .bound, \.job.expect.maxFailed, default: "0",
            "Failed items, as a number or percent of all items, that still count as success"),
        .key(
            "expect.max-delete", .bound, \.job.expect.maxDelete, default: "none",
            "Most files, as a number or percent of the job's, that one `gc` removes; when it would be more it removes "
                + "none of the job's"),
        .key(
            "keep.bundles", .integer(1...1_000_000), \.job.keep.bundles, unit: "bundles", default: "all",
            "Newest bundles of each pack that `gc` keeps; only bundles that were handed off count and go"),
        .key(
            "keep.reports", .duration(.seconds(3600) ... .seconds(36500 * 86400), "1h to 36500d"),
            \.job.keep.reports, default: "all", "How long `gc` keeps reports; each job's newest always stays"),
        .key(
            "keep.versions", .integer(0...1_000_000), \.job.keep.versions, unit: "versions", default: "all",
            "Older versions of a URL's content that `gc` keeps beside the newest"),
        .key(
            "keep.gone", .duration(.zero ... .seconds(36500 * 86400), "0ms to 36500d"), \.job.keep.gone,
            default: "all", "How long `gc` keeps files whose URL answers 404 or 410"),
    ]
}
