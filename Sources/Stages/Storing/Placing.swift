import Files
import Glibc
import Lanes
package import Model

/// What became of a name that was chosen.
package enum Placement: Sendable, Hashable {
    case placed
    /// Something else has that name on the disk: choose the next.
    case taken
    /// Something that is no folder has the name of one of its folders.
    case blocked
    case failed(Failure)
}

extension Store {
    /// Gives content its names below `files/<job>/`; the names are durable when this returns.
    /// - Parameter copies: a copy of its own for each name instead of a hard link.
    /// - Returns: one placement for each name, in order.
    package func place(_ names: [ChosenName], of job: String, copies: Bool) async -> [Placement] {
        let (files, shelves) = (files, shelves)
        do {
            return try await disk.run {
                var placer = Placer(folder: try files.directory(job, create: true), shelves: shelves, copies: copies)
                let placements = names.map { placer.place($0) }
                try placer.synchronize()
                return placements
            }
        } catch {
            return names.map { _ in .failed(Self.failure(error)) }
        }
    }

    /// Which of a job's names are there and their content's: the same file as the object, or for copies one of its
    /// length.
    package func present(
        _ names: [(name: String, content: StoredContent)], of job: String, copies: Bool
    ) async -> [Bool] {
        let (files, objects) = (files, objects)
        let present = try? await disk.run {
            names.map { name, content in
                let (folder, file) = Placer.split(name)
                let status = try? files.directory(folder.isEmpty ? job : "\(job)/\(folder)").status(file)
                guard let status, status.isRegular, status.bytes == content.bytes else { return false }
                let object = try? objects.status(content.objectPath)
                // Where links come to the file system's bound a name has a copy.
                return copies || status.inode == object?.inode || (object?.links ?? 0) >= 60_000
            }
        }
        return present ?? names.map { _ in false }
    }
}

struct Placer {
    let folder: Directory
    let shelves: Shelves
    let copies: Bool
    fileprivate var folders: [String: Directory] = [:]

    init(folder: Directory, shelves: Shelves, copies: Bool) {
        self.folder = folder
        self.shelves = shelves
        self.copies = copies
    }

    static func split(_ name: String) -> (folder: String, file: String) {
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", name) }
        return (String(name[..<slash]), String(name[name.utf8.index(after: slash)...]))
    }

    mutating func place(_ chosen: ChosenName) -> Placement {
        do {
            let (path, file) = Self.split(chosen.name)
            let target = try folders[path] ?? folder.directory(path, create: true)
            folders[path] = target
            let name = ObjectName(chosen.content.sha256)
            let shelf = try shelves.folder(of: name)
            let isReplacing = try chosen.replaces.map { try isLeft($0, as: file, in: target) } ?? false
            if copies {
                if try isCopy(of: chosen.content, file, in: target) { return .placed }
                try copy(name.file, from: shelf, to: target, file, isReplacing)
            } else {
                return try link(name.file, from: shelf, to: target, file, isReplacing)
            }
            return .placed
        } catch let error as SystemError where [ENOTDIR, ELOOP].contains(error.code) {
            return .blocked
        } catch let error as SystemError where [EISDIR, EEXIST].contains(error.code) {
            return .taken
        } catch {
            return .failed(Store.failure(error))
        }
    }

    /// True when a file is the one that was given that name for that content: what somebody put in its place is not
    /// replaced.
    private func isLeft(_ content: StoredContent, as name: String, in folder: Directory) throws -> Bool {
        guard let status = try folder.status(name), status.isRegular, status.bytes == content.bytes else {
            return false
        }
        guard !copies, let object = try? shelves.objects.status(content.objectPath) else { return true }
        return isSame(status, object) || object.links >= 60_000
    }

    private func link(
        _ name: String, from shelf: Directory, to target: Directory, _ newName: String, _ isReplacing: Bool
    ) throws -> Placement {
        do {
            try shelf.link(name, to: target, newName)
        } catch  where error.cannotLink {
            try copy(name, from: shelf, to: target, newName, isReplacing)
        } catch  where error.alreadyExists {
            if try isSame(shelf.status(name), target.status(newName)) { return .placed }
            guard isReplacing else { return .taken }
            try replace(newName, of: target, by: name, of: shelf)
        }
        return .placed
    }

    /// Puts a link in the place of another file, so that the name stands for one of the two at any moment.
    private func replace(_ newName: String, of target: Directory, by name: String, of shelf: Directory) throws {
        let temporary = temporary(name)
        try target.remove(temporary)
        do { try shelf.link(name, to: target, temporary) } catch  where error.cannotLink {
            return try copy(name, from: shelf, to: target, newName, true)
        }
        do { try target.rename(temporary, to: target, newName) } catch {
            try? target.remove(temporary)
            throw error
        }
    }

    private func temporary(_ name: String) -> String { ".\(name).\(getpid()).tmp" }

    /// The same for a copy.
    private func isCopy(of content: StoredContent, _ name: String, in folder: Directory) throws -> Bool {
        guard let status = try folder.status(name), status.isRegular, status.bytes == content.bytes else {
            return false
        }
        return try digest(of: folder.open(name)) == content.sha256
    }

    /// A kill between naming and the catalog leaves a name that is right already.
    private func isSame(_ one: FileStatus?, _ other: FileStatus?) -> Bool {
        guard let one, let other else { return false }
        return one.device == other.device && one.inode == other.inode
    }

    private func copy(
        _ name: String, from shelf: Directory, to target: Directory, _ newName: String, _ isReplacing: Bool
    ) throws {
        let temporary = temporary(name)
        try target.remove(temporary)
        do {
            try fill(temporary, of: target, from: shelf.open(name))
            if isReplacing {
                try target.rename(temporary, to: target, newName)
            } else {
                try target.renameNew(temporary, to: target, newName)
            }
        } catch {
            try? target.remove(temporary)
            throw error
        }
    }

    private func fill(_ temporary: String, of target: Directory, from source: borrowing Descriptor) throws {
        let copy = try target.create(temporary, mode: 0o444)
        try source.copyContent(to: copy)
        try copy.synchronize()
    }

    func synchronize() throws {
        try Store.synchronize(Array(folders.values), folder)
    }
}

extension SystemError {
    /// The file has as many names as its file system allows, lies on another one, or on one without links: a copy will
    /// do. Shares the blocks where the file system can.
    fileprivate var cannotLink: Bool { [EMLINK, EXDEV, EPERM, EOPNOTSUPP].contains(code) }
}
