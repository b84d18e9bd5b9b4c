/// How a job's newest run that has ended went. Times are in seconds since 1970.
package struct JobStanding: Sendable, Hashable {
    package var job: String
    package var started: Double
    package var finished: Double
    package var status: RunStatus
    /// Nil when the run was killed.
    package var exitStatus: Int?
    /// The end of the newest run that succeeded.
    package var lastSuccess: Double?
    package var counts = RunCounts()
    package var bytes = RunBytes()

    package init(job: String, started: Double, finished: Double, status: RunStatus) {
        self.job = job
        self.started = started
        self.finished = finished
        self.status = status
    }
}
