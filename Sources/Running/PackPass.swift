import Files
import Lanes
import Model
import Packing
import Storing
import Templates
import Times

/// Packs what is due for hand-off, one bundle a pack, and keeps the ledger of what went out.
struct PackPass: Sendable {
    let job: Job
    let identity: RunIdentity
    let run: RunNumber
    let zone: Zone
    let store: Store
    let events: RunEvents

    /// - Returns: how many packs failed.
    func run() async throws -> Int {
        guard !job.packs.isEmpty else { return 0 }
        let folder = "bundles/\(job.name)"
        let target = try await store.folder(folder)
        let lane = try Lane("pack")
        _ = try await lane.run { try Packer.removeLeftovers(in: target) }
        let packer = Packer(source: store.objects, target: target, folder: folder, lane: lane)
        var failed = 0
        for rules in job.packs where try await !pack(rules, packer) { failed += 1 }
        return failed
    }

    private func pack(_ rules: PackRules, _ packer: Packer) async throws -> Bool {
        let name = bundleName(rules)
        let files = PackedFiles(
            job: job.name, pack: rules.contents == .new ? rules.id : nil, catalog: store.catalog)
        let catalog = store.catalog
        let (run, id) = (run, rules.id)
        do {
            let outcome = try await packer.pack(
                name, rules: rules, next: { try await files.next() },
                announce: { record in
                    try await catalog.announce(record, pack: id, of: run, at: currentTime())
                })
            switch outcome {
            case .packed(let bundle):
                try await catalog.publishAnnounced(of: job.name)
                for warning in bundle.warnings { await events.send(.warning(warning)) }
                await events.send(.bundle(bundle.record))
            case .nothingToPack:
                let reason =
                    rules.contents == .new
                    ? "nothing is new since the last bundle, so none was written" : "the job holds no files"
                await events.send(.bundleOmitted(pack: rules.id, reason: reason))
            }
            return true
        } catch let failure as Failure {
            try await catalog.withdrawAnnounced(of: job.name)
            if failure.code == .cancelled {
                await events.send(.bundleOmitted(pack: rules.id, reason: failure.message))
                return true
            }
            await events.warn("pack-failed", "\(name): \(failure.message)")
            if failure.code == .checksum { try await setAsideDamaged() }
            if failure.code == .diskFull { throw failure }
            return false
        }
    }

    /// Damaged content must not stand in the way of every bundle to come.
    private func setAsideDamaged() async throws {
        let files = PackedFiles(job: job.name, pack: nil, catalog: store.catalog)
        while true {
            let batch = try await files.nextFiles()
            if batch.isEmpty { return }
            for damaged in try await store.setAsideDamaged(
                among: batch.map(\.content), of: job.name, at: currentTime())
            {
                await events.warn(
                    "object-damaged",
                    "objects/\(damaged.objectPath) was damaged on the disk and lies in quarantine/\(job.name) for a week; "
                        + "the next run fetches it again")
            }
        }
    }

    private func bundleName(_ rules: PackRules) -> String {
        rules.name.render { field, argument in
            switch field {
            case "job": job.name
            case "run": identity.id
            case "pack": rules.id
            case "ext": rules.format.rawValue
            case "date": Template.stamp(argument, at: identity.started, in: zone)
            default: ""
            }
        }
    }
}

/// The files of a job, a batch at a time in the order of their names.
private actor PackedFiles {
    private let job: String
    /// Leaves out what that pack's ledger holds; nil takes all.
    private let pack: String?
    private let catalog: Catalog
    private var last = ""

    init(job: String, pack: String?, catalog: Catalog) {
        self.job = job
        self.pack = pack
        self.catalog = catalog
    }

    func next() async throws -> [PackItem] {
        try await nextFiles().map { file in
            PackItem(
                name: file.name, object: file.content.objectPath, bytes: file.content.bytes,
                sha256: file.content.sha256, modified: Int64(exactly: file.modified.rounded(.down)) ?? 0)
        }
    }

    func nextFiles() async throws -> [NamedFile] {
        let files = try await catalog.files(of: job, notIn: pack, after: last, limit: 500)
        last = files.last?.name ?? last
        return files
    }
}
