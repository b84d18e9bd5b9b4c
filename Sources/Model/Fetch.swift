package import URLs

/// What a resource is fetched for.
package enum Purpose: Int, Sendable, Codable {
    /// To be read for links.
    case page = 0
    /// To be downloaded.
    case item = 1
    /// Its type decides which of the two it is, or neither.
    case ask = 2
    /// An item if its type says so, and nothing else: who linked to it asks robots not to follow.
    case probe = 3
}

/// One resource to fetch.
package struct FetchRequest: Sendable {
    /// The frontier's number of the resource.
    package var id: Int64
    package var url: WebURL
    package var purpose: Purpose
    package var referrer: WebURL?
    /// Given when the content they stand for is still in the store.
    package var validators = Validators()
    /// Who gave the validators, where redirects had led; nil when that is the URL itself.
    package var validated: WebURL?
    /// True for a start URL: its own address class is permitted by the manifest's author.
    package var isStart = false
    /// What an earlier run got from it.
    package var known: StoredContent?
    /// The own name of that.
    package var knownName: String?
    /// The `download` attribute of the link.
    package var download: String?
    /// The encoding of the page that the link was on, where it may matter to names.
    package var charset: String?

    /// What is posted instead of asking with GET.
    package var upload: RequestBody?

    package init(id: Int64, url: WebURL, purpose: Purpose, referrer: WebURL? = nil) {
        self.id = id
        self.url = url
        self.purpose = purpose
        self.referrer = referrer
    }
}

/// A body that is sent; it may hold secrets.
package struct RequestBody: Sendable, Hashable {
    /// The Content-Type.
    package var type: String
    package var bytes: [UInt8]

    package init(type: String, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}

/// What the head of a response makes of a request.
package enum HeadVerdict: Sendable {
    case page
    case item
    /// Neither; the reason goes into the report.
    case unwanted(String)
    /// An item that must not be: its body goes to quarantine.
    case rejected(Failure)
}

/// How a fetch ended, with what it took to get there.
package struct FetchResult: Sendable {
    package var request: FetchRequest
    package var outcome: FetchOutcome
    /// The head of the final response; nil when none came.
    package var head: ResponseHead?
    /// Every URL that answered with a redirect, in order.
    package var redirects: [WebURL] = []
    /// The status of the first of them.
    package var redirectStatus: Int?
    package var attempts = 1
    /// Bytes of body received in all attempts.
    package var received: Int64 = 0
    /// Bytes of the content that did not have to be fetched, since an earlier attempt or run had brought them.
    package var resumedFrom: Int64?
    /// Seconds since 1970 when the first attempt began.
    package var started: Double
    package var seconds: Double = 0
    /// What a person should know of, although it failed nothing.
    package var warnings: [RunWarning] = []

    package init(request: FetchRequest, outcome: FetchOutcome, started: Double) {
        self.request = request
        self.outcome = outcome
        self.started = started
    }
}

package enum FetchOutcome: Sendable {
    /// A page's whole body.
    case page(body: [UInt8])
    /// An item's body, whole, in a file below `partial/`.
    case item(PartFile)
    /// The server said 304.
    case unchanged
    /// Answered, but neither page nor item.
    case unwanted(reason: String)
    /// The refused body, where one was kept, lies below `partial/`.
    case failed(Failure, refused: PartFile?)
}

/// A complete body that waits below `partial/` to be stored.
package struct PartFile: Sendable, Hashable {
    /// The file's name below `partial/`.
    package var name: String
    package var bytes: Int64
    /// SHA-256 of the content: 32 bytes.
    package var sha256: [UInt8]
    /// The first bytes of the content, at most 4 KiB, for the inference of its type.
    package var prefix: [UInt8]

    package init(name: String, bytes: Int64, sha256: [UInt8], prefix: [UInt8]) {
        self.name = name
        self.bytes = bytes
        self.sha256 = sha256
        self.prefix = prefix
    }

    /// The file beside it that says how far it has come, where there is one.
    package var logName: String { Self.logName(of: name) }

    package static func logName(of name: String) -> String { name + ".log" }
}
