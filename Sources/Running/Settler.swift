import Files
import Lanes
import Model
import Reporting
import Storing
import Times
import URLs

/// Takes finished fetches off the crawl's hands: content becomes durable, then an object, then a row of the catalog,
/// as many at once as came while the last ones were written.
struct Settler: Sendable {
    let job: Job
    let run: RunNumber
    let store: Store
    let partial: Directory
    let events: RunEvents
    let interruption: Interruption
    private let finished = Channel<FetchResult>(capacity: 512)
    /// How long what has come waits for more: what makes it durable costs about as much for one as for many.
    private static let patience = Duration.milliseconds(100)

    init(
        job: Job, run: RunNumber, store: Store, partial: Directory, events: RunEvents, interruption: Interruption
    ) {
        self.job = job
        self.run = run
        self.store = store
        self.partial = partial
        self.events = events
        self.interruption = interruption
    }

    func take(_ result: FetchResult) async { await finished.send(result) }

    func finish() { finished.finish() }

    /// Settles until ``finish()``.
    /// - Throws: what the catalog could not record.
    func run() async throws {
        while true {
            let batch = await finished.nextBatch(256, patience: Self.patience)
            if batch.isEmpty { return }
            do { try await settle(Array(batch)) } catch {
                // Whoever still sends must not wait for ever.
                finished.finish()
                throw error
            }
        }
    }

    private func settle(_ results: [FetchResult]) async throws {
        var settlements = await store.settle(results.compactMap(arrival), from: partial)[...]
        var outcomes: [Outcome] = []
        for result in results {
            var settlement: Settlement?
            if case .item(let part) = result.outcome {
                settlement = settlements.popFirst()
                if case .stored? = settlement { await events.send(.stored(bytes: part.bytes)) }
            }
            outcomes.append(Outcome(result, kind: await kind(of: result, settlement)))
        }
        try await store.catalog.record(outcomes, of: run)
    }

    private func arrival(_ result: FetchResult) -> Arrival? {
        guard case .item(let part) = result.outcome else { return nil }
        return Arrival(part: part, modified: result.head?.headers["last-modified"].flatMap { HTTPDate.parse($0) })
    }

    private func kind(of result: FetchResult, _ settlement: Settlement?) async -> Outcome.Kind {
        switch result.outcome {
        case .page: return .page
        case .unchanged: return .notModified
        case .unwanted(let reason): return .skipped(reason: reason)
        case .failed(let failure, let refused):
            if let refused { await quarantine(refused, result, failure) }
            let isGone = [404, 410].contains(result.head?.status) && result.request.known != nil
            return isGone ? .gone(failure) : .failed(failure)
        case .item(let part):
            if case .failed(let failure)? = settlement {
                if failure.code == .diskFull { interruption.stop(.diskFull(failure.message)) }
                await events.send(.itemFailed(url: result.request.url, failure))
                return .failed(failure)
            }
            await events.send(.itemFetched(url: result.request.url, bytes: part.bytes))
            return .content(StoredContent(sha256: part.sha256, bytes: part.bytes))
        }
    }

    private func quarantine(_ part: PartFile, _ result: FetchResult, _ failure: Failure) async {
        let now = currentTime()
        let lines = [
            "url: \(result.request.url.displayed)", result.head.map { "final url: \($0.url.displayed)" },
            result.request.referrer.map { "found on: \($0.displayed)" },
            result.head?.contentType.map { "content-type: \($0)" }, "bytes: \(part.bytes)",
            "refused: \(RFC3339.format(now))", "error: \(failure.code.rawValue)", "reason: \(failure.message)",
        ]
        let mask = ParameterMask(job.log.mask)
        let note = lines.compactMap { $0 }.map { shown(mask.masked($0)) + "\n" }.joined()
        do { try await store.quarantine(part, of: job.name, in: partial, note: note, at: now) } catch {
            await events.warn(
                "quarantine", "the refused body could not be set aside: \(error)", url: result.request.url.displayed)
        }
    }
}
