/// What became of an item; the statuses exclude each other.
package enum ItemStatus: String, Sendable, Codable, CaseIterable {
    case downloaded, unchanged, duplicate, skipped, failed, gone
}

/// Which rule gave an item's extension.
package enum ExtensionSource: String, Sendable, Codable, CaseIterable {
    case types, disposition, url, type, content, `default`
}

/// How a downloaded item differs from what the job had of its URL.
package enum ItemChange: String, Sendable, Codable, CaseIterable {
    /// The job had nothing of this URL.
    case new
    /// The job had other content.
    case changed
}

/// What a run brought, held against what the job had before.
package struct RunChanges: Sendable, Codable, Hashable {
    package var new = 0
    package var changed = 0
    package var gone = 0

    package init() {}
}

/// One line of the items file; the field names are those of the report, fixed.
package struct ItemRecord: Sendable, Codable, Hashable {
    package var url: String
    package var finalURL: String?
    package var referrer: String?
    package var status: ItemStatus
    package var reason: String?
    package var httpStatus: Int?
    package var contentType: String?
    package var name: String?
    package var `extension`: String?
    package var extensionSource: ExtensionSource?
    package var bytes: Int64?
    package var sha256: String?
    package var duplicateOf: String?
    package var change: ItemChange?
    package var stale = false
    package var redirects: [String] = []
    package var attempts = 0
    package var resumedFrom: Int64?
    package var started: String?
    package var seconds: Double?
    package var error: Failure?

    package init(url: String, status: ItemStatus) {
        self.url = url
        self.status = status
    }

    package enum CodingKeys: String, CodingKey {
        case url, referrer, status, reason, name, `extension`, bytes, sha256, change, stale, redirects, attempts,
            started
        case seconds, error
        case finalURL = "final_url"
        case httpStatus = "http_status"
        case contentType = "content_type"
        case extensionSource = "extension_source"
        case duplicateOf = "duplicate_of"
        case resumedFrom = "resumed_from"
    }
}

package enum RunStatus: String, Sendable, Codable, CaseIterable {
    case succeeded, partial, failed, interrupted, skipped
}

package struct RunCounts: Sendable, Codable, Hashable {
    package var pages = 0
    package var links = 0
    package var downloaded = 0
    package var unchanged = 0
    package var duplicate = 0
    package var skipped = 0
    package var failed = 0
    package var gone = 0

    package init() {}

    package mutating func count(_ status: ItemStatus) {
        switch status {
        case .downloaded: downloaded += 1
        case .unchanged: unchanged += 1
        case .duplicate: duplicate += 1
        case .skipped: skipped += 1
        case .failed: failed += 1
        case .gone: gone += 1
        }
    }
}

package struct RunBytes: Sendable, Codable, Hashable {
    /// Bodies as they came over the network, every attempt.
    package var received: Int64 = 0
    /// New objects.
    package var stored: Int64 = 0
    /// What one copy of identical content saved.
    package var deduplicated: Int64 = 0

    package init() {}
}

package struct RunWarning: Sendable, Codable, Hashable {
    package var code: String
    package var message: String
    package var url: String?

    package init(code: String, message: String, url: String? = nil) {
        self.code = code
        self.message = message
        self.url = url
    }
}

/// A bundle that was written in this run.
package struct BundleRecord: Sendable, Codable, Hashable {
    /// Below the root: `bundles/<job>/<bundle>`.
    package var path: String
    package var format: BundleFormat
    package var entries: Int
    package var bytes: Int64
    package var sha256: String
    package var handoffs: [HandoffRecord] = []

    package init(path: String, format: BundleFormat, entries: Int, bytes: Int64, sha256: String) {
        self.path = path
        self.format = format
        self.entries = entries
        self.bytes = bytes
        self.sha256 = sha256
    }
}

/// A bundle as it lies on the disk.
package struct WrittenBundle: Sendable, Hashable {
    package var record: BundleRecord
    /// Names of the files beside it that go where it goes: its digest, its signature, the index of its volumes.
    package var companions: [String]

    package init(record: BundleRecord, companions: [String]) {
        self.record = record
        self.companions = companions
    }

    /// The last component of its path.
    package var name: String {
        guard let slash = record.path.lastIndex(of: "/") else { return record.path }
        return String(record.path[record.path.index(after: slash)...])
    }
}

package struct HandoffRecord: Sendable, Codable, Hashable {
    package enum Status: String, Sendable, Codable { case delivered, pending, failed, held }
    /// The target, without secrets.
    package var to: String
    package var status: Status
    /// When that came to be, RFC 3339.
    package var time: String?
    package var error: Failure?

    package init(to: String, status: Status, time: String? = nil, error: Failure? = nil) {
        self.to = to
        self.status = status
        self.time = time
        self.error = error
    }
}
