package import Files
import Model
import Unicode

/// What one run had that another had not, by the items files of both. Kept per URL is a fixed number of bytes, so that
/// two runs of a million items can be compared.
package struct RunDiff: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The older run had no content of the URL.
        case new
        /// Both had content, and it differs.
        case changed
        /// The newer run has the URL no more, or it vanished from its server.
        case gone
        /// It failed in both.
        case failingAgain = "failing-again"
    }

    package struct Entry: Sendable {
        package let kind: Kind
        package let url: String
        /// The newer name, or the older one of what is gone.
        package let name: String?
        /// What the newer run says of a failure.
        package let message: String?
    }

    /// Compares two runs of a job.
    /// - Parameter found: gets the differences: new, changed and failing ones in the order of the newer run, then what is
    ///   gone in the order of the older one.
    /// - Throws: `SystemError` when an items file is not there.
    package static func compare(
        _ older: String, with newer: String, in folder: Directory, _ found: (Entry) throws -> Void
    ) throws {
        var before: [UInt64: State] = [:]
        try items(of: older, in: folder) { before[key($0.url)] = State($0) }
        var seen: Set<UInt64> = []
        try items(of: newer, in: folder) { record in
            let key = key(record.url)
            let state = State(record)
            if state.hasContent { seen.insert(key) }
            if let kind = kind(before[key], state) {
                try found(Entry(kind: kind, url: record.url, name: record.name, message: record.error?.message))
            }
            // What failed today is not gone.
            if state.isFailed { seen.insert(key) }
        }
        try items(of: older, in: folder) { record in
            guard State(record).hasContent, !seen.contains(key(record.url)) else { return }
            try found(Entry(kind: .gone, url: record.url, name: record.name, message: nil))
        }
    }

    private static func kind(_ before: State?, _ now: State) -> Kind? {
        if now.isFailed { return before?.isFailed == true ? .failingAgain : nil }
        guard now.hasContent else { return nil }
        guard let before, before.hasContent else { return .new }
        return before.content == now.content ? nil : .changed
    }

    private struct State {
        let content: UInt64
        let hasContent: Bool
        let isFailed: Bool

        init(_ record: ItemRecord) {
            content = record.sha256.flatMap { UInt64($0.prefix(16), radix: 16) } ?? 0
            hasContent = [.downloaded, .unchanged, .duplicate].contains(record.status)
            isFailed = record.status == .failed
        }
    }

    private static func key(_ url: String) -> UInt64 {
        var hasher = Hasher()
        for byte in url.utf8 { hasher.combine(byte) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private static func items(of run: String, in folder: Directory, _ use: (ItemRecord) throws -> Void) throws {
        var lines = try ItemLines(of: run, in: folder)
        while case let records = try lines.next(), !records.isEmpty {
            for record in records { try use(record) }
        }
    }
}
