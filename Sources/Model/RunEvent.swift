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

/// How far a download is that goes on at the moment.
package struct TransferProgress: Sendable, Hashable {
    package var url: WebURL
    /// Of the whole body, what an earlier attempt brought included.
    package var received: Int64
    /// nil when the server did not say.
    package var total: Int64?
    /// Where it was gone on with; 0 for one that began at its start.
    package var resumedFrom: Int64

    package init(url: WebURL, received: Int64, total: Int64?, resumedFrom: Int64) {
        self.url = url
        self.received = received
        self.total = total
        self.resumedFrom = resumedFrom
    }
}

/// Everything that happens in a run, told once. Progress, log and reports are folds over this stream.
///
/// What a case holds lies in a box, since every fold gets a copy of every event.
package enum RunEvent: Sendable {
    indirect case started(RunIdentity)
    indirect case fetching(FetchRequest)
    /// The downloads under way, every now and then while somebody looks on.
    case transfers([TransferProgress])
    indirect case pageRead(url: WebURL, depth: Int, links: Int, bytes: Int64)
    /// A page that could not be read: the crawl goes on without its links.
    indirect case pageFailed(url: WebURL, Failure)
    indirect case itemFetched(url: WebURL, bytes: Int64)
    /// An item's fetch ended without a body to keep; its record follows when the run is named.
    indirect case itemFailed(url: WebURL, Failure)
    /// An item's last word, in the order of names.
    indirect case item(ItemRecord)
    indirect case warning(RunWarning)
    case received(bytes: Int64)
    case stored(bytes: Int64)
    case deduplicated(bytes: Int64)
    indirect case bundle(BundleRecord)
    /// A pack that wrote nothing, and why.
    indirect case bundleOmitted(pack: String, reason: String)
    /// What became of a bundle, of this run or an earlier one, at one target.
    indirect case handoff(BundleRecord, HandoffRecord)
    /// How far a long piece of work is; told now and then.
    indirect case working(Work)
    indirect case finished(RunEnd)
}

/// A long piece of work and how far it is.
package struct Work: Sendable, Hashable {
    package enum Kind: String, Sendable { case packing, delivering }

    package var kind: Kind
    /// The pack's id, or the bundle's name.
    package var name: String
    package var doneBytes: Int64
    /// Of all of it; what was only estimated may be passed.
    package var bytes: Int64

    package init(_ kind: Kind, _ name: String, done doneBytes: Int64, of bytes: Int64) {
        self.kind = kind
        self.name = name
        self.doneBytes = doneBytes
        self.bytes = bytes
    }
}
