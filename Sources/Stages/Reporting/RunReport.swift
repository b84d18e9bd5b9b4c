package import Files
import FoundationEssentials
package import Model

/// A report as it is read back.
package struct RunReport: Sendable, Decodable {
    package struct Run: Sendable, Decodable {
        package let id: String
        package let job: String
        package let started: String
        package let finished: String
        package let status: RunStatus
        package let exitStatus: Int32

        private enum CodingKeys: String, CodingKey {
            case id, job, started, finished, status
            case exitStatus = "exit_status"
        }
    }
    package let run: Run
    package let counts: RunCounts
    package let bytes: RunBytes
    package let failures: [ItemRecord]
    package let warnings: [RunWarning]
    package let bundles: [BundleRecord]

    /// Reads `<name>.json` of a job's report folder.
    /// - Parameter name: a run id, or `latest`.
    /// - Throws: `SystemError` when it is not there, ``ReportError`` when it is no report.
    package static func read(_ name: String, in folder: Directory) throws -> RunReport {
        try parse(json(name, in: folder), path: folder.below("\(name).json"))
    }

    /// The report as it was written.
    package static func json(_ name: String, in folder: Directory) throws -> [UInt8] {
        var file = "\(name).json"
        if let target = try folder.linkTarget(file), !target.contains("/") { file = target }
        return try folder.open(file).readAll(limit: 1 << 30)
    }

    private static func parse(_ json: [UInt8], path: String) throws -> RunReport {
        do { return try JSONDecoder().decode(RunReport.self, from: Data(json)) } catch {
            throw ReportError(path: path, reason: "\(error)")
        }
    }
}

/// Removes what a killed run left half-written in a job's report folder; the caller holds the job's lock.
package func removeTemporaries(of folder: Directory) throws(SystemError) {
    for name in try folder.names() where name.hasPrefix(".") && name.hasSuffix(".tmp") { try folder.remove(name) }
}

/// A file that is no report of this program.
package struct ReportError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    package var description: String { "\(path) is no run report: \(reason)" }
}
