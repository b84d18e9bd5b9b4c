/// Decides what becomes of a body once its head is known.
package protocol HTTPReceiver: Sendable {
    /// Called once, on the engine's own thread, before any byte of the body: it must not block.
    func head(_ head: HTTPHead) -> BodyPlan

    /// Called at most once, on the engine's own thread, when a short body has come whole: another request may take the
    /// place of this one, although what came may still be on its way to its sink.
    func ended()
}

extension HTTPReceiver {
    package func ended() {}
}

/// What to do with a body.
package enum BodyPlan: Sendable {
    /// Keep it in memory; more than `limit` bytes are an error.
    case collect(limit: Int)
    /// Hand it to a sink.
    /// - Parameters:
    ///   - limit: most bytes that are taken; nil is no bound.
    ///   - cuts: true ends the transfer in order at the limit, false makes it an error.
    case stream(any BodySink, limit: Int64?, cuts: Bool = false)
    /// Drop it. Up to `reading` bytes are read so that the connection can be used again; a longer body is left.
    case discard(reading: Int64)
    /// The head itself is wrong: the transfer fails with this.
    case refuse(HTTPError)
}

/// Takes a body in pieces, on threads that may block. There are never two calls at once; the last one is
/// ``abandon(_:)``, or a ``finish()`` that does not throw, and only then the transfer's caller gets its answer.
package protocol BodySink: AnyObject, Sendable {
    func write(_ bytes: [UInt8]) throws(HTTPError)

    /// The body is whole, or cut as planned. Throwing makes the transfer fail.
    func finish() throws(HTTPError)

    /// The transfer failed. When its error is an interruption, everything that came has been written before.
    func abandon(_ error: HTTPError)
}
