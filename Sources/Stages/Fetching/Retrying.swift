import HTTP
import Model
import Times

/// Clock, sleep and chance, so that tests need not wait.
package struct Pace: Sendable {
    /// Seconds since 1970.
    package var now: @Sendable () -> Double
    package var sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 up to, but without, 1.
    package var chance: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> Double = { currentTime() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        chance: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.now = now
        self.sleep = sleep
        self.chance = chance
    }
}

/// What is worth another try, and after how long.
enum Retrying {
    static let base = 0.5
    static let cap = 30.0

    /// A fault that may be gone in a moment. An unknown name is none: asking again gives the same answer.
    static func isWorth(_ kind: HTTPError.Kind) -> Bool {
        switch kind {
        case .connect, .connectTimeout, .idleTimeout, .totalTimeout, .reset, .truncated: true
        default: false
        }
    }

    /// Statuses that say "not now" (408, 425, 429) or a server's fault that is not for good.
    static func isWorth(status: Int) -> Bool {
        switch status {
        case 408, 425, 429: true
        case 501, 505: false
        default: status >= 500 && status <= 599
        }
    }

    /// Exponential backoff with full jitter; what the server asks for instead, with a little jitter so that not all
    /// come back at once.
    /// - Parameters:
    ///   - attempt: how many have failed, from 1.
    ///   - longest: a server that wants more is tried again after this all the same.
    static func delay(attempt: Int, retryAfter: Double?, longest: Duration = .seconds(6 * 3600), chance: Double)
        -> Duration
    {
        if let retryAfter { return .seconds(min(retryAfter, longest / .seconds(1)) + chance * base) }
        let exponent = min(max(attempt - 1, 0), 10)
        return .seconds(chance * min(cap, base * Double(1 << exponent)))
    }

    /// Seconds that a `Retry-After` field asks to wait (RFC 9110, 10.2.3): digits, or a date; nil for anything else.
    static func seconds(retryAfter field: [UInt8], now: Double) -> Double? {
        let text = String(decoding: field, as: UTF8.self)
        if !field.isEmpty, field.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) { return Double(text) }
        return HTTPDate.parse(text, now: now).map { max($0 - now, 0) }
    }
}
