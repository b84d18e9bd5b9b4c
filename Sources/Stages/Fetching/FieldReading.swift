/// What single header fields say to the fetch stage; for those who explain it.
package enum FieldReading {
    /// Seconds that a `Retry-After` field asks to wait; nil for what is neither digits nor a date.
    /// - Parameters:
    ///   - longest: `fetch.retry-after-max`: whoever asks for more gets this.
    ///   - now: seconds since 1970.
    package static func retryAfter(_ field: [UInt8], longest: Duration, now: Double) -> Double? {
        Retrying.seconds(retryAfter: field, now: now).map { min($0, longest / .seconds(1)) }
    }

    /// The parts of a `Content-Range` field; nil for another unit and for what contradicts itself. `start` and `end` are
    /// nil where nothing could be given, `total` where the server does not know it.
    package static func contentRange(_ field: [UInt8]) -> (start: Int64?, end: Int64?, total: Int64?)? {
        ContentRange(field).map { ($0.range?.lowerBound, $0.range?.upperBound, $0.total) }
    }
}
