import CArchive

/// What libarchive, or the file an archive is written to, refused.
package struct ArchiveError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Severity: Sendable, Hashable {
        /// The work was done, but not as it was asked for.
        case warning
        /// This entry cannot be done; the archive may go on.
        case failed
        /// The archive is lost.
        case fatal
    }
    package let severity: Severity
    /// For people, such as "write" or "open archive".
    package let operation: String
    /// The entry at hand; nil when the failure belongs to the whole archive.
    package let entry: String?
    /// In libarchive's or the system's words.
    package let reason: String
    /// errno, 0 when the failure has none.
    package let code: Int32

    package var description: String {
        if let entry { return "cannot \(operation) \"\(entry)\": \(reason)" }
        return "cannot \(operation): \(reason)"
    }

    static func fatal(_ operation: String, entry: String? = nil, _ reason: String, code: Int32 = 0) -> ArchiveError {
        ArchiveError(severity: .fatal, operation: operation, entry: entry, reason: reason, code: code)
    }
}

/// The one door for libarchive's results: everything but success is an error with the library's own text.
func check(
    _ handle: OpaquePointer, _ result: Int32, _ operation: String, entry: String? = nil
) throws(ArchiveError) {
    guard result != ARCHIVE_OK else { return }
    let severity: ArchiveError.Severity =
        switch result {
        case ARCHIVE_WARN: .warning
        case ARCHIVE_FAILED: .failed
        default: .fatal
        }
    let reason = archive_error_string(handle).map { String(cString: $0) } ?? "no reason given (libarchive \(result))"
    // libarchive's own numbers, such as ARCHIVE_ERRNO_MISC, are negative.
    let code = max(archive_errno(handle), 0)
    throw ArchiveError(severity: severity, operation: operation, entry: entry, reason: reason, code: code)
}
