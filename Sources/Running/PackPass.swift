import Files
import Lanes
import Manifests
import Model
import Packing
import Storing
import Templates
import Times
import URLs

/// Packs what is due for hand-off, one bundle or set of volumes a pack, and keeps the ledger of what went out.
struct PackPass: Sendable {
    let job: Job
    let identity: RunIdentity
    /// Nil when no run packs.
    let run: RunNumber?
    let zone: Zone
    let store: Store
    let events: RunEvents
    let environment: [String: String]

    /// - Returns: how many packs failed.
    func run() async throws -> Int {
        guard !job.packs.isEmpty else { return 0 }
        let folder = "bundles/\(job.name)"
        let target = try await store.folder(folder)
        // 7z is written through a temporary file, for which the program has set TMPDIR to this folder.
        _ = try await store.folder("partial")
        let lane = try Lane("pack-tidy")
        _ = try await lane.run { try Packer.removeLeftovers(in: target) }
        let packer = try Packer(source: store.objects, target: target, folder: folder)
        let before = try await store.catalog.lostFiles(of: job.name)?.count ?? 0
        var failed = 0
        for rules in job.packs where try await !pack(rules, packer) { failed += 1 }
        if let lost = try await store.catalog.lostFiles(of: job.name) {
            // What is lost spoils the run that finds it; later ones go on without.
            if lost.count > before { failed += 1 }
            let more = lost.count > 1 ? " and \(lost.count - 1) more files" : ""
            await events.warn(
                "object-lost",
                "files/\(job.name)/\(lost.first)\(more) are left out of bundles, since their content is lost; a run "
                    + "fetches it again if the URL still gives it, else 'nightjar gc --apply' takes the names away")
        }
        return failed
    }

    /// - Parameter isSecond: what was damaged or missing the first time is mended or left out.
    private func pack(_ rules: PackRules, _ packer: Packer, isSecond: Bool = false) async throws -> Bool {
        let name = bundleName(rules)
        let files = PackedFiles(job: job, rules: rules, catalog: store.catalog)
        do {
            let outcome = try await watching(rules, try await files.bytes()) { progress in
                try await packer.pack(
                    name, job: job.name, rules: rules, secrets: try secrets(rules), from: files, progress: progress,
                    ledger: CatalogLedger(job: job.name, pack: rules.id, run: run, catalog: store.catalog))
            }
            switch outcome {
            case .packed(let packed):
                try await store.catalog.publishAnnounced(
                    of: job.name, targets: job.handoffs.map(\.to), at: currentTime())
                for warning in packed.warnings { await events.send(.warning(warning)) }
                for bundle in packed.bundles { await events.send(.bundle(bundle.record)) }
            case .nothingToPack:
                await events.send(.bundleOmitted(pack: rules.id, reason: reason(rules)))
            }
            return true
        } catch let failure as Failure {
            try await store.catalog.withdrawAnnounced(of: job.name)
            if failure.code == .cancelled {
                await events.send(.bundleOmitted(pack: rules.id, reason: failure.message))
                return true
            }
            if !isSecond, [.checksum, .io].contains(failure.code),
                try await mendContent(isDeep: failure.code == .checksum)
            {
                return try await pack(rules, packer, isSecond: true)
            }
            await events.warn("pack-failed", "\(name): \(failure.message)")
            if failure.code == .diskFull { throw failure }
            return false
        }
    }

    /// Why there was nothing to pack.
    private func reason(_ rules: PackRules) -> String {
        let which = rules.include.isEmpty && rules.exclude.isEmpty ? "" : " that include and exclude let in"
        return switch rules.contents {
        case .new: "nothing\(which) is new since the last bundle, so none was written"
        case .all: "the job holds no files\(which), so none was written"
        case .run: "the run brought nothing\(which), so none was written"
        }
    }

    private func secrets(_ rules: PackRules) throws(Failure) -> PackSecrets {
        func value(_ secret: Secret?, _ key: String) throws(Failure) -> String? {
            guard let secret else { return nil }
            do { return try Secrets.value(of: secret, environment: environment) } catch {
                throw Failure(.io, "\(key): \(error.message)")
            }
        }
        return PackSecrets(
            passphrase: try value(rules.passphrase, "pack.passphrase"),
            signing: try value(rules.sign?.passphrase, "pack.sign.passphrase"), environment: environment)
    }

    /// Tells twice a second how far the work is.
    private func watching<Result: Sendable>(
        _ rules: PackRules, _ bytes: Int64, _ work: (PackProgress) async throws -> Result
    ) async throws -> Result {
        let progress = PackProgress()
        // From its beginning, since a slow format takes much in before it says more.
        await events.send(.working(Work(.packing, rules.id, done: 0, of: bytes)))
        let watch = Task { [events] in
            while !Task.isCancelled {
                try await Task.sleep(for: .milliseconds(500))
                await events.send(.working(Work(.packing, rules.id, done: progress.bytes, of: bytes)))
            }
        }
        defer { watch.cancel() }
        return try await work(progress)
    }

    /// Content that is damaged or gone must not stand in the way of every bundle to come.
    /// - Returns: false when all is there.
    private func mendContent(isDeep: Bool) async throws -> Bool {
        let files = PackedFiles(job: job, catalog: store.catalog)
        var hasMended = false
        while true {
            let batch = try await files.nextFiles()
            if batch.isEmpty { return hasMended }
            for (file, isMended) in try await store.mendContent(
                of: batch, job: job.name, isDeep: isDeep, at: currentTime())
            {
                hasMended = true
                let word =
                    isMended ? "it came back from another file" : "it is lost unless the next run can fetch it again"
                await events.warn(
                    "object-damaged",
                    "objects/\(file.content.objectPath), the content of files/\(job.name)/\(file.name), was damaged or "
                        + "removed on the disk: \(word); what is damaged lies below quarantine for a week")
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
private actor PackedFiles: PackSource {
    private let job: String
    /// Leaves out what that pack's ledger holds; nil takes all.
    private let pack: String?
    private let isNewest: Bool
    /// A bundle tells where its files came from, but no secrets in that.
    private let mask: ParameterMask
    private let catalog: Catalog
    private var last = ""

    /// - Parameter rules: which of the files; nil takes all.
    init(job: Job, rules: PackRules? = nil, catalog: Catalog) {
        self.job = job.name
        mask = ParameterMask(job.log.mask)
        pack = rules?.contents == .new ? rules?.id : nil
        isNewest = rules?.contents == .run
        self.catalog = catalog
    }

    func bytes() async throws -> Int64 { try await catalog.bytes(of: job, notIn: pack, isNewest: isNewest) }

    func restart() { last = "" }

    func next() async throws -> [PackItem] {
        try await nextFiles().map { file in
            PackItem(
                name: file.name, object: file.content.objectPath, bytes: file.content.bytes,
                sha256: file.content.sha256, modified: Int64(exactly: file.modified.rounded(.down)) ?? 0,
                url: mask.masked(WebURL.displayed(file.url)), contentType: file.contentType)
        }
    }

    func nextFiles() async throws -> [NamedFile] {
        let files = try await catalog.files(of: job, notIn: pack, isNewest: isNewest, after: last, limit: 500)
        last = files.last?.name ?? last
        return files
    }
}

/// The catalog as the packer's ledger.
private actor CatalogLedger: PackLedger {
    private let job: String
    private let pack: String
    private let run: RunNumber?
    private let catalog: Catalog
    private var announced: [BundleNumber] = []

    init(job: String, pack: String, run: RunNumber?, catalog: Catalog) {
        self.job = job
        self.pack = pack
        self.run = run
        self.catalog = catalog
    }

    func announce(_ bundles: [WrittenBundle]) async throws {
        announced = try await catalog.announce(bundles, pack: pack, of: job, run: run, at: currentTime())
    }

    func add(_ files: [(name: String, sha256: [UInt8])], to bundle: Int) async throws {
        guard announced.indices.contains(bundle) else { return }
        try await catalog.add(files, to: announced[bundle])
    }

    func commit() async throws { try await catalog.commitAnnounced(of: job) }
}
