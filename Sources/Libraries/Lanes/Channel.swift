import Synchronization

/// A queue between tasks that holds at most `capacity` values: who sends into a full one waits, so that a slow reader
/// slows the writers instead of filling the memory.
package final class Channel<Element: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        var values: [Element] = []
        var head = 0
        var isFinished = false
        var reader: Waiter?
        var writers: [Waiter] = []

        var count: Int { values.count - head }

        /// Up to `limit` values, whether these were the last, and the writers for whom there is room again.
        mutating func take(_ limit: Int, _ capacity: Int) -> (ArraySlice<Element>, Bool, [Waiter]) {
            guard count > 0 else { return ([], isFinished, []) }
            let taken = values[head..<min(head + limit, values.count)]
            head = taken.endIndex
            if head >= 256 || head == values.count {
                values.removeFirst(head)
                head = 0
            }
            guard count <= capacity / 2 else { return (taken, false, []) }
            defer { writers = [] }
            return (taken, false, writers)
        }
    }
    private let state = Mutex(State())
    private let capacity: Int

    package init(capacity: Int) { self.capacity = max(capacity, 1) }

    /// Sends a value; waits while the channel is full. After ``finish()`` values are dropped.
    package func send(_ value: Element) async {
        await withCheckedContinuation { continuation in
            let (writer, reader) = state.withLock { state -> (Waiter?, Waiter?) in
                guard !state.isFinished else { return (continuation, nil) }
                state.values.append(value)
                let reader = state.reader.take()
                guard state.count > capacity else { return (continuation, reader) }
                state.writers.append(continuation)
                return (nil, reader)
            }
            reader?.resume()
            writer?.resume()
        }
    }

    /// No more values come; the reader gets what is left and then nil.
    package func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.writers = [] }
            return state.writers + (state.reader.take().map { [$0] } ?? [])
        }
        for continuation in waiting { continuation.resume() }
    }

    /// The next value, nil after the last. For one reader.
    package func next() async -> Element? { await nextBatch(1).first }

    /// What waits, at most `limit` values and at least one; empty after the last. For one reader.
    package func nextBatch(_ limit: Int) async -> ArraySlice<Element> {
        while true {
            let (values, isOver, writers) = state.withLock { $0.take(limit, capacity) }
            for writer in writers { writer.resume() }
            if !values.isEmpty || isOver { return values }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.count > 0 || state.isFinished { return true }
                    state.reader = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }
}
