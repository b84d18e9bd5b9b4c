/// What the catalog remembers of a job for its schedule. Times are in seconds since 1970.
package struct JobHistory: Sendable, Hashable {
    /// When the job was first looked at.
    package var firstSeen: Double
    /// When its last run started; nil when it never ran.
    package var lastStarted: Double?

    package init(firstSeen: Double, lastStarted: Double? = nil) {
        self.firstSeen = firstSeen
        self.lastStarted = lastStarted
    }
}
