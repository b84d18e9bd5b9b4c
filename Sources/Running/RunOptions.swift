package import Model
package import Reporting

/// How a run shows itself; the printers are the executable's.
package struct RunOptions: Sendable {
    package var logFormat = LogFormat.text
    /// Prints failures only.
    package var isQuiet = false
    /// Leaves out the jobs that are not due by their schedule.
    package var runsOnlyDue = false
    /// How many jobs run at once at most.
    package var jobsAtOnce = 2
    /// A file for node_exporter's textfile collector, with the last runs of all jobs.
    package var metrics: String?
    /// Standard error is the journal of systemd.
    package var isForJournal = false
    /// Whether the log has lines on how far a run is.
    package var showsProgress = true
    /// Hears every run's events beside log and report: a live view of the run. nil for none.
    package var watch: (@Sendable (RunIdentity, ArraySlice<RunEvent>) -> Void)?
    package var processID: Int32
    /// Where secrets may come from.
    package var environment: [String: String]
    /// Writes whole lines to standard error.
    package var printError: @Sendable ([UInt8]) -> Void
    /// A run's report is written.
    package var finished: @Sendable ((job: String, run: String)) throws -> Void

    package init(
        processID: Int32, environment: [String: String], printError: @escaping @Sendable ([UInt8]) -> Void,
        finished: @escaping @Sendable ((job: String, run: String)) throws -> Void
    ) {
        self.processID = processID
        self.environment = environment
        self.printError = printError
        self.finished = finished
    }

    /// A line on standard error unless the run is quiet.
    func tell(_ line: String, event: LogEvent = .note, job: String? = nil) {
        guard !isQuiet else { return }
        printError(note(line, event: event, job: job, isError: false, logFormat, isForJournal: isForJournal))
    }

    /// A line on standard error that somebody has to look at.
    package func complain(_ line: String) {
        printError(note(line, isError: true, logFormat, isForJournal: isForJournal))
    }
}
