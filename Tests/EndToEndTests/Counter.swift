import Synchronization

/// Counts what the threads of a server do.
final class Counter: Sendable {
    private let count = Mutex(0)

    /// How often it was called before.
    func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}

/// A switch that a test turns while a server looks at it.
final class Switch: Sendable {
    private let state: Mutex<Bool>

    init(_ isOn: Bool) { state = Mutex(isOn) }

    var isOn: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
