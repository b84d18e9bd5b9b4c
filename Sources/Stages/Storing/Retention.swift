import Database
import Files
import Lanes
package import Model

/// Something that retention takes away, and why.
package struct Removal: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case bundle, report, file, object, leftover }
    package let kind: Kind
    /// Below the root.
    package let path: String
    package let bytes: Int64
    package let reason: String
    /// What else goes with it.
    let subject: Subject

    enum Subject: Sendable, Hashable {
        case itself
        case name(job: String, name: String)
        /// The name, and all that is known of its URL.
        case nameAndURL(job: String, name: String, url: Int64)
    }

    init(_ kind: Kind, _ path: String, bytes: Int64, _ reason: String, _ subject: Subject = .itself) {
        self.kind = kind
        self.path = path
        self.bytes = bytes
        self.reason = reason
        self.subject = subject
    }
}

/// What retention would do for one job, or why it does nothing.
package enum RetentionVerdict: Sendable {
    case removing([Removal])
    /// Nothing of the job is touched.
    case leftAlone(reason: String, isAlarm: Bool)
}

/// Applies `keep` to jobs, and takes away what nothing needs any more. Nothing is done but what it is told to.
package struct Retention: Sendable {
    let store: Store
    /// Seconds since 1970.
    let now: Double
    /// False only looks.
    let applies: Bool

    package init(_ store: Store, at now: Double, applies: Bool) {
        self.store = store
        self.now = now
        self.applies = applies
    }

    /// Bundles, reports and names of one job, by its manifest.
    package func perform(for job: Job) async throws -> RetentionVerdict {
        guard case .held(let lock) = try await store.lock(job: job.name, note: "nightjar gc\n") else {
            return .leftAlone(reason: "it runs now", isAlarm: false)
        }
        defer { withExtendedLifetime(lock) {} }
        guard let last = try await store.catalog.lastRun(of: job.name) else { return .removing([]) }
        // What a run did not see because it was cut short, or found the source empty, must not be taken for gone.
        guard last.status == .succeeded else {
            let how = last.status?.rawValue ?? "killed"
            return .leftAlone(reason: "its last run \(last.id) was no success (\(how))", isAlarm: false)
        }
        let files = try await store.catalog.filesToRemove(of: job.name, job.keep, at: now)
        let count = try await store.catalog.countNames(of: job.name)
        if let bound = job.expect.maxDelete, !bound.allows(files.count, of: count) {
            return .leftAlone(
                reason: "\(files.count) of its \(count) files would go, more than expect.max-delete allows",
                isAlarm: true)
        }
        var removals = try await removeReports(of: job, newest: last.id)
        removals += try await removeBundles(of: job)
        removals += try await remove(files, of: job.name)
        return .removing(removals)
    }

    private func removeBundles(of job: Job) async throws -> [Removal] {
        guard let count = job.keep.bundles else { return [] }
        let bundles = try await store.catalog.bundlesToRemove(of: job.name, keeping: count)
        if applies {
            let root = store.root
            try await store.disk.run {
                for bundle in bundles {
                    guard let folder = try? root.directory(bundle.folder) else { continue }
                    try folder.remove(bundle.file)
                    // The index of a set of volumes goes with the last of them, which names it.
                    for name in bundle.companions + KnownBundle.endings.map({ bundle.file + $0 })
                    where !name.utf8.contains(UInt8(ascii: "/")) {
                        try folder.remove(name)
                    }
                    try folder.synchronize()
                }
            }
            try await store.catalog.markRemoved(bundles.map(\.path), at: now)
        }
        return bundles.map {
            Removal(.bundle, $0.path, bytes: $0.bytes, "handed off, and keep.bundles keeps \(count) newer ones")
        }
    }

    private func removeReports(of job: Job, newest: String) async throws -> [Removal] {
        guard let age = job.keep.reports else { return [] }
        let end = now - age / .seconds(1)
        let runs = try await store.catalog.runsThatEnded(before: end, of: job.name, but: newest)
        let (root, applies) = (store.root, applies)
        let removals = try await store.disk.run { () -> [Removal] in
            guard let folder = try? root.directory("reports/\(job.name)") else { return [] }
            let old = Set(runs)
            let kept = Set(["latest.json", "latest.html"].compactMap { (try? folder.linkTarget($0)) ?? nil })
            var removals: [Removal] = []
            for name in try folder.names().sorted() where !name.hasPrefix(".") && !kept.contains(name) {
                // A run id holds no point.
                guard let id = name.split(separator: ".").first, old.contains(String(id)),
                    let status = try folder.status(name), status.isRegular
                else { continue }
                removals.append(
                    Removal(.report, "reports/\(job.name)/\(name)", bytes: status.bytes, "older than keep.reports"))
                if applies { try folder.remove(name) }
            }
            return removals
        }
        if applies { try await store.catalog.forgetVerdicts(of: runs) }
        return removals
    }

    private func remove(_ files: [OldFile], of job: String) async throws -> [Removal] {
        if applies, !files.isEmpty {
            for start in stride(from: 0, to: files.count, by: 500) {
                let batch = Array(files[start..<min(start + 500, files.count)])
                // The catalog first: a kill between leaves announced names, which the next run takes away.
                try await store.catalog.forget(batch, of: job)
                try await store.removeLeftNames(of: job)
            }
        }
        return files.map { file in
            let subject: Removal.Subject =
                file.isGone
                ? .nameAndURL(job: job, name: file.name, url: file.url) : .name(job: job, name: file.name)
            return Removal(
                .file, "files/\(job)/\(file.name)", bytes: file.content.bytes, file.reason, subject)
        }
    }
}

/// A file that retention takes away.
struct OldFile: Sendable {
    let name: String
    let content: StoredContent
    let url: Int64
    let isGone: Bool
    /// Its content was lost, so that the name stands for nothing.
    var isLost = false

    var reason: String {
        if isLost { return "its content is lost" }
        return isGone ? "its source has been gone for longer than keep.gone" : "an older version"
    }
}
