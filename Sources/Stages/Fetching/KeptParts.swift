package import Files
import Lanes
import Model
import Synchronization
import URLs

/// The beginnings of bodies that earlier runs of a job have left below `partial/`, by URL.
package final class KeptParts: Sendable {
    private struct Found {
        let name: String
        let log: PartLog
    }
    private let found: Mutex<[String: Found]>
    private let directory: Directory?
    private let disk: LanePool?
    /// After two weeks nobody waits for the rest any more.
    private static let longest = 14 * 86400.0

    /// Nothing is kept.
    package static let none = KeptParts([:], in: nil, disk: nil)

    private init(_ found: [String: Found], in directory: Directory?, disk: LanePool?) {
        self.found = Mutex(found)
        self.directory = directory
        self.disk = disk
    }

    /// Looks through a job's folder and removes from it what nobody can go on with. The caller holds the job's lock.
    /// - Parameter now: seconds since 1970.
    /// - Throws: `SystemError` or `LaneError` when the folder cannot be read.
    package static func open(_ directory: Directory, now: Double) async throws -> KeptParts {
        let disk = try LanePool("parts", threads: 2)
        return KeptParts(try await disk.run { try sweep(directory, now) }, in: directory, disk: disk)
    }

    private static func sweep(_ directory: Directory, _ now: Double) throws -> [String: Found] {
        var found: [String: Found] = [:]
        var rest = Set(try directory.names())
        for name in rest.sorted() where name.hasSuffix(".part") {
            guard let log = log(of: name, in: directory, now) else { continue }
            let key = log.origin.url.href
            // Of two beginnings the one that reaches further is worth more.
            if let other = found[key], other.log.reach >= log.reach { continue }
            found[key] = Found(name: name, log: log)
        }
        for one in found.values { rest.subtract([one.name, PartFile.logName(of: one.name)]) }
        for name in rest { try remove(name, of: directory) }
        return found
    }

    /// A folder is nothing of ours: it only must not have the name of a part.
    private static func remove(_ name: String, of directory: Directory) throws {
        guard try directory.status(name)?.isDirectory == true else { return try directory.remove(name) }
        let end = ".aside"
        guard !name.hasSuffix(end) else { return }
        var number = 1
        func free() -> String { number == 1 ? name + end : "\(name)-\(number)\(end)" }
        while try directory.status(free()) != nil { number += 1 }
        try directory.rename(name, to: directory, free())
    }

    private static func log(of name: String, in directory: Directory, _ now: Double) -> PartLog? {
        guard let part = try? directory.status(name), part.isRegular,
            let file = try? directory.open(PartFile.logName(of: name)), let status = try? file.status(),
            status.isRegular, Double(status.modified) >= now - longest,
            let text = try? file.readAll(limit: PartLog.mostBytes), let log = PartLog(text),
            let first = log.checkpoints.first, part.bytes >= first.bytes
        else { return nil }
        return log
    }

    /// What there is of a URL's body.
    enum Kept: Sendable {
        case beginning(PartSink)
        case segments(SegmentedPart)
    }

    /// What there is of a URL's body, read again and proven; the caller has it alone from now on.
    func take(_ url: WebURL, keepFree: Int64?) async -> Kept? {
        guard let directory, let disk,
            let found = found.withLock({ $0.removeValue(forKey: url.withoutUserinfo.withoutFragment.href) })
        else { return nil }
        let isCancelled = Flag()
        let kept = await withTaskCancellationHandler {
            try? await disk.run { () -> Kept? in
                if found.log.origin.segments > 1 {
                    return try SegmentedPart.reopened(
                        found.name, found.log, in: directory, isCancelled: { isCancelled.isSet }
                    ).map { .segments($0) }
                }
                return try PartSink.reopened(
                    found.name, found.log, in: directory, keepFree: keepFree, isCancelled: { isCancelled.isSet }
                ).map { .beginning($0) }
            }
        } onCancel: {
            isCancelled.set()
        }
        if kept == nil, !isCancelled.isSet {
            await run {
                try? directory.remove(PartFile.logName(of: found.name))
                try? directory.remove(found.name)
            }
        }
        return kept
    }

    /// Removes what cannot be gone on with.
    func discard(_ sink: PartSink) async { await run { sink.discard() } }

    /// Does what may block.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        guard let disk, let value = try? await disk.run({ work() }) else { return work() }
        return value
    }
}

extension PartLog {
    /// The last byte that it can prove.
    fileprivate var reach: Int64 {
        var reached: [Int: Int64] = [:]
        for checkpoint in checkpoints { reached[checkpoint.segment] = checkpoint.bytes }
        return reached.values.reduce(0, +)
    }
}
