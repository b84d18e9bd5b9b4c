package import Model

/// Jobs' last runs in the text format of Prometheus (version 0.0.4), for node_exporter's textfile collector: one family
/// after the other, each with its help and type, without times, which that collector refuses.
package func metricsText(of jobs: [JobStanding]) -> String {
    var text = ""
    func family(_ name: String, _ help: String, _ samples: (JobStanding) -> [(label: String, value: String)]) {
        let lines = jobs.flatMap { job in
            samples(job).map { "nightjar_\(name){job=\"\(job.job)\"\($0.label)} \($0.value)\n" }
        }
        guard !lines.isEmpty else { return }
        text += "# HELP nightjar_\(name) \(help)\n# TYPE nightjar_\(name) gauge\n\(lines.joined())"
    }
    func one(_ value: Double?) -> [(label: String, value: String)] { value.map { [("", number($0))] } ?? [] }

    family("last_run_start_timestamp_seconds", "When the job's last run started.") { one($0.started) }
    family("last_run_end_timestamp_seconds", "When the job's last run ended.") { one($0.finished) }
    family("last_run_duration_seconds", "How long the job's last run took.") { one(max($0.finished - $0.started, 0)) }
    family("last_success_timestamp_seconds", "When the job's last run that succeeded ended.") { one($0.lastSuccess) }
    family("last_run_exit_status", "The exit status of the job's last run.") { one($0.exitStatus.map(Double.init)) }
    family("last_run_status", "1 for the status that the job's last run ended with, 0 for the others.") { job in
        RunStatus.allCases.map { (",status=\"\($0.rawValue)\"", $0 == job.status ? "1" : "0") }
    }
    family("last_run_items", "The items of the job's last run by what became of them.") { job in
        let counts = job.counts
        let items = [
            ("downloaded", counts.downloaded), ("unchanged", counts.unchanged), ("duplicate", counts.duplicate),
            ("skipped", counts.skipped), ("failed", counts.failed), ("gone", counts.gone),
        ]
        return items.map { (",status=\"\($0.0)\"", "\($0.1)") }
    }
    family("last_run_pages", "The pages that the job's last run read.") { one(Double($0.counts.pages)) }
    family("last_run_received_bytes", "The bytes of bodies that the job's last run received.") {
        one(Double($0.bytes.received))
    }
    family("last_run_stored_bytes", "The bytes of new content that the job's last run stored.") {
        one(Double($0.bytes.stored))
    }
    return text
}

/// Digits with a decimal point at most: never an exponent, which people read badly.
private func number(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 9e15 else { return "0" }
    let thousandths = Int64((value * 1000).rounded())
    let (whole, rest) = (thousandths / 1000, abs(thousandths % 1000))
    if rest == 0 { return "\(whole)" }
    let digits = "\(rest + 1000)".dropFirst()
    return "\(thousandths < 0 && whole == 0 ? "-" : "")\(whole).\(digits)"
}
