package import Files
import Lanes
package import Model

/// A finished download that is to become an object.
package struct Arrival: Sendable {
    package let part: PartFile
    /// Seconds since 1970, from Last-Modified: becomes the file's time when the content is new.
    package let modified: Double?

    package init(part: PartFile, modified: Double?) {
        self.part = part
        self.modified = modified
    }

    var content: StoredContent { StoredContent(sha256: part.sha256, bytes: part.bytes) }
}

/// What became of an arrival; content counts as stored only when it is durable.
package enum Settlement: Sendable {
    case stored
    /// The same content was there before.
    case known
    case failed(Failure)
}

extension Store {
    /// From this many files on one `syncfs` costs less than an `fsync` each.
    private static let groupSize = 8

    /// Makes downloads durable and gives them their place below `objects/`, many for the price of one.
    /// - Returns: one settlement for each arrival, in order.
    package func settle(_ arrivals: [Arrival], from partial: Directory) async -> [Settlement] {
        let shelves = shelves
        do {
            return try await disk.run { Self.settle(arrivals, from: partial, to: shelves) }
        } catch {
            return arrivals.map { _ in .failed(Failure(.io, "\(error)")) }
        }
    }

    private static func settle(_ arrivals: [Arrival], from partial: Directory, to shelves: Shelves) -> [Settlement] {
        let objects = shelves.objects
        var settlements = [Settlement](repeating: .known, count: arrivals.count)
        var fresh: [Int] = []
        var seen: Set<StoredContent> = []
        for (index, arrival) in arrivals.enumerated() {
            attempt(&settlements[index]) {
                let isHeld = try ObjectName(arrival.part.sha256).isHeld(in: objects, bytes: arrival.part.bytes)
                if isHeld || !seen.insert(arrival.content).inserted {
                    try remove(arrival.part, from: partial)
                } else {
                    fresh.append(index)
                }
            }
        }
        guard !fresh.isEmpty else { return settlements }
        for index in fresh {
            settlements[index] = .stored
            attempt(&settlements[index]) { try ready(arrivals[index], in: partial, alone: fresh.count < groupSize) }
        }
        if fresh.count >= groupSize {
            attempt(&settlements, fresh) { try partial.synchronizeFileSystem() }
        }
        var folders: [String: Directory] = [:]
        for index in fresh {
            guard case .stored = settlements[index] else { continue }
            var shelved = Settlement.stored
            attempt(&settlements[index]) {
                let name = ObjectName(arrivals[index].part.sha256)
                let folder = try shelves.folder(of: name, create: true)
                folders[name.folder] = folder
                shelved = try shelve(arrivals[index].part, from: partial, as: name, in: folder, objects)
            }
            if case .stored = settlements[index] { settlements[index] = shelved }
        }
        attempt(&settlements, fresh) { try synchronize(Array(folders.values), objects) }
        forget(arrivals, settlements, partial)
        return settlements
    }

    /// Gives content its place. Another process may have had the same content a moment ago: then its object stays, since
    /// names may be links to it already.
    private static func shelve(
        _ part: PartFile, from partial: Directory, as name: ObjectName, in folder: Directory, _ objects: Directory
    ) throws -> Settlement {
        do {
            try partial.renameNew(part.name, to: folder, name.file)
        } catch  where error.alreadyExists {
            if try name.isHeld(in: objects, bytes: part.bytes) {
                try remove(part, from: partial)
                return .known
            }
            try partial.rename(part.name, to: folder, name.file)
        } catch  where error.isNotSupported {
            try partial.rename(part.name, to: folder, name.file)
        }
        try? partial.remove(part.logName)
        return .stored
    }

    /// Content is read-only and never executable, whatever the umask; its time is the resource's.
    private static func ready(_ arrival: Arrival, in partial: Directory, alone: Bool) throws {
        let file = try partial.open(arrival.part.name)
        try file.setMode(0o444)
        // A file system that cannot hold the time keeps its own; the catalog has the right one.
        if let modified = arrival.modified { try? file.setModified(modified) }
        if alone { try file.synchronize() }
    }

    static func synchronize(_ folders: [Directory], _ parent: Directory) throws {
        guard folders.count < groupSize else { return try parent.synchronizeFileSystem() }
        for folder in folders { try folder.synchronize() }
        try parent.synchronize()
    }

    /// Content that could not be stored is not left behind.
    private static func forget(_ arrivals: [Arrival], _ settlements: [Settlement], _ partial: Directory) {
        for (arrival, settlement) in zip(arrivals, settlements) {
            if case .failed = settlement { try? remove(arrival.part, from: partial) }
        }
    }

    private static func remove(_ part: PartFile, from partial: Directory) throws {
        try partial.remove(part.logName)
        try partial.remove(part.name)
    }

    private static func attempt(_ settlement: inout Settlement, _ body: () throws -> Void) {
        do { try body() } catch { settlement = .failed(failure(error)) }
    }

    private static func attempt(_ settlements: inout [Settlement], _ indices: [Int], _ body: () throws -> Void) {
        do { try body() } catch {
            for index in indices { settlements[index] = .failed(failure(error)) }
        }
    }

    static func failure(_ error: any Error) -> Failure {
        Failure((error as? SystemError)?.isDiskFull == true ? .diskFull : .io, "\(error)")
    }
}
