import Files
import Lanes
package import Model

/// What became of a name that the disk had lost, or that something else had taken.
package enum Restoration: Sendable, Hashable {
    /// The name is its content's again.
    case restored
    /// So it is, and what had the name lies in quarantine.
    case replaced
    case failed(Failure)
}

extension Store {
    /// Gives names back to their content. What has such a name meanwhile and is other content is moved to
    /// `quarantine/<job>/`, never removed.
    /// - Parameter seconds: now, since 1970.
    /// - Returns: one restoration for each name, in order.
    package func restore(
        _ names: [(name: String, content: StoredContent)], of job: String, copies: Bool, at seconds: Double
    ) async -> [Restoration] {
        let (root, files, shelves) = (root, files, shelves)
        let restored = try? await disk.run {
            let quarantine = try root.directory("quarantine/\(job)", create: true)
            var placer = Placer(folder: try files.directory(job, create: true), shelves: shelves, copies: copies)
            let restorations = names.map { name, content in
                placer.restore(name, content, quarantine: quarantine, at: seconds)
            }
            try placer.synchronize()
            return restorations
        }
        return restored
            ?? names.map { _ in .failed(Failure(.io, "quarantine/\(job) or files/\(job) cannot be opened")) }
    }

    /// Takes away the names that a killed run gave to files and did not come to record: the content stays an object,
    /// and this run names it. What is not that content stays.
    package func removeLeftNames(of job: String) async throws {
        let (files, objects) = (files, objects)
        let left = try await catalog.leftNames(of: job)
        if !left.isEmpty {
            try await disk.run {
                let folder = try files.directory(job, create: true)
                var temporaries: [String: [String]] = [:]
                for (name, content, isReplacing) in left {
                    try removeTemporaries(name, content, in: folder, &temporaries)
                    // A name that stood for older content goes on to be one; the run says for which.
                    if !isReplacing { try removeLeft(name, content, in: folder, objects) }
                }
            }
        }
        try await catalog.forgetAnnouncedNames(of: job)
    }

    /// Looks whether the content of files is there. What is damaged is set aside and comes back from another file of the
    /// job that has it; what does not is lost, and the next run fetches it again if its URL still gives it.
    /// - Parameter isDeep: reads it back.
    /// - Returns: the files whose content was not right, each with whether it is right now.
    package func mendContent(
        of named: [NamedFile], job: String, isDeep: Bool, at seconds: Double
    ) async throws -> [(file: NamedFile, isMended: Bool)] {
        let objects = objects
        let faulty = try await disk.run {
            try named.filter { file in
                let name = ObjectName(file.content.sha256)
                guard try name.isHeld(in: objects, bytes: file.content.bytes) else { return true }
                return try isDeep && digest(of: objects.directory(name.folder).open(name.file)) != file.content.sha256
            }
        }
        var words: [(file: NamedFile, isMended: Bool)] = []
        for file in faulty {
            let uses = try await catalog.uses(of: file.content)
            let own = uses.names.filter { $0.job.utf8.elementsEqual(job.utf8) }
            let isMended = try await mend(file.content, from: own, at: seconds)
            if !isMended { try await catalog.forget(file.content) }
            words.append((file, isMended))
        }
        return words
    }
}

extension Placer {
    fileprivate mutating func restore(
        _ name: String, _ content: StoredContent, quarantine: Directory, at seconds: Double
    ) -> Restoration {
        do {
            let isOther = try setAside(name, content, quarantine: quarantine, at: seconds)
            let chosen = ChosenName(restoring: name, of: content)
            switch place(chosen) {
            case .placed: return isOther ? .replaced : .restored
            case .taken, .blocked: return .failed(Failure(.io, "something stands where its folder should be"))
            case .failed(let failure): return .failed(failure)
            }
        } catch {
            return .failed(Store.failure(error))
        }
    }

    /// Frees a name.
    /// - Returns: false when nothing, or a mere copy of the content, had it.
    private func setAside(
        _ name: String, _ content: StoredContent, quarantine: Directory, at seconds: Double
    ) throws -> Bool {
        let (path, file) = Self.split(name)
        let target = try folder.directory(path, create: true)
        guard let status = try target.status(file) else { return false }
        if status.isRegular, try digest(of: target.open(file)) == content.sha256 {
            try target.remove(file)
            return false
        }
        if status.isRegular { try target.open(file).setModified(seconds) }
        try target.setAside(file, in: quarantine, as: asideName(name, at: seconds), ".replaced")
        return true
    }
}

/// What a file is called in quarantine, by its name below `files/<job>` and the time in seconds since 1970.
func asideName(_ name: String, at seconds: Double) -> String {
    let flat = String(decoding: name.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
    return "\(String(flat.prefix(60))).\(Int64(exactly: seconds.rounded(.down)) ?? 0)"
}

/// What a copy was until it was whole.
private func removeTemporaries(
    _ name: String, _ content: StoredContent, in folder: Directory, _ temporaries: inout [String: [String]]
) throws {
    let path = Placer.split(name).folder
    guard let target = try? folder.directory(path) else { return }
    let object = ObjectName(content.sha256).file
    let left = try temporaries[path] ?? target.names().filter { $0.hasPrefix(".") && $0.hasSuffix(".tmp") }
    temporaries[path] = left
    for temporary in left where temporary.hasPrefix(".\(object).") { try target.remove(temporary) }
}

private func removeLeft(
    _ name: String, _ content: StoredContent, in folder: Directory, _ objects: Directory
) throws {
    let (path, file) = Placer.split(name)
    guard let target = try? folder.directory(path) else { return }
    guard let status = try target.status(file), status.isRegular, status.bytes == content.bytes else { return }
    let original = try objects.status(content.objectPath)
    let isLink = original?.inode == status.inode && original?.device == status.device
    guard try isLink || digest(of: target.open(file)) == content.sha256 else { return }
    try target.remove(file)
}
