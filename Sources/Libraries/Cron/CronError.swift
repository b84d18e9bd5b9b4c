/// Why a text is no cron expression, and where.
package struct CronError: Error, Sendable, Hashable {
    /// From 0, in UTF-8 bytes.
    package let offset: Int
    /// What is wrong and what would be right.
    package let message: String
}
