import Files
import Model
import Times

/// A line of standard error that belongs to no run's log: what a daemon tells of itself, or why nothing ran.
/// - Parameters:
///   - job: whom it is about, where that is one job.
///   - isError: whether somebody has to look at it.
package func note(
    _ message: String, event: LogEvent = .note, job: String? = nil, isError: Bool, _ format: LogFormat,
    isForJournal: Bool
) -> [UInt8] {
    let level = isError ? LogLine.Level.error : .info
    guard format == .json else { return Array("\(isForJournal ? level.priority : "")\(shown(message))\n".utf8) }
    var json = JSONText()
    json.object { json in
        json.logHead(RFC3339.format(currentTime()), level.rawValue, run: nil, job: job)
        json.field("event", event.rawValue)
        json.field("message", message)
    }
    json.newline()
    return json.bytes
}

extension JSONText {
    fileprivate mutating func logHead(_ time: String, _ level: String, run: String?, job: String?) {
        field("time", time)
        field("level", level)
        field("run", run)
        field("job", job)
    }
}

struct LogLine {
    enum Level: String {
        /// For the file alone.
        case detail
        case info, warning, error

        /// As sd-daemon(3) has it.
        var priority: String {
            switch self {
            case .error: "<3>"
            case .warning: "<4>"
            case .info: "<6>"
            case .detail: "<7>"
            }
        }
    }
    let level: Level
    let event: LogEvent
    let message: String
    let url: String?
    /// Printed also when only failures are.
    var isUrgent = false
    /// The last run has told it already.
    var isKnown = false

    init(_ level: Level, _ event: LogEvent, _ message: String, url: String? = nil) {
        self.level = level
        self.event = event
        self.message = message
        self.url = url
    }

    func isShown(_ showsProgress: Bool) -> Bool { showsProgress || event != .progress }

    func rendered(_ run: RunIdentity, _ format: LogFormat, _ time: String) -> [UInt8] {
        switch format {
        case .text:
            var line: [UInt8] = []
            line.reserveCapacity(256)
            for part in [time, " ", run.job, ": "] { line += part.utf8 }
            if level == .error || level == .warning { line += "\(level.rawValue): ".utf8 }
            if let url {
                line += shown(url).utf8
                line += ": ".utf8
            }
            line += shown(message).utf8
            line.append(UInt8(ascii: "\n"))
            return line
        case .json:
            var json = JSONText()
            json.object { json in
                json.logHead(time, level.rawValue, run: run.id, job: run.job)
                json.field("event", event.rawValue)
                json.field("message", message)
                if let url { json.field("url", url) }
            }
            json.newline()
            return json.bytes
        }
    }
}

/// The time of day as text, made once a second.
struct LogClock {
    private var second = -Double.infinity
    private var text = ""

    mutating func text(of time: Double) -> String {
        if time.rounded(.down) != second {
            second = time.rounded(.down)
            text = RFC3339.format(second)
        }
        return text
    }
}

/// Collects small lines, so that twenty thousand items do not cost twenty thousand writes.
final class LogFile {
    private let file: Descriptor
    private var pending: [UInt8] = []

    init(_ file: consuming Descriptor) { self.file = file }

    func write(_ line: [UInt8]) throws {
        pending += line
        if pending.count >= 1 << 14 { try flush() }
    }

    func flush() throws {
        try file.write(pending)
        pending.removeAll(keepingCapacity: true)
    }
}
