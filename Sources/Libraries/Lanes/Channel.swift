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
        /// How many values the reader waits for.
        var wanted = 1
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
        let (isFull, reader) = state.withLock { state -> (Bool, Waiter?) in
            guard !state.isFinished else { return (false, nil) }
            state.values.append(value)
            let isFull = state.count > capacity
            return (isFull, isFull || state.count >= state.wanted ? state.reader.take() : nil)
        }
        reader?.resume()
        guard isFull else { return }
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.count <= capacity || state.isFinished { return true }
                state.writers.append(continuation)
                return false
            }
            if isReady { continuation.resume() }
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
    /// - Parameter patience: how long to let more come while there are fewer than `limit`.
    package func nextBatch(_ limit: Int, patience: Duration? = nil) async -> ArraySlice<Element> {
        while true {
            await wait(for: 1)
            if let patience, state.withLock({ $0.count < limit && !$0.isFinished }) {
                let timer = Task { [weak self] in
                    try await Task.sleep(for: patience)
                    self?.state.withLock { $0.reader.take() }?.resume()
                }
                await wait(for: min(limit, capacity))
                timer.cancel()
            }
            let (values, isOver, writers) = state.withLock { $0.take(limit, capacity) }
            for writer in writers { writer.resume() }
            if !values.isEmpty || isOver { return values }
        }
    }

    private func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.count >= count || state.isFinished { return true }
                state.wanted = count
                state.reader = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}
