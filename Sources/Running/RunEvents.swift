import Lanes
import Model
import Synchronization

/// The one stream of a run's events, and the folds that hear it.
///
/// Who sends waits while the folds are behind, so that neither a slow disk nor a slow terminal fills the memory.
final class RunEvents: Sendable {
    private let channel = Channel<RunEvent>(capacity: 1024)
    private let state = Mutex(RunTally())
    private let folds: Task<(any Error)?, Never>

    /// - Parameter folds: each hears every event, in order, as many at once as came while it heard the last; one that
    ///   fails does not keep them from the others.
    init(_ folds: [@Sendable (ArraySlice<RunEvent>) async throws -> Void]) {
        let channel = channel
        self.folds = Task {
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
