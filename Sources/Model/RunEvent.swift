package import URLs

/// What identifies a run.
package struct RunIdentity: Sendable, Hashable {
    /// `YYYYMMDDTHHMMSSZ-xxxxxx`, sortable as text.
    package var id: String
    package var job: String
    package var manifestSHA256: String
    /// Seconds since 1970.
    package var started: Double

    package init(id: String, job: String, manifestSHA256: String, started: Double) {
        self.id = id
        self.job = job
        self.manifestSHA256 = manifestSHA256
        self.started = started
    }
}

/// How a run ended.
package struct RunEnd: Sendable, Hashable {
    package var status: RunStatus
    package var exitStatus: Int32
    /// Seconds since 1970.
    package var finished: Double

    package init(status: RunStatus, exitStatus: Int32, finished: Double) {
        self.status = status
        self.exitStatus = exitStatus
        self.finished = finished
    }
}

/// Everything that happens in a run, told once. Progress, log and reports are folds over this stream.
package enum RunEvent: Sendable {
    case started(RunIdentity)
    case fetching(FetchRequest)
    case pageRead(url: WebURL, depth: Int, links: Int, bytes: Int64)
    /// A page that could not be read: the crawl goes on without its links.
    case pageFailed(url: WebURL, Failure)
    case itemFetched(url: WebURL, bytes: Int64)
    /// An item's fetch ended without a body to keep; its record follows when the run is named.
    case itemFailed(url: WebURL, Failure)
    /// An item's last word, in the order of names.
    case item(ItemRecord)
    case warning(RunWarning)
    case received(bytes: Int64)
    case stored(bytes: Int64)
    case deduplicated(bytes: Int64)
    case bundle(BundleRecord)
    /// A pack that wrote nothing, and why.
    case bundleOmitted(pack: String, reason: String)
    case finished(RunEnd)
}
