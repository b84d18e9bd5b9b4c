/// Which hosts are left alone for a while, because connection after connection to them has failed: what is still to be
/// fetched from there fails at once instead of waiting for one timeout after another.
struct Breaker {
    private struct Host {
        /// Failed connections in a row.
        var failures = 0
        /// Seconds of the last pause; 0 while there was none.
        var pause = 0.0
        var closedUntil = -Double.infinity
    }
    private var hosts: [String: Host] = [:]
    /// So many in a row are no accident.
    static let most = 5
    static let firstPause = 60.0
    static let longestPause = 900.0

    /// Seconds for which a host is still left alone, and how many connections have failed; nil when it may be asked.
    func refusal(of name: String, now: Double) -> (seconds: Double, failures: Int)? {
        guard let host = hosts[name], host.closedUntil > now else { return nil }
        return (host.closedUntil - now, host.failures)
    }

    mutating func connected(_ name: String) { hosts[name] = nil }

    /// - Parameter isLast: a resource has used up all its attempts by this. A restart that takes half a minute is thus
    ///   not mistaken for an end, unless the host has been left alone before.
    mutating func failed(_ name: String, isLast: Bool, now: Double) {
        var host = hosts[name] ?? Host()
        host.failures += 1
        if host.failures >= Self.most, isLast || host.pause > 0, host.closedUntil <= now {
            host.pause = min(max(host.pause * 2, Self.firstPause), Self.longestPause)
            host.closedUntil = now + host.pause
        }
        hosts[name] = host
    }
}
