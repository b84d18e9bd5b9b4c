import Glibc
import Model
import Reporting
import Synchronization

/// Standard error as a person sees it: lines that stay, and below them a live view of the runs that is drawn anew some
/// times a second. Whatever ends the program, the terminal is left as it was: every drawing is one write that turns
/// line wrapping off and on again, and the cursor is never hidden.
final class Terminal: Sendable {
    private struct State {
        var views: [(run: String, view: LiveView)] = []
        /// What stands below the log at the moment.
        var drawn: [String] = []
        var drawnAt = ContinuousClock.now - .seconds(1)
    }
    private let state = Mutex(State())
    private static let pause = Duration.milliseconds(100)

    /// Prints lines above the view.
    func print(_ lines: [UInt8]) {
        state.withLock { state in
            var output = Self.erase(&state)
            output += lines
            output += Self.draw(&state)
            write(output, to: STDERR_FILENO)
        }
    }

    /// Writes lines to standard output, which may be the same terminal, above the view.
    func output(_ text: String) {
        state.withLock { state in
            write(Self.erase(&state), to: STDERR_FILENO)
            tell(text)
            write(Self.draw(&state), to: STDERR_FILENO)
        }
    }

    func receive(_ run: RunIdentity, _ events: ArraySlice<RunEvent>) {
        state.withLock { state in
            let now = ContinuousClock.now
            if !state.views.contains(where: { $0.run == run.id }) {
                state.views.append((run.id, LiveView(job: run.job, at: now)))
            }
            guard let index = state.views.firstIndex(where: { $0.run == run.id }) else { return }
            var hasEnded = false
            for event in events {
                state.views[index].view.receive(event, at: now)
                if case .finished = event { hasEnded = true }
            }
            if hasEnded { state.views.remove(at: index) }
            guard hasEnded || now - state.drawnAt >= Self.pause else { return }
            var output = Self.erase(&state)
            output += Self.draw(&state)
            write(output, to: STDERR_FILENO)
        }
    }

    /// Leaves nothing of the view.
    func close() {
        state.withLock { state in
            state.views = []
            write(Self.erase(&state), to: STDERR_FILENO)
        }
    }

    private static func erase(_ state: inout State) -> [UInt8] {
        defer { state.drawn = [] }
        if state.drawn.isEmpty { return [] }
        let rows = LiveView.rows(state.drawn.dropLast(), width: size().width)
        let up = rows > 0 ? "\u{1b}[\(rows)A" : ""
        return Array("\r\(up)\u{1b}[J".utf8)
    }

    private static func draw(_ state: inout State) -> [UInt8] {
        guard !state.views.isEmpty else { return [] }
        let (width, height) = size()
        let now = ContinuousClock.now
        let room = max((height - 1) / state.views.count, 1)
        let lines = state.views.flatMap { $0.view.lines(width: width, height: room, at: now) }.prefix(height - 1)
        state.drawn = Array(lines)
        state.drawnAt = now
        // Left at the beginning of a line, where the `^C` that the terminal shows begins no other row.
        return Array("\u{1b}[?7l\(lines.joined(separator: "\n"))\u{1b}[?7h\r".utf8)
    }

    /// Columns and lines; asked each time, since windows change.
    private static func size() -> (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), max(Int(size.ws_row), 2))
    }
}

/// Whether standard error is the journal of systemd (sd-daemon(3)): `$JOURNAL_STREAM` names its device and inode.
func isJournal(_ environment: [String: String]) -> Bool {
    guard let stream = environment["JOURNAL_STREAM"] else { return false }
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
}
