package import Files
package import Lanes
package import Model

/// A bundle that lies complete under its name.
package struct PackedBundle: Sendable, Hashable {
    /// Its `entries` counts what the archive lists: the items and the list of digests.
    package var record: BundleRecord
    /// Items that were packed.
    package var items: Int
    package var warnings: [RunWarning]
}

/// How packing ended when nothing went wrong.
package enum PackOutcome: Sendable, Hashable {
    case packed(PackedBundle)
    /// There were no items, so no bundle was written.
    case nothingToPack
}

/// Packs files into bundles. A bundle appears under its name complete, durable, read back, and with its digest beside
/// it, or not at all. The work is done on a lane; cancelling the task stops it within a chunk.
package actor Packer {
    /// The items that come next, in the order of their names' bytes; none means that there are no more.
    package typealias Batches = @Sendable () async throws -> [PackItem]

    /// Hears of a bundle that is whole and about to appear under its name, so that a ledger can hold it by then.
    package typealias Announcement = @Sendable (BundleRecord) async throws -> Void

    private let source: Directory
    private let target: Directory
    private let folder: String
    private let lane: Lane

    package nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - source: what the items' objects lie below, such as the root's `objects`.
    ///   - target: the root's `bundles/<job>`, whose lock the caller holds.
    ///   - folder: the target's path below the root, for the record.
    ///   - lane: where the work is done.
    package init(source: Directory, target: Directory, folder: String, lane: Lane) {
        self.source = source
        self.target = target
        self.folder = folder
        self.lane = lane
    }

    /// Packs what `next` gives into one bundle.
    /// - Parameters:
    ///   - name: the bundle's, one component, with the format's extension.
    ///   - modified: the time of the list of digests, in seconds since 1970. For the same bytes on another day it
    ///     must come from the content, not from the clock; nil takes the newest time of the items.
    ///   - readsBack: false leaves the reading back out, for measurements.
    package func pack(
        _ name: String, rules: PackRules, modified: Int64? = nil, readsBack: Bool = true, next: Batches,
        announce: Announcement = { _ in }
    ) async throws(Failure) -> PackOutcome {
        do {
            guard isClean(name), !name.utf8.contains(UInt8(ascii: "/")) else {
                throw Failure(.io, "\"\(name)\" cannot be the name of a bundle; change pack.name")
            }
            var batch = try await next()
            guard !batch.isEmpty else { return .nothingToPack }
            let bundle = try BundleDraft(name, rules: rules, source: source, target: target)
            var newest = Int64.min
            while !batch.isEmpty {
                for item in batch {
                    try checkCancellation()
                    try bundle.add(item)
                    newest = max(newest, item.modified)
                }
                batch = try await next()
            }
            let time = modified ?? newest
            return .packed(
                try await bundle.publish(folder: folder, modified: time, readsBack: readsBack, announce: announce))
        } catch {
            throw Failure(packing: name, error)
        }
    }

    /// Removes what a killed run may have left in a folder of bundles: temporary names, and a digest whose bundle did
    /// not come to be. The caller holds the job's lock.
    /// - Returns: the names that were removed.
    @discardableResult
    package static func removeLeftovers(in directory: Directory) throws(Failure) -> [String] {
        do {
            let names = try directory.names()
            let present = Set(names.map { Array($0.utf8) })
            let leftovers = names.filter { name in
                if DraftFile.isLeftover(name) { return true }
                return name.hasSuffix(".sha256") && !present.contains(Array(name.utf8.dropLast(7)))
            }
            for name in leftovers { try directory.remove(name) }
            if !leftovers.isEmpty { try directory.synchronize() }
            return leftovers.sorted(by: precedes)
        } catch {
            throw Failure(packing: directory.path, error)
        }
    }
}
