import Files
import Lanes
import Model

/// What stands against one name.
private enum NameFault: Sendable {
    case missing
    case other(String)
    /// The content itself is not there.
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
                let isTold = result.toldContents.contains(names[index].content.sha256)
                if let finding = try await settle(fault, names[index], job, mayRepair, isTold: isTold) {
                    result.add(finding)
                }
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
            // What cannot be looked at is an object's own finding.
            let object = (try? objects.status(one.content.objectPath)) ?? nil
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
        _ fault: NameFault, _ one: (name: String, content: StoredContent), _ job: String, _ mayRepair: Bool,
        isTold: Bool
    ) async throws -> Finding? {
        let problem: String
        switch fault {
        case .withoutObject:
            guard !isTold else { return nil }
            problem = "its content is lost"
        case .missing: problem = "missing"
        case .other(let how): problem = "changed: \(how)"
        }
        func finding(_ remedy: String, isRepaired: Bool = false) -> Finding {
            Finding(path: "files/\(job)/\(one.name)", problem: problem, remedy: remedy, isRepaired: isRepaired)
        }
        guard options.repairs else { return finding("nothing was changed (--dry-run)") }
        guard mayRepair else { return finding(Self.busy(job)) }
        if case .withoutObject = fault {
            if try await store.mend(one.content, from: [(job, one.name)], at: options.now) {
                _ = try await store.catalog.recordNeeded([one.content], at: options.now)
                return finding("repaired: the file has it still, and is its object again", isRepaired: true)
            }
            return finding(Self.hope(of: try await store.catalog.uses(of: one.content).jobs))
        }
        switch await store.restore([one], of: job, copies: false, at: options.now).first {
        case .restored: return finding("repaired: it is a link to its object again", isRepaired: true)
        case .replaced:
            return finding("repaired: what stood there lies in quarantine/\(job)", isRepaired: true)
        case .failed(let failure): return finding("could not be repaired: \(failure.message)")
        case nil: return finding("could not be repaired")
        }
    }
}
