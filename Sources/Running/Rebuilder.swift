import Files
import Model
package import Storing
import Times

/// Makes a lost or damaged catalog again from objects, files, items files and reports, as far as they tell; to a sound
/// one it adds what reports tell beside. The new one is made beside the old and takes its place when it is whole.
package struct Rebuilder: Sendable {
    /// What could be told of.
    package struct Result: Sendable {
        package var objects = 0
        package var runs = 0
        package var items = 0
        /// Objects that came back from files.
        package var mended = 0
        /// True when a sound catalog was added to.
        package var isAddition = false
        /// The name under which the old catalog lies.
        package var aside: String?
        package var warnings: [String] = []
    }

    /// Why nothing was rebuilt.
    package enum Refusal: Error, Sendable, CustomStringConvertible {
        case sound
        case busy(job: String, holder: String)
        case rootBusy
        case daemon(holder: String)

        package var description: String {
            switch self {
            case .sound: "the catalog is sound and knows every run that reports tell of, so it was not made again"
            case .busy(let job, let holder): "job \(job) runs now (\(holder)); try again when it has ended"
            case .daemon(let holder):
                "the daemon (\(holder)) looks after this root with the catalog that is to be replaced; stop it first"
            case .rootBusy: "a job or 'nightjar gc' is at work below this root; try again when it has ended"
            }
        }
    }

    let folder: Directory
    let store: Store
    let now: Double
    var result = Result()

    /// - Throws: ``Refusal``, or what keeps the root from being read or written.
    package static func rebuild(_ root: String) async throws -> Result {
        let folder = try Directory(root)
        let locks = try lock(try jobs(in: folder), in: folder)
        defer { withExtendedLifetime(locks) {} }
        let state = try await Store.catalogState(root)
        var known: Set<String> = []
        if case .sound(let store) = state { known = try await store.catalog.runIDs() }
        var told = try ToldRun.all(in: folder)
        told.removeAll { known.contains($0.id) }
        let copies = told.filter { !$0.isOriginal(in: folder) }
        told.removeAll { run in copies.contains { $0 == run } }
        try Store.removeRebuild(in: folder)
        if case .sound(let store) = state {
            if told.isEmpty { throw Refusal.sound }
            try await store.copyCatalog()
        }
        do {
            let store = try await Store.openForRebuild(folder)
            var rebuilder = Rebuilder(folder: folder, store: store, now: currentTime())
            if case .sound = state {
                rebuilder.result.isAddition = true
                try await store.catalog.spreadRuns()
            }
            rebuilder.result.warnings = copies.map {
                "\($0.path) is no report of the run that its name says, or a copy of one; it was passed over"
            }
            return try await rebuilder.make(of: told)
        } catch {
            try? Store.removeRebuild(in: folder)
            throw error
        }
    }

    /// What reports tell of and the catalog does not know: a catalog of another time, or of another root.
    package static func untold(_ store: Store) async throws -> ToldRun? {
        let known = try await store.catalog.runIDs()
        let folder = try Directory(store.path)
        return try ToldRun.all(in: folder).first { !known.contains($0.id) && $0.isOriginal(in: folder) }
    }

    private mutating func make(of told: [ToldRun]) async throws -> Result {
        let (count, problems) = try await store.recordObjects()
        result.objects = count
        result.warnings += problems
        for run in told { try await tell(run) }
        if let lost = try await store.catalog.untoldContents(), lost.count > 0 {
            result.warnings.append(
                "\(lost.count) contents that reports tell of, such as of files/\(lost.example), are no longer there: "
                    + "removed by retention, or lost; the next run fetches what its URL still gives")
        }
        for job in try Self.jobs(in: folder) {
            let bundles = try await store.unknownBundles(of: job)
            guard let first = bundles.first else { continue }
            result.warnings.append(
                "no report tells of \(first)\(bundles.count > 1 ? " and \(bundles.count - 1) more" : ""); what lies in "
                    + "such bundles is packed again")
        }
        let stamp = RFC3339.format(now).filter { $0.isNumber || $0 == "T" || $0 == "Z" }
        result.aside = try await store.replaceCatalog(word: result.isAddition ? "before" : "damaged", stamp: stamp)
        return result
    }

    private static func jobs(in root: Directory) throws -> [String] {
        var jobs: Set<String> = []
        for name in ["reports", "files", "bundles"] {
            guard let folder = try? root.directory(name) else { continue }
            for job in try folder.names() where !job.hasPrefix(".") && (try? folder.directory(job)) != nil {
                jobs.insert(job)
            }
        }
        return jobs.sorted()
    }

    private static func lock(_ jobs: [String], in root: Directory) throws -> [FileLock] {
        let note = "nightjar verify --rebuild\n"
        let folder = try root.directory("locks", create: true)
        var locks: [FileLock] = []
        switch try Store.lockDaemon(of: root, note: note) {
        case .held(let lock): locks.append(lock)
        case .taken(let holder): throw Refusal.daemon(holder: String(holder.prefix { $0 != "\n" }))
        }
        locks += try jobs.map { job in
            switch try FileLock.attempt("\(job).lock", in: folder, note: note) {
            case .held(let lock): return lock
            case .taken(let holder): throw Refusal.busy(job: job, holder: String(holder.prefix { $0 != "\n" }))
            }
        }
        guard case .held(let lock) = try Store.lockRoot(root, note: note) else { throw Refusal.rootBusy }
        locks.append(lock)
        return locks
    }
}
