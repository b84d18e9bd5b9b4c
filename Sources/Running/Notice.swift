import Files
import Model
import Reporting
import Times

/// What is told of a run that has ended.
struct Notice: Sendable {
    let identity: RunIdentity
    let end: RunEnd
    let tally: RunTally
    /// The report's absolute path.
    let report: String
    /// The run at a glance.
    let summary: String

    init(_ identity: RunIdentity, _ end: RunEnd, _ tally: RunTally, in folder: Directory) {
        self.identity = identity
        self.end = end
        self.tally = tally
        let path = absolutePath(folder.below("\(identity.id).json"))
        report = path
        let headline = "\(identity.job): \(end.status.rawValue), run \(identity.id)\n  report     \(path)\n"
        // A report with very many failures is not read only to show two of them.
        let written = tally.counts.failed <= 10_000 ? try? RunReport.read(identity.id, in: folder) : nil
        summary = written.map { Reporting.summary(of: $0, path: path) } ?? headline
    }

    var hasSucceeded: Bool { end.status == .succeeded }

    /// The environment of commands.
    var variables: [(name: String, value: String)] {
        [
            ("NIGHTJAR_JOB", identity.job), ("NIGHTJAR_RUN", identity.id), ("NIGHTJAR_STATUS", end.status.rawValue),
            ("NIGHTJAR_EXIT_STATUS", "\(end.exitStatus)"), ("NIGHTJAR_REPORT", report),
        ]
    }

    /// The JSON that is posted; `text` is what chat services show.
    var json: String { noticeJSON(identity, end, tally, text: summary, report: report) }

    /// A mail with its head. The subject holds nothing that a server has sent.
    func mail(to addresses: [String]) -> [UInt8] {
        let head = [
            "To: \(addresses.joined(separator: ", "))",
            "Subject: nightjar: \(identity.job) \(end.status.rawValue) (status \(end.exitStatus))",
            "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: 8bit", "X-Nightjar-Run: \(identity.id)",
        ]
        return Array((head.joined(separator: "\n") + "\n\n" + summary).utf8.prefix(60_000))
    }
}
