/// Why a transfer failed, told for people; the host is in the message.
package struct HTTPError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// No address was found for the name.
        case dns
        /// No connection to any of its addresses.
        case connect
        case tls
        /// No connection within the connect timeout.
        case connectTimeout
        /// No byte came for as long as the idle timeout.
        case idleTimeout
        /// The transfer took longer than it may in all.
        case totalTimeout
        /// The connection broke before or within the answer.
        case reset
        /// The body ended before its announced end.
        case truncated
        /// The answer is no valid HTTP, or not one that can be trusted.
        case protocolViolation
        /// The body is larger than the receiver takes.
        case tooLarge
        /// The address is in a class that the request does not permit.
        case addressRefused
        /// The request itself cannot be sent as it is.
        case invalidRequest
        /// The body could not be written: the device or quota is full.
        case diskFull
        /// The body could not be written.
        case io
        case cancelled
        /// Memory, threads or descriptors ran out, or the engine was shut down.
        case unavailable

        /// What came until then is as good as the beginning of a whole body.
        package var isInterruption: Bool {
            switch self {
            case .idleTimeout, .totalTimeout, .reset, .truncated, .cancelled, .unavailable: true
            default: false
            }
        }
    }

    package var kind: Kind
    package var message: String
    /// Bytes of body that came before it failed.
    package var received: Int64 = 0
    /// The request went over a connection that had served another one before.
    package var wasReused = false

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { message }
}
