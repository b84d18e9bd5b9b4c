/// When a transfer last got on: bytes count once enough have come for the time that they took.
struct Progress {
    /// Since when too little has come; nil while the time is not the server's.
    private(set) var since: SuspendingClock.Instant?
    private var bytes = 0
    /// Bytes a second.
    private let floor: Int64

    init(floor: Int64) { self.floor = max(floor, 1) }

    mutating func begin(_ now: SuspendingClock.Instant) {
        since = now
        bytes = 0
    }

    mutating func pause() { since = nil }

    mutating func receive(_ count: Int, _ now: SuspendingClock.Instant) {
        guard let since else { return begin(now) }
        bytes += count
        let needed = (now - since) / .seconds(1) * Double(floor)
        if Double(bytes) >= needed { begin(now) }
    }
}
