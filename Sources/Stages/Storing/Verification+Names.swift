import Files
import Lanes
import Model

/// What stands against one name.
private enum NameFault: Sendable {
    case missing
    case other(String)
    /// The content itself is not there; the object's own finding says what comes of it.
    case withoutObject
}

extension Verifier {
    func verifyNames(of job: String, mayRepair: Bool, _ result: inout VerifyResult) async throws {
        var last = ""
        while true {
            let names = try await store.catalog.names(of: job, after: last, limit: 1000)
            guard let end = names.last else { return }
            last = end.name
            result.names += names.count
            let (files, objects, isDeep, meter) = (store.files, store.objects, options.isDeep, meter)
            let faults = try await pool.run {
                try Self.faults(of: names, job, files, objects, isDeep: isDeep, meter)
            }
            for (index, fault) in faults {
                if let finding = await settle(fault, names[index], job, mayRepair) { result.add(finding) }
            }
        }
    }

    private static func faults(
        of names: [(name: String, content: StoredContent)], _ job: String, _ files: Directory, _ objects: Directory,
        isDeep: Bool, _ meter: Meter
    ) throws -> [(Int, NameFault)] {
        var folders: [String: Directory] = [:]
        var faults: [(Int, NameFault)] = []
        for (index, one) in names.enumerated() {
            let (path, file) = Placer.split(one.name)
            if folders[path] == nil {
                folders[path] = try? files.directory(path.isEmpty ? job : "\(job)/\(path)")
            }
            let object = try objects.status(one.content.objectPath)
            guard let object, object.bytes == one.content.bytes else {
                faults.append((index, .withoutObject))
                continue
            }
            guard let folder = folders[path], let status = try folder.status(file) else {
                faults.append((index, .missing))
                continue
            }
            if status.inode == object.inode, status.device == object.device { continue }
            if let fault = try fault(of: one.content, folder, file, status, isDeep: isDeep, meter) {
                faults.append((index, fault))
            }
        }
        return faults
    }

    /// A file that is no link to its object: a copy, or something else.
    private static func fault(
        of content: StoredContent, _ folder: Directory, _ file: String, _ status: FileStatus, isDeep: Bool,
        _ meter: Meter
    ) throws -> NameFault? {
        guard status.isRegular else { return .other("it is no regular file") }
        guard status.bytes == content.bytes else {
            return .other("it has \(status.bytes) bytes instead of \(content.bytes)")
        }
        guard isDeep else { return nil }
        return try digest(of: folder.open(file), meter) == content.sha256 ? nil : .other("it has other content")
    }

    private func settle(
        _ fault: NameFault, _ one: (name: String, content: StoredContent), _ job: String, _ mayRepair: Bool
    ) async -> Finding? {
        let problem: String
        switch fault {
        case .withoutObject: return nil
        case .missing: problem = "missing"
        case .other(let how): problem = "changed: \(how)"
        }
        func finding(_ remedy: String, isRepaired: Bool = false) -> Finding {
            Finding(path: "files/\(job)/\(one.name)", problem: problem, remedy: remedy, isRepaired: isRepaired)
        }
        guard options.repairs else { return finding("nothing was changed (--dry-run)") }
        guard mayRepair else { return finding(Self.busy(job)) }
        switch await store.restore([one], of: job, copies: false, at: options.now).first {
        case .restored: return finding("repaired: it is a link to its object again", isRepaired: true)
        case .replaced:
            return finding("repaired: what stood there lies in quarantine/\(job)", isRepaired: true)
        case .failed(let failure): return finding("could not be repaired: \(failure.message)")
        case nil: return finding("could not be repaired")
        }
    }
}
