import Database
import Digests
import Files
import Lanes
import Model

extension Retention {
    /// Objects that no name, no known URL, no kept version and no kept bundle needs, of any job.
    /// - Parameters:
    ///   - versions: how many older versions each job keeps; a job that is not there keeps all.
    ///   - removals: what went before, or would.
    /// - Returns: nil when a job runs, since what it stores may be needed before the catalog knows.
    package func removeObjects(keepingVersions versions: [String: Int], after removals: [Removal]) async throws
        -> [Removal]?
    {
        guard case .held(let lock) = try await store.lockObjects(note: "nightjar gc\n") else { return nil }
        defer { withExtendedLifetime(lock) {} }
        try await store.catalog.markNeeded(keepingVersions: versions, after: removals)
        var removals: [Removal] = []
        for shelf in UInt8.min...UInt8.max {
            let unneeded = try await store.catalog.unneeded(beginningWith: shelf)
            let known = Set(try await store.catalog.objects(beginningWith: shelf).map(\.sha256))
            if applies { try await store.catalog.forgetObjects(unneeded) }
            removals += try await clear(shelf, of: Set(unneeded), known: known)
        }
        return removals + (try await removeOldQuarantine())
    }

    private func clear(_ shelf: UInt8, of unneeded: Set<[UInt8]>, known: Set<[UInt8]>) async throws -> [Removal] {
        let (objects, applies) = (store.objects, applies)
        return try await store.disk.run {
            let name = hex([shelf])
            guard try objects.status(name) != nil else { return [] }
            let folder = try objects.directory(name)
            var removals: [Removal] = []
            for file in try folder.names().sorted() where file.utf8.count == 64 && file.hasPrefix(name) {
                guard let sha256 = bytes(hex: file) else { continue }
                let isKnown = known.contains(sha256)
                guard !isKnown || unneeded.contains(sha256), let status = try folder.status(file) else { continue }
                removals.append(
                    Removal(
                        .object, "objects/\(name)/\(file)", bytes: status.bytes,
                        isKnown ? "nothing needs it any more" : "the catalog does not know it"))
                if applies { try folder.remove(file) }
            }
            return removals
        }
    }

    /// What verify set aside more than a week ago.
    private func removeOldQuarantine() async throws -> [Removal] {
        let (root, now, applies) = (store.root, now, applies)
        return try await store.disk.run {
            guard let folder = try? root.directory(Store.lostAndFound) else { return [] }
            var removals: [Removal] = []
            for name in try folder.names().sorted() {
                guard let status = try folder.status(name), status.isRegular,
                    Double(status.modified) < now - 7 * 86400
                else { continue }
                removals.append(
                    Removal(
                        .leftover, "\(Store.lostAndFound)/\(name)", bytes: status.bytes,
                        "set aside more than a week ago"))
                if applies { try folder.remove(name) }
            }
            return removals
        }
    }
}

extension Store {
    /// A job that has files though the catalog knows no run of it that came to a good end: what they are was lost with
    /// an earlier catalog, so nothing can be told of what their objects are needed for.
    package func unexplainedFiles() async throws -> String? {
        let files = files
        let jobs = try await disk.run {
            try files.names().filter { job in
                guard !job.hasPrefix("."), let folder = try? files.directory(job) else { return false }
                return try !folder.names().isEmpty
            }
        }
        for job in jobs.sorted() where try await !catalog.hasEndedRun(of: job) { return job }
        return nil
    }
}

extension Catalog {
    fileprivate func hasEndedRun(of job: String) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM runs JOIN jobs ON jobs.id = runs.job
            WHERE jobs.name = ? AND runs.status IN ('succeeded', 'partial') LIMIT 1
            """, [.text(job)], { _ in true }) ?? false
    }
}
