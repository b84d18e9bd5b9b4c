import Database
import Digests
import Files
import Lanes
import Model

/// What stands against one object.
private struct ObjectFault: Sendable {
    enum Kind: Sendable {
        case missing
        case damaged(String)
        /// It cannot be read at all; it stays where it is.
        case unreadable(String)
    }
    let content: StoredContent
    let kind: Kind
}

/// What a look at one of the folders `objects/ab` gave.
private struct ShelfLook: Sendable {
    var count = 0
    /// Objects that the catalog does not know.
    var strangers: [StoredContent] = []
    var faults: [ObjectFault] = []
}

extension Verifier {
    func verifyObjects(_ result: inout VerifyResult, _ locks: [String: FileLock]) async throws {
        for shelf in try await store.strayShelves() { result.add(try await settle(strayShelf: shelf)) }
        let looks = try await withThrowingTaskGroup(of: ShelfLook.self) { group in
            var looks = ShelfLook()
            for shelf in 0..<256 {
                // One more than there are threads waits, so that none is idle.
                if shelf > options.threads, let look = try await group.next() { looks.add(look) }
                group.addTask { try await self.look(at: UInt8(shelf)) }
            }
            for try await look in group { looks.add(look) }
            return looks
        }
        result.objects = looks.count
        result.orphans = looks.strangers.count
        // What a name needs and somebody put back is no stranger.
        if options.repairs { result.orphans -= try await store.catalog.recordNeeded(looks.strangers, at: options.now) }
        let faults = looks.faults.sorted { $0.content.sha256.lexicographicallyPrecedes($1.content.sha256) }
        for fault in faults {
            result.add(try await settle(fault, locks))
            result.toldContents.insert(fault.content.sha256)
        }
    }

    private func look(at shelf: UInt8) async throws -> ShelfLook {
        let known = try await store.catalog.objects(beginningWith: shelf)
        let (objects, isDeep, meter) = (store.objects, options.isDeep, meter)
        return try await pool.run { try Self.look(at: shelf, known, in: objects, isDeep: isDeep, meter) }
    }

    private static func look(
        at shelf: UInt8, _ known: [StoredContent], in objects: Directory, isDeep: Bool, _ meter: Meter
    ) throws -> ShelfLook {
        var look = ShelfLook()
        let name = hex([shelf])
        let folder: Directory
        do {
            guard try objects.status(name) != nil else {
                look.faults = known.map { ObjectFault(content: $0, kind: .missing) }
                return look
            }
            folder = try objects.directory(name)
        } catch {
            look.faults = known.map { ObjectFault(content: $0, kind: .unreadable("\(error)")) }
            return look
        }
        var strangers = Set(try folder.names().filter { $0.utf8.count == 64 && $0.hasPrefix(name) })
        for content in known {
            strangers.remove(ObjectName(content.sha256).file)
            look.count += 1
            if let kind = fault(of: content, in: folder, isDeep: isDeep, meter) {
                look.faults.append(ObjectFault(content: content, kind: kind))
            }
        }
        for stranger in strangers.sorted() {
            guard let sha256 = bytes(hex: stranger), let status = try folder.status(stranger) else { continue }
            let content = StoredContent(sha256: sha256, bytes: status.bytes)
            if isDeep, let kind = fault(of: content, in: folder, isDeep: true, meter) {
                look.faults.append(ObjectFault(content: content, kind: kind))
            } else {
                look.strangers.append(content)
            }
        }
        return look
    }

    private static func fault(
        of content: StoredContent, in folder: Directory, isDeep: Bool, _ meter: Meter
    ) -> ObjectFault.Kind? {
        do {
            let name = ObjectName(content.sha256).file
            guard let status = try folder.status(name) else { return .missing }
            guard status.isRegular else { return .damaged("it is no regular file") }
            guard status.bytes == content.bytes else {
                return .damaged("it has \(status.bytes) bytes instead of \(content.bytes)")
            }
            guard isDeep else { return nil }
            let found = try digest(of: folder.open(name), meter)
            return found == content.sha256 ? nil : .damaged("its content has the SHA-256 \(hex(found))")
        } catch {
            return .unreadable("\(error)")
        }
    }

    // MARK: - What comes of a fault

    private func settle(_ fault: ObjectFault, _ locks: [String: FileLock]) async throws -> Finding {
        let content = fault.content
        let path = "objects/\(content.objectPath)"
        let problem =
            switch fault.kind {
            case .missing: "missing"
            case .damaged(let how): "damaged: \(how)"
            case .unreadable(let why): "unreadable: \(why)"
            }
        func finding(_ remedy: String, isRepaired: Bool = false) -> Finding {
            Finding(path: path, problem: problem, remedy: remedy, isRepaired: isRepaired)
        }
        let uses = try await store.catalog.uses(of: content)
        if case .unreadable = fault.kind { return finding("look at the disk and its log, then verify again") }
        guard options.repairs else { return finding("nothing was changed (--dry-run)") }
        if let busy = uses.names.first(where: { locks[$0.job] == nil }) { return finding(Self.busy(busy.job)) }
        if try await store.mend(content, from: uses.names, at: options.now) {
            return finding("repaired from a copy under files/", isRepaired: true)
        }
        let isDamaged = if case .damaged = fault.kind { true } else { false }
        let aside = isDamaged ? "set aside in \(Store.lostAndFound); " : ""
        try await store.catalog.forget(content)
        if uses.jobs.isEmpty && uses.names.isEmpty { return finding("\(aside)no file needs it", isRepaired: true) }
        let files = uses.names.first.map { "files/\($0.job)/\($0.name)" } ?? "nothing yet"
        let more = uses.names.count > 1 ? " and \(uses.names.count - 1) more" : ""
        return finding("\(aside)the content of \(files)\(more) is lost; \(Self.hope(of: uses.jobs))")
    }

    /// What may bring lost content back, and how to be rid of it.
    static func hope(of jobs: [String]) -> String {
        let gc = "'nightjar gc --apply' takes the name away for good"
        guard !jobs.isEmpty else { return "its URL has other content now; \(gc)" }
        let names = jobs.map { "'\($0)'" }.joined(separator: ", ")
        return "the next run of \(names) fetches it again, if its URL still gives it, else \(gc)"
    }

    private func settle(strayShelf name: String) async throws -> Finding {
        func finding(_ remedy: String, isRepaired: Bool = false) -> Finding {
            Finding(path: "objects/\(name)", problem: "it is no folder", remedy: remedy, isRepaired: isRepaired)
        }
        guard options.repairs else { return finding("nothing was changed (--dry-run)") }
        let aside = try await store.setAside(strayShelf: name, at: options.now)
        return finding("set aside as \(Store.lostAndFound)/\(aside)", isRepaired: true)
    }
}

extension ShelfLook {
    fileprivate mutating func add(_ other: ShelfLook) {
        count += other.count
        strangers += other.strangers
        faults += other.faults
    }
}
