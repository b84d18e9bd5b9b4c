/// Why an item, page or job failed: stable names that reports carry and people filter by.
package enum ErrorCode: String, Sendable, Codable, CaseIterable {
    case dns
    case connect
    case tls
    case timeout
    case reset
    case truncated
    case protocolError = "protocol"
    case httpStatus = "http-status"
    case redirectLoop = "redirect-loop"
    case redirectRefused = "redirect-refused"
    case addressRefused = "address-refused"
    case tooLarge = "too-large"
    case typeMismatch = "type-mismatch"
    case damaged
    case checksum
    case rangeInvalid = "range-invalid"
    case diskFull = "disk-full"
    case io
    case cancelled
    case robots
    case login
}

/// A failure as it is told to people: what was tried, why it failed, what to do.
package struct Failure: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    package var code: ErrorCode
    package var message: String

    package init(_ code: ErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
