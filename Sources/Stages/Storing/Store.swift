package import Files
import Lanes
package import Model

/// What lies below `--root`: the folders, the catalog, and the thread that makes things durable.
package final class Store: Sendable {
    package let path: String
    package let catalog: Catalog
    let root: Directory
    package let objects: Directory
    let shelves: Shelves
    let files: Directory
    /// Where durability and renames happen, beside the catalog's thread.
    let disk: Lane

    /// The catalog's file as it was opened: another one under its name was made by a rebuild meanwhile.
    let opened: FileStatus?

    /// Opens the store, and makes what is missing. A catalog that was lost is not made anew: to begin from nothing
    /// beside what earlier runs stored would deliver all of it again.
    /// - Throws: `SystemError`, `DatabaseError`, ``StoreError``, `LaneError`.
    package static func open(_ path: String) async throws -> Store {
        let disk = try Lane("disk")
        let root = try await disk.run {
            let root = try Directory(path, create: true)
            try root.checkIsWritable()
            if try hasLostCatalog(root) { throw StoreError.lostCatalog(path) }
            return root
        }
        return try await Store(root, disk, catalog: catalogName)
    }

    /// Opens the store with a catalog that is not in use yet, under ``rebuildName``.
    package static func openForRebuild(_ root: Directory) async throws -> Store {
        try await Store(root, try Lane("disk"), catalog: rebuildName)
    }

    /// Opens a store that is there; nothing is made. Where nothing can be written it can be read all the same.
    /// - Throws: also ``StoreError/noStore(_:)`` where nothing was stored yet.
    package static func openExisting(_ path: String) async throws -> Store {
        guard let root = try? Directory(path), try root.status(catalogName) != nil else {
            throw StoreError.noStore(path)
        }
        do { try root.checkIsWritable() } catch {
            return try await Store(root, try Lane("disk"), catalog: catalogName, isReadOnly: true)
        }
        return try await open(path)
    }

    private init(_ root: Directory, _ disk: Lane, catalog name: String, isReadOnly: Bool = false) async throws {
        path = root.path
        self.root = root
        self.disk = disk
        (objects, files) = try await disk.run {
            (try root.directory("objects", create: true), try root.directory("files", create: true))
        }
        shelves = Shelves(of: objects)
        if try await disk.run({ try root.status(name)?.isSymbolicLink == true }) {
            throw SystemError("open", root.below(name), code: 40)
        }
        if isReadOnly {
            let log = "\(name)-wal"
            if try await disk.run({ try root.status(log)?.bytes ?? 0 }) > 0 {
                throw StoreError.unsettledCatalog(root.below(log))
            }
            catalog = try await Catalog.openReadOnly(root.below(name))
        } else {
            catalog = try await Catalog.open(root.below(name))
        }
        opened = try await disk.run { try root.status(name) }
    }

    /// A folder below the root, such as `reports/<job>`; made when missing.
    package func folder(_ name: String) async throws -> Directory {
        let root = root
        return try await disk.run { try root.directory(name, create: true) }
    }

    /// The lock of a job, or who has it. While it is held no object is removed; waits while objects are.
    package func lock(job: String, note: String) async throws -> FileLock.Attempt {
        let root = root
        while true {
            let attempt = try await disk.run { () -> FileLock.Attempt? in
                let locks = try root.directory("locks", create: true)
                guard case .held(let shared) = try FileLock.attemptShared(Self.objectsLock, in: locks) else {
                    return nil
                }
                let attempt = try FileLock.attempt("\(job).lock", in: locks, note: note, with: shared)
                if case .held = attempt { try self.checkCatalog() }
                return attempt
            }
            if let attempt { return attempt }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// The lock of whoever looks after the whole root, or who has it. Objects may go meanwhile: the runs that it begins
    /// have locks of their own.
    package static func lockDaemon(of root: Directory, note: String) throws(SystemError) -> FileLock.Attempt {
        try FileLock.attempt(".daemon.lock", in: root.directory("locks", create: true), note: note)
    }

    package func lockDaemon(note: String) async throws -> FileLock.Attempt {
        let root = root
        return try await disk.run { try Self.lockDaemon(of: root, note: note) }
    }

    /// The lock of whoever removes objects; nobody has it while a job runs.
    func lockObjects(note: String) async throws -> FileLock.Attempt {
        let root = root
        return try await disk.run {
            try FileLock.attempt(Self.objectsLock, in: root.directory("locks", create: true), note: note)
        }
    }

    /// No job can be called that.
    static let objectsLock = "_objects.lock"

    /// Where a job's downloads under way lie, with what a killed run left there.
    package func partial(of job: String) async throws -> Directory { try await folder("partial/\(job)") }

    /// What lies in a part, which stays; nil when it cannot be read or has more bytes than `limit`.
    package func content(of part: PartFile, in partial: Directory, limit: Int) async -> [UInt8]? {
        guard part.bytes <= limit else { return nil }
        return try? await disk.run { try partial.open(part.name).readAll(limit: limit) }
    }

    /// What lies in a part, which goes; nil when it cannot be read or has more bytes than `limit`.
    package func take(_ part: PartFile, from partial: Directory, limit: Int) async -> [UInt8]? {
        guard part.bytes <= limit else { return nil }
        return try? await disk.run {
            let content = try partial.open(part.name).readAll(limit: limit)
            try partial.remove(part.name)
            return content
        }
    }

    /// Those of the contents that are there with their lengths.
    package func held(_ contents: [StoredContent]) async -> Set<StoredContent> {
        let objects = objects
        let held = try? await disk.run {
            try contents.filter { try ObjectName($0.sha256).isHeld(in: objects, bytes: $0.bytes) }
        }
        return Set(held ?? [])
    }

    /// The first bytes of stored content, nil when it cannot be read. Blocks.
    package func beginning(of content: StoredContent, count: Int) -> [UInt8]? {
        guard let file = try? objects.open(content.objectPath) else { return nil }
        return try? file.readBeginning(count)
    }

    /// Moves a refused body to `quarantine/<job>/`, where it can be looked at for a week from now.
    /// - Parameters:
    ///   - note: what was refused and why; lies beside the body as a text.
    ///   - seconds: now, since 1970.
    package func quarantine(
        _ part: PartFile, of job: String, in partial: Directory, note: String, at seconds: Double
    ) async throws {
        let root = root
        try await disk.run {
            let folder = try root.directory("quarantine/\(job)", create: true)
            let name = ObjectName(part.sha256).file
            // The week is counted from the refusal, not from the time that the server gave.
            try partial.open(part.name).setModified(seconds)
            try partial.rename(part.name, to: folder, "\(name).refused")
            try partial.remove(part.logName)
            try folder.replace("\(name).txt", with: Array(note.utf8))
        }
    }

    /// Removes what lies in quarantine for longer than a week.
    package func emptyQuarantine(of job: String, at seconds: Double) async throws {
        let root = root
        try await disk.run {
            let folder = try root.directory("quarantine/\(job)", create: true)
            for name in try folder.names() {
                guard let status = try folder.status(name), status.isRegular else { continue }
                if Double(status.modified) < seconds - 7 * 86400 { try folder.remove(name) }
            }
        }
    }
}
