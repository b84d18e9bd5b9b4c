import Digests
import Fetching
import Files
import Lanes
import Model
import URLs

/// Holds downloads against the checksums that their publisher has put beside them, before they become objects.
actor ChecksumGate {
    private let rules: ChecksumRules
    private let fetcher: Fetcher
    private let robots: RobotsGate
    private let partial: Directory
    private let events: RunEvents
    private let interruption: Interruption
    private let lanes: LanePool
    /// Whether a list may be fetched from where its URL redirects to.
    private let hop: @Sendable (WebURL) -> Failure?

    private enum Answer: Sendable {
        case list(ChecksumList)
        case absent
        case failed(String)
    }

    private var lists: [WebURL: Task<Answer, Never>] = [:]
    /// In the order in which they were asked for, so that the oldest can go.
    private var order: [WebURL] = []
    /// Entries of the lists that are remembered.
    private var entries = 0
    /// Sidecars asked for in vain so far, by folder and suffix.
    private var misses: [String: Int] = [:]

    private static let mostBytes = 16 << 20
    private static let mostEntries = 400_000
    private static let mostLists = 4096
    /// A folder where so many files in a row have no sidecar of a kind has none.
    private static let patience = 3
    private static let usualLists = [
        "SHA256SUMS", "SHA256SUMS.txt", "sha256sums.txt", "sha256sum.txt", "SHA512SUMS", "checksums.txt", "MD5SUMS",
    ]
    private static let usualSuffixes = [".sha256", ".sha512", ".md5"]

    init(
        _ rules: ChecksumRules, fetcher: Fetcher, robots: RobotsGate, partial: Directory, events: RunEvents,
        interruption: Interruption, hop: @escaping @Sendable (WebURL) -> Failure?
    ) throws {
        self.rules = rules
        self.fetcher = fetcher
        self.robots = robots
        self.partial = partial
        self.events = events
        self.interruption = interruption
        self.hop = hop
        lanes = try LanePool("checksums", threads: 1)
    }

    /// What becomes of a download once it was held against what is published for it.
    func outcome(of result: FetchResult) async -> FetchOutcome {
        guard case .item(let part) = result.outcome, result.request.url.isHTTP else { return result.outcome }
        let file = result.request.url.withoutUserinfo.withoutFragment
        switch rules {
        case .none: return result.outcome
        case .auto:
            guard file.query == nil, !Self.isUsual(file) else { return result.outcome }
            return await verdict(of: part, result, await usual(of: file))
        case .at(let templates):
            var isSource = false
            var found: (WebURL, PublishedChecksum)?
            for template in templates where found == nil {
                guard let list = WebURL(template.replacing("{url}", with: file.href), base: file) else { continue }
                if list == file { isSource = true }
                switch await answer(from: list, isNamed: WebURL(template) != nil && !template.contains("{")) {
                case .failed(let reason):
                    return .failed(
                        Failure(.checksum, "it cannot be checked: \(list.displayed): \(reason)"), refused: part)
                case .absent: continue
                case .list(let entries): found = entries.checksum(of: file, listedAt: list).map { (list, $0) }
                }
            }
            if isSource { return result.outcome }
            if found == nil {
                await events.warn("checksum-missing", "no checksum is published for it", url: file.displayed)
            }
            return await verdict(of: part, result, found)
        }
    }

    private func verdict(
        of part: PartFile, _ result: FetchResult, _ found: (list: WebURL, checksum: PublishedChecksum)?
    ) async -> FetchOutcome {
        guard let (list, checksum) = found else { return result.outcome }
        let (partial, interruption) = (partial, interruption)
        do {
            let digest = try await lanes.run {
                try partDigest(of: part, in: partial, by: checksum.algorithm) { interruption.reason != nil }
            }
            guard let digest else { return .failed(Failure(.cancelled, "stopped before it was checked"), refused: nil) }
            if digest == checksum.digest { return result.outcome }
            return .failed(
                Failure(
                    .checksum,
                    "its \(checksum.algorithm.rawValue) is \(hex(digest)), but \(list.displayed) says "
                        + "\(hex(checksum.digest)); its body lies in quarantine"), refused: part)
        } catch {
            return .failed(Failure(.io, "it could not be read again: \(error)"), refused: nil)
        }
    }

    // MARK: Where checksums are by custom

    private func usual(of file: WebURL) async -> (WebURL, PublishedChecksum)? {
        for name in Self.usualLists {
            guard let url = WebURL(name, base: file), case .list(let list) = await answer(from: url) else { continue }
            if let found = list.checksum(of: file, listedAt: url) { return (url, found) }
        }
        let folder = WebURL(".", base: file)?.href ?? ""
        for suffix in Self.usualSuffixes {
            let key = folder + suffix
            guard misses[key, default: 0] < Self.patience, let url = WebURL(file.href + suffix) else { continue }
            guard case .list(let list) = await answer(from: url) else {
                if misses.count > Self.mostLists { misses.removeAll() }
                misses[key, default: 0] += 1
                continue
            }
            misses[key] = 0
            if let found = list.checksum(of: file, listedAt: url) { return (url, found) }
        }
        return nil
    }

    private static func isUsual(_ file: WebURL) -> Bool {
        let name = file.path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? ""
        return usualLists.contains(name) || usualSuffixes.contains { name.hasSuffix($0) }
    }

    // MARK: Reading lists

    /// - Parameter isNamed: the manifest's author wrote the whole URL, so it may lie where starts may.
    private func answer(from url: WebURL, isNamed: Bool = false) async -> Answer {
        if let task = lists[url] { return await task.value }
        let task = Task { await read(url, isNamed: isNamed) }
        lists[url] = task
        order.append(url)
        let answer = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if case .list(let list) = answer { entries += list.count }
        while entries > Self.mostEntries || order.count > Self.mostLists, let oldest = order.first, oldest != url {
            order.removeFirst()
            if case .list(let list)? = await lists.removeValue(forKey: oldest)?.value { entries -= list.count }
        }
        return answer
    }

    private func read(_ url: WebURL, isNamed: Bool) async -> Answer {
        switch await robots.refusal(of: url, isStart: isNamed) {
        case .disallowed(let reason): return rules == .auto ? .absent : .failed(reason)
        case .unreachable(let failure): return .failed(failure.message)
        case nil: break
        }
        let hop = hop
        var policy = FetchPolicy(
            hop: { target, _ in hop(target) },
            head: { head, _ in
                head.contentType?.lowercased().hasPrefix("text/html") == true ? .unwanted("an HTML page") : .page
            })
        policy.maxPageBytes = Self.mostBytes
        var request = FetchRequest(id: 0, url: url, purpose: .page)
        request.isStart = isNamed
        let result = await fetcher.fetch(request, policy: policy)
        switch result.outcome {
        case .page(let body):
            let list = try? await lanes.run { ChecksumList(body) }
            guard let list, list.count > 0 else { return rules == .auto ? .absent : .failed("it holds no checksum") }
            return .list(list)
        case .unwanted(let reason): return rules == .auto ? .absent : .failed("it is \(reason)")
        case .failed(let failure, _):
            if let status = result.head?.status, [404, 410].contains(status), !isNamed { return .absent }
            guard rules == .auto, failure.code != .cancelled else { return .failed(failure.message) }
            if result.head.map({ $0.status >= 500 }) ?? true {
                await events.warn("checksum-unread", failure.message, url: url.displayed)
            }
            return .absent
        case .item, .unchanged: return .absent
        }
    }
}
