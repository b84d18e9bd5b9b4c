package import Files
package import Lanes
package import Model

/// The bundles of one pack that lie complete under their names: one, or one for each volume.
package struct PackedBundles: Sendable, Hashable {
    /// The `entries` of a record count what the archive lists: the items, the lists, and the tags of a bag.
    package var bundles: [WrittenBundle]
    /// Items that were packed.
    package var items: Int
    package var warnings: [RunWarning]
}

/// How packing ended when nothing went wrong.
package enum PackOutcome: Sendable, Hashable {
    case packed(PackedBundles)
    /// There were no items, so no bundle was written.
    case nothingToPack
}

/// Keeps what goes out in which bundle.
package protocol PackLedger: Sendable {
    /// Bundles are whole and about to appear under their names. What was announced before and did not appear is
    /// forgotten.
    func announce(_ bundles: [WrittenBundle]) async throws

    /// Some of what one of those announced holds.
    func add(_ files: [(name: String, sha256: [UInt8])], to bundle: Int) async throws

    /// All is said: to be durable when this returns.
    func commit() async throws
}

/// Packs files into bundles. A bundle appears under its name complete, durable, read back, and with its digest beside
/// it, or not at all. The work is done on lanes; cancelling the task stops it within a chunk.
package actor Packer {
    /// What numbers of three digits name.
    private static let mostVolumes = 999

    private let source: Directory
    private let target: Directory
    private let folder: String
    private let lane: Lane
    private let checkLanes: CheckLanes
    private let chunk = Chunk()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - source: what the items' objects lie below, such as the root's `objects`.
    ///   - target: the root's `bundles/<job>`, whose lock the caller holds.
    ///   - folder: the target's path below the root, for the record.
    package init(source: Directory, target: Directory, folder: String) throws(LaneError) {
        self.source = source
        self.target = target
        self.folder = folder
        lane = try Lane("pack")
        checkLanes = try CheckLanes()
    }

    /// Packs what a source gives into one bundle, or into volumes where the rules bound their size.
    /// - Parameters:
    ///   - name: the bundle's, one component, with the format's extension.
    ///   - job: whose it is; told inside.
    ///   - modified: the time of the lists, in seconds since 1970. For the same bytes on another day it must come from
    ///     the content, not from the clock; nil takes the newest time of the items.
    ///   - isProven: false leaves out all that makes sure of the bundle, reading it back and its digests, so that
    ///     packing alone can be measured.
    package func pack(
        _ name: String, job: String, rules: PackRules, secrets: PackSecrets = PackSecrets(), modified: Int64? = nil,
        isProven: Bool = true, from items: any PackSource, progress: PackProgress = PackProgress(),
        ledger: any PackLedger
    ) async throws(Failure) -> PackOutcome {
        do {
            guard isClean(name), !name.utf8.contains(UInt8(ascii: "/")) else {
                throw Failure(.io, "\"\(name)\" cannot be the name of a bundle; change pack.name")
            }
            let setting = PackSetting(
                name: name, job: job, rules: rules, secrets: secrets, source: source, target: target,
                checkLanes: checkLanes, progress: progress, isProven: isProven)
            var plan = PackPlan(format: rules.format)
            var volumes = try await write(setting, items, &plan, modified: modified)
            if rules.bag != nil, volumes.count > 1 {
                // Each bag tells of how many it is one, which is known only now.
                let counts = volumes.map(\.log.count)
                volumes = []
                progress.restart()
                plan = PackPlan(format: rules.format)
                await items.restart()
                volumes = try await write(setting, items, &plan, modified: modified, counts: counts)
            }
            guard !volumes.isEmpty else { return .nothingToPack }
            for volume in volumes { plan.check(sizeOf: volume, rules) }
            let bundles = try await publish(volumes, setting, ledger)
            return .packed(
                PackedBundles(
                    bundles: bundles, items: volumes.reduce(0) { $0 + $1.log.count }, warnings: plan.warnings))
        } catch {
            throw Failure(packing: name, error)
        }
    }

    /// - Parameter counts: the items of each volume, when that is settled; nil lets the bound decide.
    private func write(
        _ setting: PackSetting, _ items: any PackSource, _ plan: inout PackPlan, modified: Int64?, counts: [Int]? = nil
    ) async throws -> [FinishedVolume] {
        let filter = NameFilter(include: setting.rules.include, exclude: setting.rules.exclude)
        var finished: [FinishedVolume] = []
        var open: Volume?
        var batch = try await items.next()
        while !batch.isEmpty {
            // The catalog looks for them meanwhile.
            async let following = items.next()
            for item in batch where filter.takes(item.name) {
                try checkCancellation()
                if let full = open, try isFull(full, for: item, plan, counts?[finished.count]) {
                    open = nil
                    finished.append(try await full.finish(&plan, modified: modified))
                    guard finished.count < Self.mostVolumes else {
                        throw Failure(.tooLarge, "more than \(Self.mostVolumes) volumes are needed; raise pack.split")
                    }
                }
                let volume = try open ?? Volume(setting, at: place(finished.count + 1, counts, setting), chunk: chunk)
                open = volume
                try volume.add(item, &plan)
            }
            batch = try await following
        }
        if let last = open { finished.append(try await last.finish(&plan, modified: modified)) }
        return finished
    }

    private func isFull(_ volume: Volume, for item: PackItem, _ plan: PackPlan, _ count: Int?) throws -> Bool {
        if let count { return volume.count == count }
        return try !volume.hasRoom(for: item, links: plan.linksDuplicates)
    }

    private func place(_ number: Int, _ counts: [Int]?, _ setting: PackSetting) -> VolumePlace {
        VolumePlace(number: number, count: counts?.count ?? 0, of: setting)
    }

    private func publish(
        _ volumes: [FinishedVolume], _ setting: PackSetting, _ ledger: any PackLedger
    ) async throws -> [WrittenBundle] {
        let signatures = try volumes.map { try setting.signature(of: $0.file) }
        let files = volumes.map(\.file)
        // The disk writes while the ledger does.
        async let isDurable: Void = checkLanes.digest.run { for file in files { try file.synchronize() } }
        let publication = Publication(volumes, signatures, setting, folder: folder)
        for number in 1...9999 {
            let bundles = publication.bundles(number)
            guard try publication.isFree(bundles) else { continue }
            try await ledger.announce(bundles)
            for (index, volume) in volumes.enumerated() {
                var lines = EntryLines(volume.log)
                while true {
                    let files = try lines.nextFiles(500, below: volume.place)
                    if files.isEmpty { break }
                    try await ledger.add(files, to: index)
                }
            }
            try await isDurable
            try await ledger.commit()
            if try publication.appear(bundles) { return bundles }
        }
        throw Failure(.io, "\(target.below(setting.name)) and 9,999 names like it are taken; tidy up the folder")
    }

    /// Removes what a killed run may have left in a folder of bundles: temporary names, and a digest,
    /// signature or index whose bundle is not there. The caller holds the job's lock.
    /// - Returns: the names that were removed.
    @discardableResult
    package static func removeLeftovers(in directory: Directory) throws(Failure) -> [String] {
        do {
            let names = try directory.names()
            let present = Set(names.map { Array($0.utf8) })
            let leftovers = names.filter { name in
                if DraftFile.isLeftover(name) { return true }
                if name.hasSuffix(".index.json") {
                    // An index outlives its volumes when retention has removed them.
                    let front = "\(name.dropLast(".index.json".count)).vol"
                    return !names.contains { $0.hasPrefix(front) }
                }
                return [".sha256", ".sig", ".minisig"].contains { end in
                    name.hasSuffix(end) && !present.contains(Array(name.utf8.dropLast(end.utf8.count)))
                }
            }
            for name in leftovers { try directory.remove(name) }
            if !leftovers.isEmpty { try directory.synchronize() }
            return leftovers.sorted(by: precedes)
        } catch {
            throw Failure(packing: directory.path, error)
        }
    }
}

extension EntryLines {
    /// Up to `count` of the files, with the names that the catalog knows them by; none after the last.
    fileprivate mutating func nextFiles(
        _ count: Int, below place: VolumePlace
    ) throws -> [(name: String, sha256: [UInt8])] {
        let front = place.path(of: "").utf8.count
        var files: [(name: String, sha256: [UInt8])] = []
        while files.count < count, let line = try next() {
            files.append((String(decoding: line.name.utf8.dropFirst(front), as: UTF8.self), Array(line.sha256)))
        }
        return files
    }
}

/// Called between chunks: C code and system calls do not stop by themselves when their task is cancelled.
func checkCancellation() throws(Failure) {
    if Task.isCancelled { throw Failure(.cancelled, "packing was stopped; nothing was written") }
}
