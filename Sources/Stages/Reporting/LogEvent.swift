/// What a line of the log tells; programs may filter by these names, which stay as they are. The README lists them.
package enum LogEvent: String, Sendable, CaseIterable {
    case runStarted = "run-started"
    case fetching
    case pageRead = "page-read"
    case pageFailed = "page-failed"
    case itemFetched = "item-fetched"
    case itemFailed = "item-failed"
    case item
    case warning
    case progress
    case bundleWritten = "bundle-written"
    case bundleOmitted = "bundle-omitted"
    case handoffDelivered = "handoff-delivered"
    case handoffPending = "handoff-pending"
    case handoffFailed = "handoff-failed"
    case handoffHeld = "handoff-held"
    case runFinished = "run-finished"
    /// A job was left out, since its last run still goes on.
    case runSkipped = "run-skipped"
    /// A line that is about no run in particular.
    case note
}
