/// Whom to tell of a run, how, and when.
package struct NotifyRules: Sendable, Hashable {
    package var means: NoticeMeans
    package var occasion = NoticeOccasion.failure
    /// Longest time of one try.
    package var timeout = Duration.seconds(60)

    package init(means: NoticeMeans) { self.means = means }
}

package enum NoticeOccasion: String, Sendable, CaseIterable {
    /// The run did not succeed.
    case failure
    case always
    /// The run brought something new, found something gone, or ended otherwise than the one before.
    case change
}

package enum NoticeMeans: Sendable, Hashable {
    /// A program and its arguments.
    case command([String])
    /// A URL that gets JSON.
    case post(HeaderValue)
    /// A health check's URL, asked at start and end whatever the occasion.
    case ping(HeaderValue)
    /// Mail addresses.
    case mail([String])
}
