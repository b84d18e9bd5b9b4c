package import Model

/// One line on how far the long work at hand is, with its rate and the time left; for a terminal.
package struct WorkDisplay: Sendable {
    private struct Start: Sendable {
        let kind: Work.Kind
        let name: String
        let bytes: Int64
        let time: ContinuousClock.Instant
    }
    private var start: Start?

    package init() {}

    /// - Returns: the line to show; empty to show none any more, nil when nothing changes.
    package mutating func line(_ event: RunEvent, at now: ContinuousClock.Instant = .now) -> String? {
        guard case .working(let work) = event else {
            guard start != nil else { return nil }
            start = nil
            return ""
        }
        let begun: Start
        if let start, start.kind == work.kind, start.name == work.name, start.bytes <= work.doneBytes {
            begun = start
        } else {
            begun = Start(kind: work.kind, name: work.name, bytes: work.doneBytes, time: now)
            start = begun
        }
        var text = "\(work.kind.rawValue) \(shown(work.name)): \(shown(bytes: work.doneBytes))"
        if work.bytes > 0 { text += " of \(shown(bytes: max(work.bytes, work.doneBytes)))" }
        let seconds = (now - begun.time) / .seconds(1)
        guard seconds >= 0.4, work.doneBytes > begun.bytes else { return text }
        let rate = Double(work.doneBytes - begun.bytes) / seconds
        text += ", \(shown(bytes: Int64(exactly: rate.rounded()) ?? 0))/s"
        if work.bytes > work.doneBytes {
            text += ", \(shown(seconds: Double(work.bytes - work.doneBytes) / rate)) left"
        }
        return text
    }
}
