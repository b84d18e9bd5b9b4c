package import Files
import JSON
package import Model
import URLs

/// A report as it is read back, its failures grouped.
package struct RunReport: Sendable {
    package struct Run: Sendable, Hashable {
        package var id = ""
        package var job = ""
        package var manifestSHA256 = ""
        /// RFC 3339.
        package var started = ""
        package var finished = ""
        package var status = RunStatus.failed
        package var exitStatus: Int32 = 0
    }
    package var run = Run()
    package var counts = RunCounts()
    package var bytes = RunBytes()
    package var changes = RunChanges()
    package var failures = FailureGroups()
    package var warnings: [RunWarning] = []
    package var bundles: [BundleRecord] = []

    /// Reads `<name>.json` of a job's report folder.
    /// - Parameter name: a run id, or `latest`.
    /// - Throws: `SystemError` when it is not there, ``ReportError`` when it is no report.
    package static func read(_ name: String, in folder: Directory) throws -> RunReport {
        var report = RunReport()
        var splitter = JSONSplitter(elementsOf: ["failures"])
        do {
            try readPieces(of: file(name, in: folder), in: folder) { piece in
                try splitter.feed(piece) { try report.take($0, JSONValue(parsing: $1)) }
            }
            try splitter.end()
        } catch let error as SystemError { throw error } catch {
            throw ReportError(path: folder.below("\(name).json"), reason: "\(error)")
        }
        guard !report.run.id.isEmpty else {
            throw ReportError(path: folder.below("\(name).json"), reason: "it names no run")
        }
        return report
    }

    /// Gives the report as it was written, in pieces.
    package static func copy(_ name: String, in folder: Directory, to write: (ArraySlice<UInt8>) throws -> Void) throws
    {
        try readPieces(of: file(name, in: folder), in: folder, write)
    }

    /// The newest report's file may be replaced while it is read, so the link is followed once.
    private static func file(_ name: String, in folder: Directory) throws -> String {
        let file = "\(name).json"
        if let target = try folder.linkTarget(file), !target.contains("/") { return target }
        return file
    }

    private mutating func take(_ member: String, _ value: JSONValue) throws {
        switch member {
        case "run": run = try Run(value)
        case "counts": counts = RunCounts(value)
        case "bytes": bytes = RunBytes(value)
        case "changes": changes = RunChanges(value)
        case "failures": if let record = ItemRecord(value) { failures.add(record) }
        case "warnings": warnings = value.elements?.compactMap(RunWarning.init) ?? []
        case "bundles": bundles = value.elements?.compactMap(BundleRecord.init) ?? []
        default: break
        }
    }
}

/// Failed items by error and host, each group with its first example: bounded, however many there are.
package struct FailureGroups: Sendable {
    package struct Group: Sendable {
        package let code: String
        package let host: String
        package var count: Int
        package let first: ItemRecord
    }
    private static let most = 1000
    private var groups: [String: Group] = [:]
    private var order: [String] = []
    package private(set) var total = 0
    /// Failures of groups that there was no room for.
    package private(set) var others = 0

    package init() {}

    package mutating func add(_ record: ItemRecord) {
        total += 1
        let code = record.error?.code.rawValue ?? "unknown"
        let host = WebURL(record.url)?.host ?? ""
        let key = "\(code) \(host)"
        if groups[key] == nil {
            guard groups.count < Self.most else {
                others += 1
                return
            }
            groups[key] = Group(code: code, host: host, count: 0, first: record)
            order.append(key)
        }
        groups[key]?.count += 1
    }

    /// The largest first; of like ones the one that came first.
    package var sorted: [Group] {
        order.compactMap { groups[$0] }.enumerated().sorted {
            ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
        }
        .map(\.element)
    }
}

/// A file that is no report of this program.
package struct ReportError: Error, CustomStringConvertible {
    struct Reason: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }
    let path: String
    let reason: String

    package var description: String { "\(path) is no run report: \(reason)" }
}

/// Removes what a killed run left half-written in a job's report folder; the caller holds the job's lock.
package func removeTemporaries(of folder: Directory) throws(SystemError) {
    for name in try folder.names() where name.hasPrefix(".") && name.hasSuffix(".tmp") { try folder.remove(name) }
}
