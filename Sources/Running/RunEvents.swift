import Lanes
import Model
import Synchronization
import URLs

/// The one stream of a run's events, and the folds that hear it.
///
/// Who sends waits while the folds are behind, so that neither a slow disk nor a slow terminal fills the memory.
final class RunEvents: Sendable {
    private let channel = Channel<RunEvent>(capacity: 1024)
    private let state = Mutex(RunTally())
    private let mask: ParameterMask
    private let folds: Task<(any Error)?, Never>

    /// - Parameters:
    ///   - mask: hides the values of query parameters in every text that the folds hear.
    ///   - folds: each hears every event, in order, as many at once as came while it heard the last; one that
    ///     fails does not keep them from the others.
    init(
        mask: ParameterMask = ParameterMask([]), _ folds: [@Sendable (ArraySlice<RunEvent>) async throws -> Void]
    ) {
        self.mask = mask
        let channel = channel
        self.folds = Task(executorPreference: currentTaskExecutor) {
            var fault: (any Error)?
            while true {
                let events = await channel.nextBatch(256)
                if events.isEmpty { return fault }
                for fold in folds {
                    do { try await fold(events) } catch { fault = fault ?? error }
                }
            }
        }
    }

    var tally: RunTally { state.withLock { $0 } }

    func send(_ event: RunEvent) async {
        let event = mask.isEmpty ? event : event.masked(by: mask)
        state.withLock { $0.receive(event) }
        await channel.send(event)
    }

    func warn(_ code: String, _ message: String, url: String? = nil) async {
        await send(.warning(RunWarning(code: code, message: message, url: url)))
    }

    /// Lets the folds hear everything.
    /// - Returns: the first thing that a fold could not write.
    func finish() async -> (any Error)? {
        channel.finish()
        return await folds.value
    }
}

extension RunEvent {
    fileprivate func masked(by mask: ParameterMask) -> RunEvent {
        switch self {
        case .item(var record):
            record.url = mask.masked(record.url)
            record.finalURL = record.finalURL.map(mask.masked)
            record.referrer = record.referrer.map(mask.masked)
            record.redirects = record.redirects.map(mask.masked)
            record.reason = record.reason.map(mask.masked)
            record.error = record.error.map { Failure($0.code, mask.masked($0.message)) }
            return .item(record)
        case .warning(let warning):
            return .warning(
                RunWarning(
                    code: warning.code, message: mask.masked(warning.message), url: warning.url.map(mask.masked)))
        case .pageRead(let url, let depth, let links, let bytes):
            return .pageRead(url: mask.masked(url), depth: depth, links: links, bytes: bytes)
        case .pageFailed(let url, let failure):
            return .pageFailed(url: mask.masked(url), Failure(failure.code, mask.masked(failure.message)))
        case .itemFetched(let url, let bytes): return .itemFetched(url: mask.masked(url), bytes: bytes)
        case .itemFailed(let url, let failure):
            return .itemFailed(url: mask.masked(url), Failure(failure.code, mask.masked(failure.message)))
        case .fetching(var request):
            request.url = mask.masked(request.url)
            return .fetching(request)
        case .transfers(let transfers):
            return .transfers(
                transfers.map { transfer in
                    var transfer = transfer
                    transfer.url = mask.masked(transfer.url)
                    return transfer
                })
        default: return self
        }
    }
}
