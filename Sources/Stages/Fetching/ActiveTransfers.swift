import Model
import Synchronization
import URLs

/// The items whose bodies come in at the moment.
final class ActiveTransfers: Sendable {
    private struct Transfer {
        let url: WebURL
        let sink: PartSink
        /// How much of the body was there before.
        let start: Int64
    }
    private let transfers = Mutex<[ObjectIdentifier: Transfer]>([:])

    func begin(_ url: WebURL, _ sink: PartSink) {
        let transfer = Transfer(url: url, sink: sink, start: sink.progress.received)
        transfers.withLock { $0[ObjectIdentifier(sink)] = transfer }
    }

    func end(_ sink: PartSink) { transfers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(sink)) } }

    var progress: [TransferProgress] {
        transfers.withLock { Array($0.values) }.map { transfer in
            let (received, total) = transfer.sink.progress
            return TransferProgress(
                url: transfer.url, received: received, total: total, resumedFrom: min(transfer.start, received))
        }
    }
}
